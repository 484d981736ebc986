import { useFestival } from "#lib/festival/content.ts";

/** The festival that the tickets are for. */
export function WhenAndWhere({ className }: { className: string }) {
  const { title, dateText, hoursText, grounds } = useFestival();
  return (
    <p className={className}>
      <span className="display block text-xl">{title}</span>
      {dateText}, {hoursText}, {grounds}
    </p>
  );
}
