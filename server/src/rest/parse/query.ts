// The whole query string: what each parameter is. Owns the reserved names. Hides that filters, orders and limits may
// carry the path of an embedded resource.
import { read, type Cursor } from "./cursor.ts";
import {
  looksLikeFilter,
  parseFilter,
  parseLogic,
  type Condition,
  type Filter,
  type Located,
} from "./filter.ts";
import { fieldName, treePath } from "./names.ts";
import { parseOrder, type OrderTerm } from "./order.ts";
import { parseRange, type Range } from "./range.ts";
import { parseSelect, type SelectItem } from "./select.ts";

export interface Query {
  readonly select: readonly SelectItem[];
  readonly filters: readonly Located<Filter>[];
  readonly logic: readonly Located<Condition>[];
  readonly orders: readonly Located<readonly OrderTerm[]>[];
  readonly ranges: readonly Located<Range>[];
  /** `columns=` of a bulk insert: which keys of the payload count. */
  readonly columns: readonly string[] | undefined;
  readonly onConflict: readonly string[] | undefined;
  /** A function's arguments in a call by GET. */
  readonly args: readonly (readonly [name: string, value: string])[];
}

/** `isCall`: parameters that are not filters are arguments of the function. Throws PGRST100, PGRST103, PGRST123. */
export function parseQuery(search: string, isCall: boolean): Query {
  // A name without "=" is ignored.
  const given = search
    .replace(/^\?/, "")
    .split("&")
    .filter((part) => part.includes("="));
  const parameters = [...new URLSearchParams(given.join("&"))];
  const reserved = (name: string) => parameters.find(([key]) => key === name)?.[1];
  const free = parameters.filter(([key]) => !["select", "columns", "on_conflict"].includes(key));
  const ending = (...words: string[]) => free.filter(([key]) => words.includes(lastWord(key)));
  const others = free.filter(([key]) => !["order", "limit", "offset", "and", "or"].includes(lastWord(key)));
  const isArgument = ([key, value]: readonly [string, string]) =>
    isCall && !key.includes(".") && !looksLikeFilter(value);

  return {
    select: parseSelect(reserved("select") || "*"),
    filters: others.filter((one) => !isArgument(one)).map(([key, value]) => parseFilter(key, value)),
    logic: ending("and", "or").map(([key, value]) => parseLogic(key, value)),
    orders: ending("order").map(([key, value]) => parseOrder(key, value)),
    ranges: parseRanges(ending("limit", "offset")),
    columns: optional(reserved("columns"), (text) => read("columns parameter", text, names)),
    onConflict: optional(reserved("on_conflict"), (text) => read("on_conflict parameter", text, names)),
    args: others.filter(isArgument),
  };
}

const lastWord = (key: string) => key.split(".").at(-1)!;

const optional = <T, R>(value: T | undefined, then: (value: T) => R): R | undefined =>
  value === undefined ? undefined : then(value);

const names = (cursor: Cursor): string[] =>
  cursor.separated(",", () => {
    const name = fieldName(cursor);
    cursor.skipBlanks();
    return name;
  });

function parseRanges(parameters: readonly (readonly [string, string])[]): Located<Range>[] {
  const byEmbed = new Map<string, { embed: string[]; limit?: string; offset?: string }>();
  for (const [key, value] of parameters) {
    const { embed } = read("tree path", key, treePath);
    const path = JSON.stringify(embed);
    byEmbed.set(path, { ...byEmbed.get(path), embed, [lastWord(key)]: value });
  }
  return [...byEmbed.values()].map(({ embed, limit, offset }) => ({
    embed,
    part: parseRange(limit, offset),
  }));
}
