// The payload of `broadcast_stock`, and how it changes rows that were read before.

export interface PushedStock {
  /** The counters of the visible items, by id. */
  readonly left: Readonly<Record<string, Partial<Counters>>>;
  /** The sum of the versions of the visible items. Edits raise it, sales do not. */
  readonly versions: number;
}

interface Counters {
  readonly current_inventory: number;
  readonly waiting?: number;
}

export interface StockRow extends Counters {
  readonly id: string;
  readonly version: number;
  readonly is_hidden: boolean;
}

/** Undefined for anything else. */
export function pushedStockOf(payload: unknown): PushedStock | undefined {
  const { left, versions } = (payload ?? {}) as Partial<PushedStock>;
  const isStock =
    typeof versions === "number" &&
    typeof left === "object" &&
    left !== null &&
    Object.values(left).every((units) => Number.isInteger(units?.current_inventory));
  return isStock ? { left, versions } : undefined;
}

export const withStock = <R extends StockRow>(rows: readonly R[], { left }: PushedStock): R[] =>
  rows.map((row) => ({ ...row, ...left[row.id] }));

/** Whether a visible item was added, changed or hidden since the rows were read. */
export function isEdited(rows: readonly StockRow[], { left, versions }: PushedStock): boolean {
  const shown = rows.filter(({ is_hidden }) => !is_hidden);
  return (
    shown.length !== Object.keys(left).length ||
    shown.reduce((sum, { version }) => sum + version, 0) !== versions
  );
}
