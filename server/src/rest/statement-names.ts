// Which statements are worth preparing. A named statement is planned once per connection but stays in that connection's
// memory, so only texts that keep recurring get a name, and only a limited number of them. Each role has its own names:
// policies are part of a plan, and PostgreSQL replans a statement whenever a different role than the last one runs it.

export interface StatementNames {
  /** A name, or undefined for a statement to run unnamed. */
  nameFor(text: string, role: string): string | undefined;
  /**
   * Counts schema changes. A statement keeps the parameter types it was prepared with, so each change starts with new names.
   */
  readonly epoch: number;
  forget(): void;
}

/** Some 100 kB each per connection. An application has a few dozen; only a flood of odd queries reaches the bound. */
const MAX_NAMES = 250;
const MAX_COUNTED = 1000;
const WORTH_PREPARING = 3;

export function createStatementNames(): StatementNames {
  /** By role, then by text. */
  const names = new Map<string, Map<string, string>>();
  let given = 0;
  const seen = new Map<string, number>();
  let epoch = 0;

  return {
    nameFor(text, role) {
      const own = names.get(role) ?? new Map<string, string>();
      const known = own.get(text);
      if (known !== undefined || given >= MAX_NAMES) return known;
      const key = `${role} ${text}`;
      const count = (seen.get(key) ?? 0) + 1;
      seen.delete(key);
      if (count >= WORTH_PREPARING) {
        const name = `rest_${epoch}_${++given}`;
        names.set(role, own.set(text, name));
        return name;
      }
      // Drops the least recently seen.
      seen.set(key, count);
      if (seen.size > MAX_COUNTED) seen.delete(seen.keys().next().value!);
      return undefined;
    },
    get epoch() {
      return epoch;
    },
    forget() {
      names.clear();
      given = 0;
      seen.clear();
      epoch++;
    },
  };
}
