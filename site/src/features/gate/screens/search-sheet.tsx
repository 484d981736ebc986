// Finds people whose code cannot be read: on the server while it answers, in the phone's own list otherwise.
import { useEffect, useState } from "react";
import type { FoundPerson, GateEngine, GateSnapshot } from "../device/engine.ts";
import type { BookRow } from "../rules/decide.ts";
import { SHORTEST_SEARCH } from "../rules/find.ts";
import { whenOf } from "../rules/words.ts";
import { Sheet } from "./sheet.tsx";

interface SearchSheetProps {
  engine: GateEngine;
  gate: GateSnapshot;
  action: "in" | "out";
  onClose: () => void;
  onAdmit: (row: BookRow) => void;
  /** A keyboard scanner typed a whole code into the field. */
  onCode: (text: string) => void;
}

const PAUSE_MS = 200;
const ENTRY_CODE = /^[\w-]{40,}\.[\w-]{40,}$/;

export function SearchSheet({ engine, gate, action, onClose, onAdmit, onCode }: SearchSheetProps) {
  const [text, setText] = useState("");
  const [found, setFound] = useState<{ text: string; people: readonly FoundPerson[] }>();
  const wanted = text.trim();

  useEffect(() => {
    if (wanted.length < SHORTEST_SEARCH || ENTRY_CODE.test(wanted)) return;
    let left = false;
    const timer = setTimeout(() => {
      void engine.find(wanted).then((people) => {
        if (!left) setFound({ text: wanted, people });
      });
    }, PAUSE_MS);
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [engine, wanted]);

  const people = wanted.length < SHORTEST_SEARCH ? undefined : found;
  return (
    <Sheet title="Search" onClose={onClose}>
      <form
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          if (!ENTRY_CODE.test(wanted)) return;
          onClose();
          onCode(wanted);
        }}
      >
        <label className="gate-field">
          Name, email, order, or the last characters of the code
          <input
            type="search"
            value={text}
            onChange={(event) => setText(event.target.value)}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
          />
        </label>
      </form>
      <p className="gate-hint" role="status">
        {!people
          ? wanted.length < SHORTEST_SEARCH
            ? `Type at least ${SHORTEST_SEARCH} characters.`
            : "Searching…"
          : people.people.length === 0
            ? `Nobody found for “${people.text}”.`
            : gate.offlineSince === undefined
              ? `${people.people.length} found`
              : `${people.people.length} found in this phone’s list`}
      </p>
      <ul className="gate-people">
        {people?.people.map(({ row, type }) => (
          <li key={row.id}>
            <div>
              <strong>{row.name || "No name"}</strong>
              <span>{type}</span>
              <small>{row.email}</small>
              <small>
                Order {row.order} · …{row.id.slice(-6)}
              </small>
              <PersonState row={row} now={engine.now()} />
            </div>
            {!row.is_void && (
              <button type="button" className="gate-button" data-main onClick={() => onAdmit(row)}>
                {action === "out" ? "Let out" : "Admit"}
                <span className="sr-only"> {row.name}</span>
              </button>
            )}
          </li>
        ))}
      </ul>
    </Sheet>
  );
}

function PersonState({ row, now }: { row: BookRow; now: number }) {
  if (row.is_void) return <em data-tone="stop">Void</em>;
  if (row.admitted_at !== null) return <em data-tone="stop">In since {whenOf(row.admitted_at, now)}</em>;
  return <em data-tone="go">Not in yet</em>;
}
