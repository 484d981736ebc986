import { formatCardNumber } from "./card-format.ts";

const cards = [
  ["4242424242424242", "Payment succeeds"],
  ["4000000000000002", "Card is declined"],
  ["4000002760003184", "Bank asks for 3-D Secure"],
  ["4000000000000077", "Succeeds some seconds later"],
] as const;

/** Test cards that fill in the form. */
export function TestCards({ onPick }: { onPick: (number: string) => void }) {
  return (
    <details className="mt-4 border-2 border-ink/25 p-3.5">
      <summary className="min-h-6 font-semibold">Test cards</summary>
      <ul className="mt-2">
        {cards.map(([number, effect]) => (
          <li key={number}>
            <button
              type="button"
              onClick={() => onPick(formatCardNumber(number))}
              className="flex min-h-11 w-full flex-wrap items-center justify-between gap-x-4 px-2 text-left hover:bg-paper-deep"
            >
              <span className="font-mono text-sm">{formatCardNumber(number)}</span>
              <span className="text-sm text-ink-soft">{effect}</span>
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}
