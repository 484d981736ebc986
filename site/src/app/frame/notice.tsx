import { useFestival } from "#lib/festival/content.ts";

/** The organizers' notice above every page, such as a new date. Below the bar, which is transparent there. */
export function Notice() {
  const { notice, status } = useFestival();
  if (notice === null) return null;
  return (
    <aside aria-label="Notice" data-top="dark" className="bg-candy-deep pt-22 pb-4 text-white print:pt-4">
      <p className="page-width text-lg">
        {status === "cancelled" && <strong>Canceled. </strong>}
        {status === "moved" && <strong>New date. </strong>}
        {notice}
      </p>
    </aside>
  );
}
