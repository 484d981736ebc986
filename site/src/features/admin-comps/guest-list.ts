// Parses a pasted guest list: names and addresses, a guest or several on each line. Problems are reported line by line, and nobody gets
// a name or an address that may be another guest's. The database checks the list again.
import { doorLimits } from "contract/door";
import { attendeeSchema } from "contract/schemas";

export interface Guest {
  name: string;
  email: string;
}

export interface GuestLine {
  /** Counted from 1 as pasted. Empty lines and headers are left out. */
  line: number;
  text: string;
  guest?: Guest;
  problem?: string;
  /** Worth a look, but does not block issuing. */
  note?: string;
}

/** What stands between separators: "name", "address", or "both" as in "Ana Reyes <ana@people.test>". */
interface Cell {
  kind: "name" | "address" | "both";
  /** The name as written, parted at its commas: "Doe, Jane". */
  names: string[];
  email: string;
  text: string;
  /** The separator behind it. */
  end: string;
}

/** "Ana Reyes, ana@people.test", "Ana Reyes <ana@people.test>", recipients copied from a mail, or the columns of a spreadsheet. */
export function readGuests(pasted: string): GuestLine[] {
  const seen = new Map<string, number>();
  let isLastFirst: boolean | undefined;
  const found: GuestLine[] = [];
  for (const [index, row] of pasted.split(/\r?\n/).entries()) {
    const cells = cellsOf(row);
    if (isHeader(cells)) {
      isLastFirst = namesLastFirst(cells);
      continue;
    }
    for (const group of guestsOf(cells)) {
      const read = readGuest(group, isLastFirst);
      const line = index + 1;
      const key = read.guest?.email.toLowerCase();
      const before = key === undefined ? undefined : seen.get(key);
      if (key !== undefined) seen.set(key, before ?? line);
      found.push({ line, ...read, ...(before && { note: `Same email as line ${before}` }) });
    }
  }
  return found;
}

/** Separators count outside quotes and <>. A quote that is not closed is an ordinary character. */
const cellPattern = /[^\S\t]*(?:"((?:[^"\\]|\\.|"")*)")?((?:<[^<>]*>|[^,;\t])*)([,;\t]|$)/g;

function cellsOf(row: string): Cell[] {
  return [...row.matchAll(cellPattern)].flatMap(([, quoted, rest = "", end = ""]) => {
    const words = [quoted?.replaceAll(/\\(.)|"/g, "$1"), rest].filter(Boolean).join(" ").trim();
    return words === "" ? [] : { ...cellOf(words), text: words, end };
  });
}

function cellOf(words: string): Pick<Cell, "kind" | "names" | "email"> {
  const [, before = "", inBrackets, after = ""] = /^([^<]*)<\s*(\S+@[^\s>]+)\s*>(.*)$/.exec(words) ?? [];
  const [, wordsBefore = "", plain, wordsAfter = ""] =
    /^(?:(.*?)\s+)?([^\s@]+@\S+)(?:\s+(.*))?$/.exec(words.replaceAll(/[<>]/g, " ").trim()) ?? [];
  const email = inBrackets ?? plain ?? "";
  const name =
    inBrackets === undefined
      ? plain === undefined
        ? words
        : `${wordsBefore} ${wordsAfter}`
      : `${before} ${after}`;
  const names = name
    .replaceAll('"', "")
    .split(",")
    .map((part) => part.trim().replace(/^'(.*)'$/, "$1"))
    .filter(Boolean);
  return { kind: email === "" ? "name" : names.length > 0 ? "both" : "address", names, email };
}

const isEmailTitle = ({ text }: Cell) => /^e-?mails?( address(es)?)?$/i.test(text);
const isHeader = (cells: readonly Cell[]): boolean =>
  cells.some(isEmailTitle) &&
  cells.some(({ text }) => /\bnames?\b|^(guests?|attendees?|first|last)$/i.test(text));

/** Whether a header says that the last name comes first; undefined if it has one column of names. */
function namesLastFirst(cells: readonly Cell[]): boolean | undefined {
  const first = cells.findIndex(({ text }) => /^(first|given)\b/i.test(text));
  const last = cells.findIndex(({ text }) => /^(last|family|sur)/i.test(text));
  return first < 0 || last < 0 ? undefined : last < first;
}

interface Group {
  names: Cell[];
  /** The cell with the address. */
  addressed?: Cell;
}

/** A name belongs to the address behind it, unless each address of the row is followed by its name. */
function guestsOf(cells: readonly Cell[]): Group[] {
  const groups: Group[] = [];
  const isAddressFirst = /^(address,name,(name,)?)+$/.test(cells.map(({ kind }) => `${kind},`).join(""));
  let names: Cell[] = [];
  for (const cell of cells) {
    if (cell.kind === "name") names.push(cell);
    else {
      if (isAddressFirst) names = [];
      groups.push({ names, addressed: cell });
      if (!isAddressFirst) names = [];
    }
  }
  if (!isAddressFirst && names.length > 0) groups.push({ names });
  return groups;
}

/** Without an @ between two words, it was not read as an address: "zed(at)people.test". */
const meantAsAddress = /@|[([]at[)\]]|^\S+\.[a-z]{2,}$/i;

function readGuest({ names, addressed }: Group, isLastFirst: boolean | undefined): Omit<GuestLine, "line"> {
  const text = [...names, ...(addressed ? [addressed] : [])].map((cell) => cell.text).join(", ");
  if (!addressed) {
    const isAddressed = names.some((cell) => meantAsAddress.test(cell.text));
    return { text, problem: isAddressed ? "Valid email is required" : "Email is missing" };
  }
  const name = nameIn(addressed.kind === "both" ? [...names, addressed] : names, isLastFirst);
  if (name === undefined) return { text, problem: "Two names for one email" };
  const guest = { name, email: addressed.email };
  const checked = attendeeSchema.safeParse(guest);
  if (!checked.success) return { text, problem: checked.error.issues[0]!.message };
  if (name.includes("@")) return { text, problem: "A name cannot contain @" };
  return { text, guest };
}

const suffix = /^(jr|sr|ii|iii|iv|md|m\.d|phd|ph\.d|esq|inc|llc|ltd)\.?$/i;

/** "Jane Doe" of "Doe, Jane", in one cell or two; undefined when these may be two people's names. */
function nameIn(cells: readonly Cell[], isLastFirst: boolean | undefined): string | undefined {
  const all = cells.flatMap(({ names }) => names);
  const parts = all.filter((part) => !suffix.test(part));
  const isOneCell = cells.length < 2;
  const areWhole = parts.length === 2 && parts.every((part) => part.includes(" "));
  if (
    parts.length > 2 ||
    (!isOneCell && (cells[0]!.end === ";" || (isLastFirst === undefined && areWhole)))
  ) {
    return undefined;
  }
  const isTurned = parts.length === 2 && (isOneCell || (isLastFirst ?? cells[0]!.end === ","));
  return [...(isTurned ? parts.toReversed() : parts), ...all.filter((part) => suffix.test(part))].join(" ");
}

/** What is wrong with the one guest, by field. */
export function guestProblems({ name, email }: Guest): Partial<Guest> {
  const issues = attendeeSchema.safeParse({ name, email: email.trim() }).error?.issues ?? [];
  return Object.fromEntries(issues.toReversed().map(({ path, message }) => [path[0], message]));
}

/** Why the list cannot be issued, or undefined. */
export function listProblem(lines: readonly GuestLine[]): string | undefined {
  const bad = [...new Set(lines.filter(({ problem }) => problem).map(({ line }) => line))];
  if (lines.length === 0) return "Add at least one guest.";
  if (bad.length > 0) {
    const shown = bad.slice(0, 5).join(", ");
    return `Fix ${bad.length === 1 ? "line" : "lines"} ${shown}${bad.length > 5 ? " and more" : ""} first. No comps were issued.`;
  }
  if (lines.length > doorLimits.guests) {
    return `Limit: ${doorLimits.guests} guests per list. This one has ${lines.length}.`;
  }
  return undefined;
}
