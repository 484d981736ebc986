// Which table column each column of a view shows, read from the view's parsed query. PostgreSQL keeps it in the rewrite
// rule as text in its node notation: nested {NODE :field value …}, with (…) for lists and a backslash for escapes.

export interface Origin {
  readonly table: number;
  readonly column: number;
}

/** The view's columns by number. Columns that are expressions have no origin. */
export function viewOrigins(rule: string): Map<number, Origin> {
  const origins = new Map<number, Origin>();
  for (const entry of targetEntries(rule)) {
    const field = (name: string) => Number(new RegExp(`:${name} (\\d+)`).exec(entry)?.[1] ?? 0);
    const origin = { table: field("resorigtbl"), column: field("resorigcol") };
    if (origin.table > 0 && origin.column > 0) origins.set(field("resno"), origin);
  }
  return origins;
}

/**
 * The outermost query's target list: the nodes directly in the list `:targetList`, which is a field of a QUERY node at
 * depth one. Returns each entry without the nodes inside it, so that a field found in it is its own.
 */
function* targetEntries(rule: string): Generator<string> {
  let braces = 0;
  let inTargets = false;
  let entry = "";
  for (let at = 0; at < rule.length; at++) {
    const character = rule[at]!;
    if (character === "\\") {
      at++;
      continue;
    }
    if (character === "{") braces++;
    if (character === ":" && braces === 1) inTargets = rule.startsWith(":targetList ", at);
    if (inTargets && braces === 2) entry += character;
    if (character === "}") {
      braces--;
      if (inTargets && braces === 1) {
        yield entry;
        entry = "";
      }
    }
  }
}
