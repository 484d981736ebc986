// Finds people whose code cannot be read: on the server while it responds, otherwise in the device's own list.
import { useEffect, useEffectEvent, useRef, useState, type FormEvent } from "react";
import { EmailText } from "#ui/basics/email-text.tsx";
import type { GateEngine } from "../device/engine.ts";
import type { FoundPerson, GateSnapshot, Undoable } from "../device/snapshot.ts";
import type { BookRow } from "../rules/decide.ts";
import { isOurs } from "../rules/entry-code.ts";
import { SHORTEST_SEARCH } from "../rules/find.ts";
import { type Readings, SILENCE_MS } from "../rules/keyboard-code.ts";
import { explain, whenOf, wordsOf } from "../rules/words.ts";
import { Sheet } from "./sheet.tsx";
import { useScannerInField } from "./use-keyboard-scanner.ts";

interface SearchSheetProps {
  engine: GateEngine;
  gate: GateSnapshot;
  action: "in" | "out";
  text: string;
  onText: (text: string) => void;
  onClose: () => void;
  onAdmit: (row: BookRow) => void;
  onUndo: (what: Undoable) => void;
  /** A keyboard scanner typed a whole code into the field. */
  onCode: (readings: Readings) => void;
}

const PAUSE_MS = 200;

export function SearchSheet(props: SearchSheetProps) {
  const { engine, gate, action, text, onText, onClose, onAdmit, onUndo, onCode } = props;
  const wanted = text.trim();
  const found = useFound(engine, wanted, action);
  // Results of the previous text stay visible, but no one is let in from them.
  const isOld = found !== undefined && found.text !== wanted;

  function submit(event: FormEvent) {
    event.preventDefault();
    if (isOurs(wanted)) scan();
  }

  const isScanned = useRef(false);
  function scan(readings: Readings = [wanted]) {
    if (isScanned.current) return; // as typed keys or as the field's text, whichever is first
    isScanned.current = true;
    onClose();
    onCode(readings);
  }
  const field = useRef<HTMLInputElement>(null);
  useScannerInField(field, scan);
  // A code that was pasted.
  const isCode = isOurs(wanted);
  const scanNow = useEffectEvent(scan);
  useEffect(() => {
    if (!isCode) return;
    const timer = setTimeout(() => scanNow(), SILENCE_MS);
    return () => clearTimeout(timer);
  }, [isCode]);

  return (
    <Sheet title="Search" onClose={onClose}>
      <form role="search" onSubmit={submit}>
        <label className="gate-field">
          Name, email, order or ticket number
          <input
            ref={field}
            data-first
            type="search"
            value={text}
            onChange={(event) => onText(event.target.value)}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
          />
        </label>
      </form>
      <p className="gate-hint" role="status">
        {foundWords(wanted, isOld ? undefined : found, gate.offlineSince !== undefined)}
      </p>
      <ul className="gate-people" aria-label="Found" inert={isOld}>
        {found?.people.map((person) => (
          <Person
            key={person.row.id}
            person={person}
            now={engine.now()}
            action={action}
            onAdmit={() => onAdmit(person.row)}
            onUndo={onUndo}
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

/** Undefined until the first search, then the last results. */
function useFound(engine: GateEngine, wanted: string, action: "in" | "out"): Found | undefined {
  const [found, setFound] = useState<Found>();
  useEffect(() => {
    if (wanted.length < SHORTEST_SEARCH || isOurs(wanted)) return;
    let left = false;
    const timer = setTimeout(() => {
      void engine.find(wanted, action).then((people) => {
        if (!left) setFound({ text: wanted, people });
      });
    }, PAUSE_MS);
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [engine, wanted, action]);
  return wanted.length < SHORTEST_SEARCH ? undefined : found;
}

function foundWords(wanted: string, found: Found | undefined, isOffline: boolean): string {
  if (wanted.length < SHORTEST_SEARCH) return `Enter at least ${SHORTEST_SEARCH} characters.`;
  if (!found) return "Searching…";
  const { length } = found.people;
  if (length === 0) return `No results for “${found.text}”.`;
  return isOffline ? `${length} found in this phone’s list` : `${length} found`;
}

interface PersonProps {
  person: FoundPerson;
  now: number;
  action: "in" | "out";
  onAdmit: () => void;
  onUndo: (what: Undoable) => void;
}

/** Offers what a scan would allow: a person who may not come in here gets no button that would fail. */
function Person({ person, now, action, onAdmit, onUndo }: PersonProps) {
  const { row, type, would } = person;
  const name = <span className="sr-only"> {row.name}</span>;
  const undo = undoOf(person);
  return (
    <li>
      <div>
        <strong>{row.name || "No name"}</strong>
        <span>{type}</span>
        <small>
          <EmailText>{row.email}</EmailText>
        </small>
        <small>
          Order {row.order} · #{row.id.slice(0, 8)}
        </small>
        <PersonState person={person} now={now} />
      </div>
      <div className="gate-row-buttons">
        {(would.result === "admitted" || would.result === "let_out") && (
          <button type="button" className="gate-button" data-main onClick={onAdmit}>
            {action === "out" ? "Let out" : "Admit"}
            {name}
          </button>
        )}
        {undo && (
          <button type="button" className="gate-button" onClick={() => onUndo(undo)}>
            {undo.since === undefined ? "Undo" : "Undo out"}
            {name}
          </button>
        )}
      </div>
    </li>
  );
}

function undoOf({ row, admissionId, out }: FoundPerson): Undoable | undefined {
  const { id: codeId, name } = row;
  if (row.admitted_at !== null) return { codeId, undoes: admissionId, name };
  return out && { codeId, undoes: out.id, name, since: out.since };
}

function PersonState({ person: { row, would, out }, now }: { person: FoundPerson; now: number }) {
  if (row.is_void) return <em data-tone="stop">No longer valid</em>;
  if (row.admitted_at !== null) return <em data-tone="stop">Admitted {whenOf(row.admitted_at, now)}</em>;
  if (would.result === "admitted" || would.result === "not_inside")
    return <em data-tone="go">{out ? "Went out" : "Not admitted yet"}</em>;
  return <em data-tone="wait">{explain(would, now) ?? wordsOf(would).word}</em>;
}
