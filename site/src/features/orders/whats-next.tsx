import { useFestival } from "#lib/festival/content.ts";
import { serverNow } from "#lib/time/server-clock.ts";
import { Card, CardTitle } from "#ui/page/card.tsx";
import { isJustPaid, type Order } from "./model.ts";

const stepsOf = ({ dateText, opensText }: ReturnType<typeof useFestival>, isNew: boolean) =>
  [
    ["Check your email.", `Your tickets and a receipt ${isNew ? "are on their way" : "were sent"} to you.`],
    ["Save your QR codes.", "Download or print them. Each admits one person or one vehicle."],
    ["Bring a photo ID.", "Alcohol is only for ages 21 and over with valid ID."],
    ["Come on down.", `Gates open on ${dateText} at ${opensText}, rain or shine.`],
  ] as const;

/** After the first day: nothing is next once every ticket was used, or the festival is over. */
export function WhatsNext({ order }: { order: Order }) {
  const festival = useFestival();
  const now = serverNow();
  const isNew = isJustPaid(order, now);
  const isOver = order.status === "completed" || now > Date.parse(festival.endsAt);
  if (festival.status === "cancelled" || (isOver && !isNew)) return null;
  const steps = stepsOf(festival, isNew);
  return (
    <Card tone="ink" className="mt-12 print:hidden">
      <CardTitle>What&apos;s Next?</CardTitle>
      <ol className="mt-5 grid gap-6 sm:grid-cols-2 lg:grid-cols-4">
        {steps.map(([title, text], index) => (
          <li key={title} className="border-t-4 border-brisket pt-3">
            <span aria-hidden="true" className="display text-3xl text-brisket">
              {index + 1}
            </span>
            <p className="mt-1 leading-snug">
              <strong className="block">{title}</strong> {text}
            </p>
          </li>
        ))}
      </ol>
    </Card>
  );
}
