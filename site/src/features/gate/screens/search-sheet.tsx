// Finds people whose code cannot be read: on the server while it answers, in the phone's own list otherwise.
import { useEffect, useState, type FormEvent } from "react";
import type { GateEngine } from "../device/engine.ts";
import type { FoundPerson, GateSnapshot } from "../device/snapshot.ts";
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
  const wanted = text.trim();
  const found = useFound(engine, wanted);

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!ENTRY_CODE.test(wanted)) return;
    onClose();
    onCode(wanted);
  }

  return (
    <Sheet title="Search" onClose={onClose}>
      <form role="search" onSubmit={submit}>
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
        {foundWords(wanted, found, gate.offlineSince !== undefined)}
      </p>
      <ul className="gate-people">
        {found?.people.map((person) => (
          <Person
            key={person.row.id}
            person={person}
            now={engine.now()}
            admitWord={action === "out" ? "Let out" : "Admit"}
            onAdmit={() => onAdmit(person.row)}
          />
        ))}
      </ul>
    </Sheet>
  );
}

interface Found {
  readonly text: string;
  readonly people: readonly FoundPerson[];
}

/** Undefined until something was looked up for what is wanted. */
function useFound(engine: GateEngine, wanted: string): Found | undefined {
  const [found, setFound] = useState<Found>();
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
  return wanted.length < SHORTEST_SEARCH ? undefined : found;
}

function foundWords(wanted: string, found: Found | undefined, isOffline: boolean): string {
  if (wanted.length < SHORTEST_SEARCH) return `Type at least ${SHORTEST_SEARCH} characters.`;
  if (!found) return "Searching…";
  const { length } = found.people;
  if (length === 0) return `Nobody found for “${found.text}”.`;
  return isOffline ? `${length} found in this phone’s list` : `${length} found`;
}

interface PersonProps {
  person: FoundPerson;
  now: number;
  admitWord: string;
  onAdmit: () => void;
}

function Person({ person: { row, type }, now, admitWord, onAdmit }: PersonProps) {
  return (
    <li>
      <div>
        <strong>{row.name || "No name"}</strong>
        <span>{type}</span>
        <small>{row.email}</small>
        <small>
          Order {row.order} · …{row.id.slice(-6)}
        </small>
        <PersonState row={row} now={now} />
      </div>
      {!row.is_void && (
        <button type="button" className="gate-button" data-main onClick={onAdmit}>
          {admitWord}
          <span className="sr-only"> {row.name}</span>
        </button>
      )}
    </li>
  );
}

function PersonState({ row, now }: { row: BookRow; now: number }) {
  if (row.is_void) return <em data-tone="stop">Void</em>;
  if (row.admitted_at !== null) return <em data-tone="stop">In since {whenOf(row.admitted_at, now)}</em>;
  return <em data-tone="go">Not in yet</em>;
}
