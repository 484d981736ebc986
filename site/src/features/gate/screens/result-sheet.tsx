// The result, as large as the screen: color, shape and word, then who and why. A press anywhere but on Undo leads to the
// next scan.
import { useEffect, useRef } from "react";
import type { Shown } from "../device/snapshot.ts";
import { ResultShape } from "../icons.tsx";
import { explain, includesOf, wordsOf } from "../rules/words.ts";

interface ResultSheetProps {
  shown: Shown;
  onNext: () => void;
  onUndo: () => void;
}

const undoable: ReadonlySet<string> = new Set(["admitted", "let_out", "already_in"]);

export function ResultSheet({ shown, onNext, onUndo }: ResultSheetProps) {
  const { verdict, codeId } = shown;
  const { result, person } = verdict;
  const { word, tone } = wordsOf(verdict);
  const isExpress = result === "admitted" && person?.is_vip;
  const includes = result === "admitted" ? includesOf(person) : undefined;
  // As it was at the scan: words that change inside an alert are read out again.
  const why = explain(verdict, shown.at);
  const next = useRef<HTMLButtonElement>(null);
  useEffect(() => next.current?.focus({ preventScroll: true }), []); // Enter and Space continue
  return (
    <section className="gate-result" data-tone={tone} data-result={result} aria-label="Result">
      <div className="gate-answer" role="alert">
        <div className="gate-verdict">
          <ResultShape tone={tone} />
          <p
            className="gate-result-word"
            data-long={/\w{7}/.test(word) || undefined}
            data-words={word.includes(" ") || undefined}
          >
            {word}
          </p>
          {includes && (
            <p className="gate-includes" data-vip={isExpress || undefined}>
              {includes}
            </p>
          )}
        </div>
        <div className="gate-about">
          {why && <p className="gate-why">{why}</p>}
          {person && (
            <div className="gate-person">
              {person.name && <strong>{person.name}</strong>}
              <span>{person.type}</span>
              {person.plate && <span>Plate {person.plate}</span>}
              <small>
                {person.order && `Order ${person.order} · `}#{person.code}
              </small>
            </div>
          )}
          {result === "admitted" && person && !person.name && (
            <p className="gate-why">Sold after this phone’s list was downloaded.</p>
          )}
          {shown.alone && result !== "unknown" && <p className="gate-alone">Decided on this phone</p>}
        </div>
      </div>
      <div className="gate-result-bar">
        {codeId && undoable.has(result) && (
          <button type="button" className="gate-button" onClick={onUndo}>
            Undo
          </button>
        )}
        <button ref={next} type="button" className="gate-button" data-main onClick={onNext}>
          Next
        </button>
      </div>
    </section>
  );
}
