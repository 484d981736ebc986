// Which statements are worth preparing. A named statement is planned once per connection but stays in that connection's
// memory for good, so a name is given only to texts that keep coming, and only to so many of them.

export interface StatementNames {
  /** A name, or undefined: run it unnamed. */
  nameFor(text: string): string | undefined;
  /** Gives no name again that was given before: a statement keeps the parameter types it was prepared with. */
  forget(): void;
}

/** Some 100 kB each per connection. An application has a few dozen; only a flood of odd queries meets the bound. */
const MAX_NAMES = 250;
/** Over all changes of the schema, since connections never drop a statement. */
const MAX_NAMES_EVER = 1000;
const MAX_COUNTED = 1000;
const WORTH_PREPARING = 3;

export function createStatementNames(): StatementNames {
  const names = new Map<string, string>();
  const seen = new Map<string, number>();
  let given = 0;

  return {
    nameFor(text) {
      const known = names.get(text);
      if (known !== undefined || names.size >= MAX_NAMES || given >= MAX_NAMES_EVER) return known;
      const count = (seen.get(text) ?? 0) + 1;
      seen.delete(text);
      if (count >= WORTH_PREPARING) {
        const name = `rest_${++given}`;
        names.set(text, name);
        return name;
      }
      // Least recently seen goes first.
      seen.set(text, count);
      if (seen.size > MAX_COUNTED) seen.delete(seen.keys().next().value!);
      return undefined;
    },
    forget() {
      names.clear();
      seen.clear();
    },
  };
}
