// The grammar of `select=`: columns with alias, JSON path and cast, embedded resources with hint and join, spreads.
import type { Cursor } from "./cursor.ts";
import { read } from "./cursor.ts";
import { noAggregates } from "../errors.ts";
import { field, fieldName, identifier, type Field } from "./names.ts";

export interface SelectColumn {
  readonly kind: "column";
  /** The name is `*` for all columns. */
  readonly field: Field;
  readonly cast: string | undefined;
  readonly alias: string | undefined;
}

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

/** Throws PGRST100, and PGRST123 for an aggregate function, which PostgREST has switched off by default. */
export const parseSelect = (text: string): SelectItem[] =>
  read("select parameter", text, (cursor) => {
    const found = items(cursor);
    if (!cursor.done) cursor.fail('expecting "," or end of input');
    return found;
  });

function items(cursor: Cursor): SelectItem[] {
  cursor.skipBlanks();
  if (cursor.done || cursor.startsWith(")")) return [];
  return cursor.separated(",", () => {
    cursor.skipBlanks();
    return relation(cursor) ?? column(cursor);
  });
}

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
  // `count()` looks like an embedded resource without columns; the field it would aggregate over is the whole row.
  if (head.name === "count" && !head.spread && cursor.startsWith(")")) throw noAggregates();
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

function column(cursor: Cursor): SelectColumn {
  if (cursor.accept("*")) {
    end(cursor);
    return { kind: "column", field: { name: "*", path: [] }, cast: undefined, alias: undefined };
  }
  const alias = aliasPrefix(cursor);
  const selected = field(cursor);
  const cast = cursor.accept("::") ? identifier(cursor) : undefined;
  if (cursor.take(/\.(?:sum|avg|min|max|count)\(\)/y)) throw noAggregates();
  end(cursor);
  return { kind: "column", field: selected, cast, alias };
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
