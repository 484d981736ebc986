import { WarningNote } from "#ui/page/warning-note.tsx";
import { insideText, type Entry } from "./refund-choice.ts";

/** Warns that a refund makes the tickets of people void who are inside already. */
export function InsideWarning({ entries }: { entries: readonly Entry[] }) {
  const text = insideText(entries);
  return (
    text && (
      <div className="mt-3">
        <WarningNote>{text}</WarningNote>
      </div>
    )
  );
}
