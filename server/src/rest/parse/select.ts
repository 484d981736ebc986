// The grammar of `select=`: columns with alias, JSON path and cast, embedded resources with hint and join, spreads.
import { type Cursor, ParseFailure, read } from "./cursor.ts";
import { field, fieldName, identifier, type Field } from "./names.ts";

export interface SelectColumn {
  readonly kind: "column";
  /** The name is `*` for all columns. */
  readonly field: Field;
  readonly cast: string | undefined;
  readonly alias: string | undefined;
  /** `amount.sum()`; `count()` counts rows, and its field is `*`. */
  readonly aggregate: Aggregate | undefined;
}

export interface Aggregate {
  readonly function: (typeof AGGREGATES)[number];
  /** Cast of the aggregate's result. */
  readonly cast: string | undefined;
}

const AGGREGATES = ["sum", "avg", "min", "max", "count"] as const;

export interface SelectRelation {
  readonly kind: "relation";
  readonly name: string;
  readonly alias: string | undefined;
  readonly hint: string | undefined;
  readonly join: "inner" | "left" | undefined;
  /** `...name(columns)`: the columns become the parent's. */
  readonly spread: boolean;
  readonly items: readonly SelectItem[];
}

export type SelectItem = SelectColumn | SelectRelation;

/** Throws PGRST100. Like PostgREST, it reads as far as there are items, and no items means all columns. */
export function parseSelect(text: string): SelectItem[] {
  const found = read("select parameter", text, items);
  return found.length > 0 ? found : [ALL_COLUMNS];
}

const ALL_COLUMNS: SelectColumn = {
  kind: "column",
  field: { name: "*", path: [] },
  cast: undefined,
  alias: undefined,
  aggregate: undefined,
};

function items(cursor: Cursor): SelectItem[] {
  cursor.skipBlanks();
  const start = cursor.position;
  try {
    return cursor.separated(",", () => {
      cursor.skipBlanks();
      const item = star(cursor) ?? countOfRows(cursor) ?? relation(cursor) ?? column(cursor);
      cursor.part("columns and embedded resources");
      return item;
    });
  } catch (error) {
    if (error instanceof ParseFailure && error.position === start) return [];
    throw error;
  }
}

const star = (cursor: Cursor): SelectColumn | undefined =>
  cursor.attempt(() => {
    cursor.expect("*");
    end(cursor);
    return ALL_COLUMNS;
  });

function relation(cursor: Cursor): SelectRelation | undefined {
  const head = cursor.attempt(() => {
    const spread = cursor.accept("...");
    const alias = spread ? undefined : aliasPrefix(cursor);
    const name = fieldName(cursor);
    const params = embedParams(cursor);
    cursor.skipBlanks();
    cursor.expect("(");
    return { kind: "relation", spread, alias, name, ...params } as const;
  });
  if (head === undefined) return undefined;
  const children = cursor.nested(() => items(cursor));
  cursor.expect(")");
  return { ...head, items: children };
}

/** `!hint`, `!inner`, `!left`: at most one hint and one join, in any order. */
function embedParams(cursor: Cursor): Pick<SelectRelation, "hint" | "join"> {
  let hint: string | undefined;
  let join: SelectRelation["join"];
  for (let count = 0; count < 2 && cursor.accept("!"); count++) {
    if (cursor.accept("left")) join ??= "left";
    else if (cursor.accept("inner")) join ??= "inner";
    else hint ??= fieldName(cursor);
  }
  return { hint, join };
}

/** Without this rule, `count()` would be an embedded resource without columns. */
const countOfRows = (cursor: Cursor): SelectColumn | undefined =>
  cursor.attempt(() => {
    const alias = aliasPrefix(cursor);
    cursor.expect("count()");
    const aggregate = { function: "count", cast: castSuffix(cursor) } as const;
    end(cursor);
    return { kind: "column", field: { name: "*", path: [] }, cast: undefined, alias, aggregate };
  });

function column(cursor: Cursor): SelectColumn {
  const alias = aliasPrefix(cursor);
  const selected = field(cursor);
  const cast = castSuffix(cursor);
  const aggregate = aggregateSuffix(cursor);
  end(cursor);
  return { kind: "column", field: selected, cast, alias, aggregate };
}

const castSuffix = (cursor: Cursor): string | undefined =>
  cursor.accept("::") ? identifier(cursor) : undefined;

function aggregateSuffix(cursor: Cursor): Aggregate | undefined {
  if (!cursor.accept(".")) return undefined;
  const name = AGGREGATES.find((one) => cursor.accept(`${one}()`));
  if (name === undefined) cursor.fail('expecting "sum()", "avg()", "count()", "max()" or "min()"');
  return { function: name, cast: castSuffix(cursor) };
}

const aliasPrefix = (cursor: Cursor): string | undefined =>
  cursor.attempt(() => {
    const name = fieldName(cursor);
    if (!cursor.take(/:(?!:)/y)) cursor.fail('expecting ":"');
    return name;
  });

function end(cursor: Cursor): void {
  cursor.skipBlanks();
  if (!cursor.done && !cursor.startsWith(",") && !cursor.startsWith(")")) {
    cursor.fail('expecting "->", "::", ")", "," or end of input');
  }
}
