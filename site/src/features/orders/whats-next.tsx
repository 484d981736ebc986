import { useFestival } from "#lib/festival/content.ts";
import { Card, CardTitle } from "#ui/page/card.tsx";

const stepsOf = ({ dateText, opensText }: ReturnType<typeof useFestival>) =>
  [
    ["Check your email.", "Your tickets and a receipt are on their way to you."],
    ["Save your QR codes.", "Download or print them: each admits one person or one vehicle."],
    ["Bring a photo ID.", "Alcohol is only for ages 21 and over with valid ID."],
    ["Come on down.", `Gates open on ${dateText} at ${opensText}, rain or shine.`],
  ] as const;

export function WhatsNext() {
  const festival = useFestival();
  if (festival.status === "cancelled") return null;
  const steps = stepsOf(festival);
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
