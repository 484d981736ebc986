// The filter of a postgres_changes subscription: `column=op.value`, several joined by commas. The comparison is left to
// PostgreSQL, which alone knows how values of a type compare.
import { hasBackReference } from "../../postgres/back-reference.ts";

export interface Condition {
  readonly column: string;
  readonly negated: boolean;
  readonly operator: string;
  /** More than one only with `in`. */
  readonly values: readonly string[];
}

/** Message for the subscriber. */
export class FilterError extends Error {}

const SQL: ReadonlyMap<string, string> = new Map([
  ["eq", "="],
  ["neq", "<>"],
  ["lt", "<"],
  ["lte", "<="],
  ["gt", ">"],
  ["gte", ">="],
  ["isdistinct", "is distinct from"],
]);
const PATTERNS: ReadonlyMap<string, string> = new Map([
  ["like", "like"],
  ["ilike", "ilike"],
  ["match", "~"],
  ["imatch", "~*"],
]);
const IS = new Set(["null", "true", "false", "unknown"]);
const NO_IS_VALUE = "invalid value for is filter: must be null, true, false, or unknown";
const MAX_IN = 100; // as on the platform
const MAX_CONDITIONS = 20;
const LONGEST_PATTERN = 500;

/** Whether a crafted value can make it slow. */
export const isPattern = ({ operator }: Condition) => PATTERNS.has(operator);

const parsing = (reason: string) => new FilterError(`Error parsing \`filter\` params: ${reason}`);
const unparsed = (...params: string[]) =>
  parsing(`[${params.map((each) => JSON.stringify(each)).join(", ")}]`);

/** An empty text has no conditions. Throws FilterError. */
export function parseFilter(text: string): Condition[] {
  if (text.trim() === "") return [];
  const parts = splitTop(text.trim());
  if (parts.length > MAX_CONDITIONS)
    throw new FilterError(`Too many conditions in \`filter\`. Maximum allowed is ${MAX_CONDITIONS}`);
  return parts.map(parseCondition);
}

function parseCondition(text: string): Condition {
  const part = text.trim();
  if (part === "") throw parsing("filter must not contain empty segments (check for extra commas)");
  const [, column = "", test] = /^([^=]*)=(.*)$/s.exec(part) ?? [];
  if (test === undefined) throw unparsed(part);
  const negated = test.startsWith("not.");
  const compared = negated ? test.slice("not.".length) : test;
  const dot = compared.indexOf(".");
  if (dot < 0) throw unparsed(compared);
  const [operator, rest] = [compared.slice(0, dot), compared.slice(dot + 1)];
  const isKnown = operator === "in" || operator === "is" || SQL.has(operator) || PATTERNS.has(operator);
  if (!isKnown) throw unparsed(operator, rest);
  return {
    column: column.trim(),
    negated,
    operator,
    values: operator === "in" ? parseList(rest) : [unquote(rest)],
  };
}

/**
 * The reason, for the subscriber, why a column of this type can never satisfy a condition; undefined when PostgreSQL has to
 * decide.
 */
export function faultIn({ operator, values }: Condition, sqlType: string): string | undefined {
  const [value = ""] = values;
  if (operator === "in" && values.length > MAX_IN)
    return `too many values for \`in\` filter. Maximum ${MAX_IN}`;
  if (operator === "is" && !IS.has(value)) return NO_IS_VALUE;
  if (operator === "is" && value !== "null" && sqlType !== "boolean") {
    return `is ${value} filter requires a boolean column, got ${sqlType}`;
  }
  if (PATTERNS.has(operator) && value.length > LONGEST_PATTERN) {
    return `pattern of ${operator} filter is too long. Maximum ${LONGEST_PATTERN}`;
  }
  const isRegular = operator === "match" || operator === "imatch";
  return isRegular && hasBackReference(value)
    ? `invalid regular expression for ${operator} filter: back-references are not supported`
    : undefined;
}

/**
 * A boolean SQL expression over the SQL name of a column of type `sqlType`. `bind` names a new parameter. Throws FilterError for what
 * `is` cannot compare with, which is the only value that is not bound.
 */
export function toSql(
  { operator, values, negated }: Condition,
  column: string,
  sqlType: string,
  bind: (value: unknown) => string,
): string {
  const compare = () => {
    if (operator === "in") return `${column} = any(${bind(values)}::text[]::${sqlType}[])`;
    if (operator === "is") return `${column} is ${isValue(values[0])}`;
    const pattern = PATTERNS.get(operator);
    if (pattern !== undefined) return `${column} ${pattern} ${bind(values[0])}::text`;
    return `${column} ${SQL.get(operator)} ${bind(values[0])}::text::${sqlType}`;
  };
  return negated ? `not (${compare()})` : `(${compare()})`;
}

function isValue(value = ""): string {
  if (!IS.has(value)) throw new FilterError(NO_IS_VALUE);
  return value;
}

function parseList(text: string): string[] {
  const match = /^\((.*)\)$/s.exec(text);
  if (!match) throw parsing("`in` filter value must be wrapped by parentheses");
  return splitTop(match[1]!).map(unquote);
}

/** Splits at commas outside quotes and parentheses. A quote opens only at the start of a value. */
function splitTop(text: string): string[] {
  const parts: string[] = [];
  let [depth, quoted, start] = [0, false, 0];
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (quoted && char === "\\") at++;
    else if (quoted) quoted = char !== '"';
    else if (char === '"') quoted = at === start || ".(,".includes(text[at - 1]!);
    else if (char === "(") depth++;
    else if (char === ")") depth = Math.max(0, depth - 1);
    else if (char === "," && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

function unquote(text: string): string {
  const match = /^"(.*)"$/s.exec(text);
  return match ? match[1]!.replace(/\\(.)/gs, "$1") : text;
}
