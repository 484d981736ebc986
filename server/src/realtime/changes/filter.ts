// The filter of a postgres_changes subscription: `column=op.value`, several joined by commas. Comparison itself is left to
// PostgreSQL, which alone knows how values of a type compare.
export interface Condition {
  readonly column: string;
  readonly negated: boolean;
  readonly operator: string;
  /** More than one only with `in`. */
  readonly values: readonly string[];
}

/** Message for the subscriber. */
export class FilterError extends Error {}

/** Those of the platform whose cost is bounded whatever the value: a crafted pattern can run for ever. */
const SQL: ReadonlyMap<string, string> = new Map([
  ["eq", "="],
  ["neq", "<>"],
  ["lt", "<"],
  ["lte", "<="],
  ["gt", ">"],
  ["gte", ">="],
  ["isdistinct", "is distinct from"],
]);
const IS = new Set(["null", "true", "false", "unknown"]);
const MAX_IN = 100; // as on the platform
const MAX_CONDITIONS = 20;

const unparsed = (...params: string[]) =>
  new FilterError(`Error parsing \`filter\` params: [${params.map((each) => `"${each}"`).join(", ")}]`);

export function parseFilter(text: string): Condition[] {
  const parts = splitTop(text);
  if (parts.length > MAX_CONDITIONS)
    throw new FilterError(`Too many conditions in \`filter\`. Maximum allowed is ${MAX_CONDITIONS}`);
  return parts.map((part) => {
    const match = /^([^=]+)=(not\.)?([a-z]+)\.(.*)$/s.exec(part);
    if (!match) throw unparsed(text);
    const [, column = "", not, operator = "", rest = ""] = match;
    const isKnown = operator === "in" || operator === "is" || SQL.has(operator);
    if (!isKnown) throw unparsed(operator, rest);
    const values = operator === "in" ? parseList(rest, text) : [unquote(rest)];
    if (operator === "is" && !IS.has(values[0]!)) throw unparsed(operator, rest);
    return { column: column.trim(), negated: not !== undefined, operator, values };
  });
}

/** A boolean SQL expression over the SQL name of a column of type `sqlType`. `bind` names a new parameter. */
export function toSql(
  { operator, values, negated }: Condition,
  column: string,
  sqlType: string,
  bind: (value: unknown) => string,
): string {
  const compare = () => {
    if (operator === "in") return `${column} = any(${bind(values)}::text[]::${sqlType}[])`;
    if (operator === "is") return `${column} is ${values[0]}`;
    return `${column} ${SQL.get(operator)} ${bind(values[0])}::text::${sqlType}`;
  };
  return negated ? `not (${compare()})` : `(${compare()})`;
}

function parseList(text: string, whole: string): string[] {
  const match = /^\((.*)\)$/s.exec(text);
  if (!match) throw unparsed(whole);
  const values = splitTop(match[1]!).map(unquote);
  if (values.length > MAX_IN)
    throw new FilterError(`Too many values in \`in\` filter. Maximum allowed is ${MAX_IN}`);
  return values;
}

/** At commas that stand neither in quotes nor in parentheses. */
function splitTop(text: string): string[] {
  const parts: string[] = [];
  let [depth, quoted, start] = [0, false, 0];
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (quoted && char === "\\") at++;
    else if (char === '"') quoted = !quoted;
    else if (quoted) continue;
    else if (char === "(") depth++;
    else if (char === ")") depth--;
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
