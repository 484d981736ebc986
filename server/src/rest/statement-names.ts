// Which statements are worth preparing. A named statement is planned once per connection but stays in that connection's
// memory, so a name is given only to texts that keep coming, and only to so many of them.

export interface StatementNames {
  /** A name, or undefined: run it unnamed. */
  nameFor(text: string): string | undefined;
  /** Counts the changes of the schema. A statement keeps the parameter types it was prepared with, so all names begin anew. */
  readonly epoch: number;
  forget(): void;
}

/** Some 100 kB each per connection. An application has a few dozen; only a flood of odd queries meets the bound. */
const MAX_NAMES = 250;
const MAX_COUNTED = 1000;
const WORTH_PREPARING = 3;

export function createStatementNames(): StatementNames {
  const names = new Map<string, string>();
  const seen = new Map<string, number>();
  let epoch = 0;

  return {
    nameFor(text) {
      const known = names.get(text);
      if (known !== undefined || names.size >= MAX_NAMES) return known;
      const count = (seen.get(text) ?? 0) + 1;
      seen.delete(text);
      if (count >= WORTH_PREPARING) {
        const name = `rest_${epoch}_${names.size + 1}`;
        names.set(text, name);
        return name;
      }
      // Least recently seen goes first.
      seen.set(text, count);
      if (seen.size > MAX_COUNTED) seen.delete(seen.keys().next().value!);
      return undefined;
    },
    get epoch() {
      return epoch;
    },
    forget() {
      names.clear();
      seen.clear();
      epoch++;
    },
  };
}
