// Bounds how much one query string may request. PostgreSQL plans and runs whatever it is given, so anything far beyond what our
// clients send is refused before it gets there. The columns are counted while they are read.
import { tooMuchAsked } from "../errors.ts";
import { MAX_PARTS } from "./cursor.ts";
import type { Condition } from "./filter.ts";
import type { Query } from "./query.ts";
import type { SelectItem } from "./select.ts";

const MAX_EMBED_DEPTH = 5;

/** Throws PGRST100. */
export function checkBounds({ select, filters, logic, orders }: Query): void {
  if (depthOf(select) > MAX_EMBED_DEPTH) {
    throw tooMuchAsked(`Embedded resources may be nested ${MAX_EMBED_DEPTH} deep.`);
  }
  const parts = {
    filters: filters.length + count(logic, ({ part }) => countFilters(part)),
    "orders' columns": count(orders, ({ part }) => part.length),
  };
  for (const [what, found] of Object.entries(parts)) {
    if (found > MAX_PARTS) throw tooMuchAsked(`There may be ${MAX_PARTS} ${what}.`);
  }
}

const count = <T>(things: readonly T[], of: (thing: T) => number): number =>
  things.reduce((sum, thing) => sum + of(thing), 0);

const depthOf = (items: readonly SelectItem[]): number =>
  items.reduce(
    (deepest, item) => Math.max(deepest, item.kind === "relation" ? 1 + depthOf(item.items) : 0),
    0,
  );

const countFilters = (condition: Condition): number =>
  condition.kind === "group" ? count(condition.members, countFilters) : 1;
