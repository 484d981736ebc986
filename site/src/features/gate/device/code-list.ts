// The list of codes on the device: what the server sent, overlaid with what this device has done since.
import type { BookRow } from "../rules/decide.ts";

export interface CodeList {
  /** Where the list ends; opaque (contract/gate). */
  upto: string | undefined;
  get: (codeId: string) => BookRow | undefined;
  rows: () => Iterable<BookRow>;
  size: () => number;
  /** The codes of an order, by the number it is shown with. */
  ofOrder: (order: string) => Iterable<BookRow>;
  keep: (row: BookRow) => void;
  /** Stores a row that this device has changed. */
  change: (row: BookRow) => void;
  /** Call it before requesting a page: what the device changes from now on is newer than that page. */
  beginPage: () => number;
  /** Returns the current rows. `waiting` has the codes whose scans the server does not have yet. */
  takePage: (page: CodePage, asked: number, waiting: ReadonlySet<string>) => BookRow[];
  clear: () => void;
}

interface CodePage {
  readonly rows: readonly BookRow[];
  readonly reset: boolean;
  readonly upto: string;
}

export function createCodeList(): CodeList {
  const rows = new Map<string, BookRow>();
  const idsOfOrder = new Map<string, string[]>();
  /**
   * Codes this device changed, with the turn in which it did: a page requested earlier does not include the
   * change.
   */
  const touched = new Map<string, number>();
  let turn = 0;

  function put(row: BookRow) {
    if (rows.get(row.id)?.order !== row.order) {
      const ids = idsOfOrder.get(row.order);
      if (ids) ids.push(row.id);
      else idsOfOrder.set(row.order, [row.id]);
    }
    rows.set(row.id, row);
  }

  /** Keep rows of waiting codes: a later page of the whole list merges with them. */
  function startAnew(waiting: ReadonlySet<string>) {
    const kept = [...rows.values()].filter(({ id }) => waiting.has(id));
    rows.clear();
    idsOfOrder.clear();
    for (const row of kept) put(row);
  }

  function* ofOrder(order: string) {
    for (const id of idsOfOrder.get(order) ?? []) {
      const row = rows.get(id);
      if (row?.order === order) yield row;
    }
  }

  const list: CodeList = {
    upto: undefined,
    get: (codeId) => rows.get(codeId),
    rows: () => rows.values(),
    size: () => rows.size,
    ofOrder,
    keep: put,
    change(row) {
      touched.set(row.id, ++turn);
      put(row);
    },
    beginPage: () => ++turn,
    takePage(page, asked, waiting) {
      const own = (row: BookRow) =>
        waiting.has(row.id) || (touched.get(row.id) ?? 0) > asked ? rows.get(row.id) : undefined;
      const fresh = page.rows.map((row) => withOwn(withDevice(row, rows.get(row.id)), own(row)));
      for (const { id } of page.rows) if ((touched.get(id) ?? 0) <= asked) touched.delete(id);
      if (page.reset) startAnew(waiting);
      for (const row of fresh) list.keep(row);
      list.upto = page.upto;
      return fresh;
    },
    clear() {
      rows.clear();
      idsOfOrder.clear();
      list.upto = undefined;
    },
  };
  return list;
}

/** Two timestamps of one admission: by the server's clock, and by this device's corrected clock. */
const SAME_WAY_IN_MS = 10_000;

/** The list names only the entrance. This device remembers which device it was. */
function withDevice(row: BookRow, known: BookRow | undefined): BookRow {
  if (row.admitted_at === null || known?.admitted_at == null || !known.device) return row;
  const isSame =
    row.entrance_id === known.entrance_id && Math.abs(row.admitted_at - known.admitted_at) < SAME_WAY_IN_MS;
  return isSame ? { ...row, device: known.device } : row;
}

/** The server's row, with the presence that this device knows better. */
function withOwn(row: BookRow, own: BookRow | undefined): BookRow {
  if (!own) return row;
  return {
    ...row,
    admitted_at: own.admitted_at,
    last_in_at: own.last_in_at ?? null,
    entrance_id: own.entrance_id,
    device: own.device ?? null,
  };
}
