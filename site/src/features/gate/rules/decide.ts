// The verdict of a scan, from the lists on the device alone. SQL's scan_in applies the same rules in the same order, which
// supabase/tests/gate/same-rules.test.ts compares.
import {
  entranceAdmits,
  type CodeRefusal,
  type GateEntrance,
  type GateListRow,
  type GateOpened,
  type GatePerson,
  type GateScanAnswer,
} from "contract/gate";

/** The result to show, decided here or by the server: its response without the scan's id. */
export type Verdict = Omit<GateScanAnswer, "id">;

/** Why a gate is closed: the festival is cancelled and admits no one. */
export const CANCELLED = "cancelled";

/**
 * A row of the list. `device` is known for people this device let in. People found by search may lack `transferred_issue` and
 * `last_scan`, and rows that a device stored before they existed lack `last_in_at`, `is_included` and `last_scan`.
 */
export interface BookRow extends Omit<GateListRow, Later> {
  device?: string | null;
  transferred_issue?: number | null;
  last_in_at?: number | null;
  is_included?: boolean;
  last_scan?: string | null;
}

type Later = "transferred_issue" | "last_in_at" | "is_included" | "last_scan";

export interface Books {
  readonly row: (id: string) => BookRow | undefined;
  /** The codes of an order. */
  readonly ofOrder: (order: string) => Iterable<BookRow>;
  readonly types: GateOpened["types"];
  readonly entrances: readonly GateEntrance[];
  readonly entranceId: string | null;
  readonly settings: GateOpened["settings"];
}

export interface Look {
  readonly action: "in" | "out";
  readonly codeId: string;
  /** From the code; null when the person was found by search. */
  readonly issueNumber: number | null;
  /** From the code: the type of a ticket that was sold after the list was made. */
  readonly typeId: string;
}

export function decide(look: Look, books: Books, now: number): Verdict {
  const row = books.row(look.codeId);
  const unsure = row && isNewer(look.issueNumber, row) ? { name: "", includes_parking: false } : {};
  const person = row && { ...personOf(row, books), ...unsure };
  const known = person ? { person } : {};
  if (look.action === "out") {
    return { result: row && row.admitted_at === null ? "not_inside" : "let_out", ...known };
  }
  const refusal = codeRefusal(look, row, books, now);
  if (refusal === "void" || refusal === "old_code")
    return { ...known, ...refused(refusal, look, row, books) };
  const since = row && inSince(row, books.settings);
  if (row && since !== null && since !== undefined) {
    const entrance = books.entrances.find(({ id }) => id === row.entrance_id)?.name ?? null;
    return { ...known, result: "already_in", first: { at: since, entrance, device: row.device ?? null } };
  }
  if (refusal) return { ...known, ...refused(refusal, look, row, books) };
  // Signed by us but not in the list: sold after it was made.
  return {
    result: "admitted",
    person: person ?? personOf(rowOfCode(look, typeOf(look, row, books)?.kind), books),
  };
}

/** What is wrong with a code here and now, the most serious first. SQL's code_refusal has the same list in the same order. */
function codeRefusal(
  look: Look,
  row: BookRow | undefined,
  books: Books,
  now: number,
): CodeRefusal | undefined {
  if (row?.is_void) return "void";
  if (row && look.issueNumber !== null && look.issueNumber < row.issue_number) return "old_code";
  const { doors_open_at, doors_close_at, is_cancelled } = books.settings;
  if (is_cancelled) return "closed";
  if (doors_open_at !== null && now < doors_open_at) return "not_today";
  if (doors_close_at !== null && now >= doors_close_at) return "not_today";
  const here = books.entrances.find(({ id }) => id === books.entranceId);
  if (!here) return undefined;
  if (!here.is_open) return "closed";
  const type = typeOf(look, row, books);
  if (type && !entranceAdmits(here, type)) return "wrong_entrance";
  return undefined;
}

/** The refusal, with what else a gate shows of it. */
function refused(refusal: CodeRefusal, look: Look, row: BookRow | undefined, books: Books): Verdict {
  const { doors_open_at, doors_close_at, is_cancelled } = books.settings;
  // A person with an old code of a ticket that was passed on must not learn to whom.
  if (refusal === "old_code" && row && look.issueNumber! < (row.transferred_issue ?? 0))
    return { result: refusal, detail: "transferred", person: { ...personOf(row, books), name: "" } };
  if (refusal === "closed" && is_cancelled) return { result: refusal, detail: CANCELLED };
  if (refusal === "not_today") return { result: refusal, opens_at: doors_open_at, closes_at: doors_close_at };
  if (refusal !== "wrong_entrance") return { result: refusal };
  const type = typeOf(look, row, books)!;
  const admitting = books.entrances.filter((one) => one.is_open && entranceAdmits(one, type));
  return { result: refusal, entrances: admitting.map(({ name }) => name) };
}

const typeOf = ({ typeId }: Look, row: BookRow | undefined, { types }: Books) =>
  types.find(({ id }) => id === (row?.type_id ?? typeId));

/** A signed number is above the list's only if the list is older. Its name and parking may then be the former holder's. */
export const isNewer = (issueNumber: number | null, row: BookRow): boolean =>
  (issueNumber ?? 0) > row.issue_number;

/** Since when the holder counts as in; without re-entry, also one who has gone out. Null for one who may come in. */
const inSince = (row: BookRow, { reentry }: Books["settings"]): number | null =>
  row.admitted_at ?? (reentry ? null : (row.last_in_at ?? null));

function personOf(row: BookRow, books: Books): GatePerson {
  const type = books.types.find(({ id }) => id === row.type_id);
  return {
    kind: row.kind,
    name: row.name,
    type: type?.name ?? "Ticket",
    is_vip: type?.is_vip ?? false,
    includes_parking: includesParking(row, books),
    order: row.order,
    code: row.id.slice(0, 8),
    plate: row.plate,
  };
}

/**
 * Parking that comes with VIP is one pass per order: it is shown on the order's valid VIP ticket with the lowest id that was not
 * passed on, because it stays with the buyer. SQL's gate_person has the same rule.
 */
function includesParking(row: BookRow, { types, ofOrder }: Books): boolean {
  const mayShow = ({ type_id, is_void, transferred_issue }: BookRow) =>
    !is_void && !transferred_issue && types.some(({ id, is_vip }) => id === type_id && is_vip);
  if (!mayShow(row)) return false;
  const codes = [...ofOrder(row.order)];
  return (
    codes.some(({ is_included, is_void }) => is_included && !is_void) &&
    !codes.some((other) => other.id < row.id && mayShow(other))
  );
}

/** A row for a code that is not in the list, from the code itself. */
export function rowOfCode(
  { codeId, issueNumber, typeId }: Omit<Look, "action">,
  kind: BookRow["kind"] = "ticket",
): BookRow {
  return {
    id: codeId,
    kind,
    type_id: typeId,
    issue_number: issueNumber ?? 1,
    is_void: false,
    admitted_at: null,
    entrance_id: null,
    name: "",
    email: "",
    order: "",
    plate: null,
  };
}
