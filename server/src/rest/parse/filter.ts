// The grammar of filters: `column=op.value`, and the trees under `and=` and `or=`.
import { hasBackReference } from "../../postgres/back-reference.ts";
import { noBackReferences } from "../errors.ts";
import { read, type Cursor } from "./cursor.ts";
import { field, fieldName, identifier, quoted, treePath, type Field } from "./names.ts";

/** PostgREST's operator names with PostgreSQL's operators. The first group takes `(any)` and `(all)`. */
const QUANTIFIABLE = {
  eq: "=",
  gte: ">=",
  gt: ">",
  lte: "<=",
  lt: "<",
  like: "like",
  ilike: "ilike",
  match: "~",
  imatch: "~*",
} as const;
const SIMPLE = {
  neq: "<>",
  cs: "@>",
  cd: "<@",
  ov: "&&",
  sl: "<<",
  sr: ">>",
  nxr: "&<",
  nxl: "&>",
  adj: "-|-",
} as const;
const TEXT_SEARCH = {
  fts: "to_tsquery",
  plfts: "plainto_tsquery",
  phfts: "phraseto_tsquery",
  wfts: "websearch_to_tsquery",
} as const;
const IS = {
  null: "null",
  not_null: "not null",
  unknown: "unknown",
  true: "true",
  false: "false",
} as const;

type Values<T> = T[keyof T];

export type Operation =
  | {
      readonly kind: "compare";
      readonly operator: Values<typeof QUANTIFIABLE> | Values<typeof SIMPLE>;
      readonly quantifier: "any" | "all" | undefined;
      readonly value: string;
    }
  | { readonly kind: "in"; readonly values: readonly string[] }
  | { readonly kind: "is"; readonly what: Values<typeof IS> }
  | { readonly kind: "distinct"; readonly value: string }
  | {
      readonly kind: "search";
      readonly query: Values<typeof TEXT_SEARCH>;
      readonly language: string | undefined;
      readonly value: string;
    };

export interface Filter {
  readonly kind: "filter";
  readonly field: Field;
  readonly negated: boolean;
  readonly operation: Operation;
}

export interface LogicGroup {
  readonly kind: "group";
  readonly operator: "and" | "or";
  readonly negated: boolean;
  readonly members: readonly Condition[];
}

export type Condition = Filter | LogicGroup;

/** A part of the query and the embedded resource it applies to, as a path of names from the root. */
export interface Located<T> {
  readonly embed: readonly string[];
  readonly part: T;
}

export function parseFilter(key: string, value: string): Located<Filter> {
  const path = read("tree path", key, treePath);
  const { negated, operation } = read("filter", value, (cursor) => operatorExpression(cursor, plainValue));
  return { embed: path.embed, part: { kind: "filter", field: path.field, negated, operation } };
}

/** Whether a function's argument in a query string is really a filter on its result. */
export function looksLikeFilter(value: string): boolean {
  try {
    parseFilter("x", value);
    return true;
  } catch {
    return false;
  }
}

/** `or=(a.eq.1,b.eq.2)`; the key may be `not.or`, `embedded.and`, `embedded.not.or`. */
export function parseLogic(key: string, value: string): Located<Condition> {
  const names = read("logic path", key, (cursor) => cursor.separated(".", () => fieldName(cursor)));
  const embed = names.slice(0, -1).filter((name) => name !== "not");
  const not = names.includes("not") ? "not." : "";
  return { embed, part: read("logic tree", `${not}${names.at(-1)}${value}`, condition, value) };
}

function condition(cursor: Cursor): Condition {
  const filter = cursor.attempt((): Filter => {
    const on = field(cursor);
    cursor.expect(".");
    return { kind: "filter", field: on, ...operatorExpression(cursor, valueInTree) };
  });
  if (filter === undefined) return cursor.nested(() => group(cursor));
  cursor.part("filters");
  return filter;
}

function group(cursor: Cursor): LogicGroup {
  const negated = cursor.accept("not.");
  const operator = cursor.accept("and") ? "and" : cursor.accept("or") ? "or" : undefined;
  if (operator === undefined) cursor.fail("expecting logic operator (and, or)");
  cursor.skipBlanks();
  cursor.expect("(");
  cursor.skipBlanks();
  const members = cursor.separated(",", () => condition(cursor));
  cursor.skipBlanks();
  cursor.expect(")");
  cursor.skipBlanks();
  return { kind: "group", negated, operator, members };
}

type ReadValue = (cursor: Cursor) => string;

function operatorExpression(cursor: Cursor, value: ReadValue): { negated: boolean; operation: Operation } {
  const negated = cursor.attempt(() => {
    cursor.expect("not.");
    return operation(cursor, value);
  });
  return negated
    ? { negated: true, operation: negated }
    : { negated: false, operation: operation(cursor, value) };
}

function operation(cursor: Cursor, value: ReadValue): Operation {
  if (cursor.accept("in.")) return { kind: "in", values: list(cursor) };
  if (cursor.accept("isdistinct.")) return { kind: "distinct", value: value(cursor) };
  if (cursor.accept("is.")) {
    return { kind: "is", what: IS[word(cursor)] };
  }
  const start = cursor.position;
  const name = cursor.take(/[a-z]+/y) ?? "";
  const query = lookUp(TEXT_SEARCH, name);
  if (query) {
    const language = cursor.accept("(") ? identifier(cursor) : undefined;
    if (language !== undefined) cursor.expect(")");
    cursor.expect(".");
    return { kind: "search", query, language, value: value(cursor) };
  }
  const quantifiable = lookUp(QUANTIFIABLE, name);
  const quantifier =
    quantifiable && cursor.accept("(any)")
      ? "any"
      : quantifiable && cursor.accept("(all)")
        ? "all"
        : undefined;
  const operator = quantifiable ?? lookUp(SIMPLE, name);
  if (operator === undefined) {
    cursor.position = start;
    cursor.fail("expecting operator (eq, gt, ...)");
  }
  cursor.expect(".");
  const compared = value(cursor);
  if (operator === "~" || operator === "~*") refuseBackReferences(compared, quantifier !== undefined);
  return { kind: "compare", operator, quantifier, value: compared };
}

/** `isList`: the patterns are in an array literal, where a backslash escapes the next letter. */
function refuseBackReferences(value: string, isList: boolean): void {
  if (hasBackReference(isList ? value.replace(/\\(.)/gs, "$1") : value)) throw noBackReferences();
}

/** One of the words that `is` takes, in any case. Fails at the first letter where even the closest word differs. */
function word(cursor: Cursor): keyof typeof IS {
  const found = cursor.take(/null|not_null|unknown|true|false/iy)?.toLowerCase();
  if (found !== undefined) return found as keyof typeof IS;
  const given = cursor.text.slice(cursor.position).toLowerCase();
  cursor.position += Math.max(
    ...Object.keys(IS).map((one) => [...one].findIndex((letter, at) => letter !== given[at])),
  );
  cursor.fail("expecting null or trilean value (unknown, true, false)");
}

const lookUp = <T extends object>(table: T, name: string): Values<T> | undefined =>
  Object.hasOwn(table, name) ? table[name as keyof T] : undefined;

const plainValue: ReadValue = (cursor) => cursor.take(/.*/sy)!;

/** Inside a tree a value ends at `,` or `)`, unless it is quoted or a PostgreSQL array literal. */
const valueInTree: ReadValue = (cursor) =>
  quotedElement(cursor) ?? cursor.take(/\{[^{}]*\}/y) ?? cursor.take(/[^,)]*/y)!;

function list(cursor: Cursor): string[] {
  cursor.skipBlanks();
  cursor.expect("(");
  cursor.skipBlanks();
  const values = [listElement(cursor)];
  while (cursor.accept(",")) values.push(listElement(cursor));
  cursor.skipBlanks();
  cursor.expect(")");
  cursor.skipBlanks();
  return values;
}

const listElement = (cursor: Cursor): string => quotedElement(cursor) ?? cursor.take(/[^,)]*/y)!;

function quotedElement(cursor: Cursor): string | undefined {
  // Most of the thousands that a list may have are not quoted.
  if (!cursor.startsWith('"')) return undefined;
  return cursor.attempt(() => {
    const value = quoted(cursor);
    if (!cursor.done && !cursor.startsWith(",") && !cursor.startsWith(")"))
      cursor.fail('expecting "," or ")"');
    return value;
  });
}
