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

const SQL: Readonly<Record<string, string>> = {
  eq: "=",
  neq: "<>",
  lt: "<",
  lte: "<=",
  gt: ">",
  gte: ">=",
  like: "like",
  ilike: "ilike",
  match: "~",
  imatch: "~*",
  isdistinct: "is distinct from",
};
const PATTERNS = new Set(["like", "ilike", "match", "imatch"]);
const MAX_IN = 100; // as on the platform

export function parseFilter(text: string): Condition[] {
  return splitTop(text).map((part) => {
    const match = /^([^=]+)=(not\.)?([a-z]+)\.(.*)$/s.exec(part);
    if (!match) throw new FilterError(`Error parsing \`filter\` params: ["${text}"]`);
    const [, column = "", not, operator = "", rest = ""] = match;
    if (operator !== "in" && operator !== "is" && !(operator in SQL)) {
      throw new FilterError(`Error parsing \`filter\` params: ["${text}"]`);
    }
    const values = operator === "in" ? parseList(rest, text) : [unquote(rest)];
    if (operator === "is" && !["null", "true", "false", "unknown"].includes(values[0]!)) {
      throw new FilterError(`Error parsing \`filter\` params: ["${text}"]`);
    }
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
  const isPattern = PATTERNS.has(operator);
  const [left, type] = isPattern ? [`${column}::text`, "text"] : [column, sqlType];
  const compare = () => {
    if (operator === "in") return `${left} = any(${bind(values)}::text[]::${type}[])`;
    if (operator === "is") return `${left} is ${values[0]}`;
    return `${left} ${SQL[operator]} ${bind(values[0])}::text::${type}`;
  };
  return negated ? `not (${compare()})` : `(${compare()})`;
}

function parseList(text: string, whole: string): string[] {
  const match = /^\((.*)\)$/s.exec(text);
  if (!match) throw new FilterError(`Error parsing \`filter\` params: ["${whole}"]`);
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
