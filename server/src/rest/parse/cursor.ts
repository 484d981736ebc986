// A position in a text, and the few moves every grammar below is built from. Owns backtracking and the report of where
// and why parsing stopped.
import { tooMuchAsked, unreadable } from "../errors.ts";

/**
 * Thrown while parsing; `read` turns it into the client's error. Every list ends in one that is caught, and an Error would cost its
 * stack each time.
 */
export class ParseFailure {
  readonly position: number;
  readonly message: string;

  constructor(position: number, message: string) {
    this.position = position;
    this.message = message;
  }
}

/** Nesting beyond this is refused: PostgreSQL would run out of stack on it (SQLSTATE 54001). */
const MAX_DEPTH = 50;

/** Columns, filters and orders of a request. More are refused before the rest is read, since reading costs more than refusing. */
export const MAX_PARTS = 100;

export class Cursor {
  readonly text: string;
  position = 0;
  depth = 0;
  #parts = 0;
  /** Where the abandoned rules failed, by where they began. */
  readonly #givenUp = new Map<number, ParseFailure>();

  constructor(text: string) {
    this.text = text;
  }

  get done(): boolean {
    return this.position >= this.text.length;
  }

  startsWith(token: string): boolean {
    return this.text.startsWith(token, this.position);
  }

  /** Takes the token if it is next. */
  accept(token: string): boolean {
    if (!this.startsWith(token)) return false;
    this.position += token.length;
    return true;
  }

  expect(token: string): void {
    if (!this.accept(token)) this.fail(`expecting "${token}"`);
  }

  /** Consumes what a sticky expression matches here. */
  take(expression: RegExp): string | undefined {
    expression.lastIndex = this.position;
    const found = expression.exec(this.text)?.[0];
    if (found !== undefined) this.position += found.length;
    return found;
  }

  skipBlanks(): void {
    this.take(/[ \t]*/y);
  }

  /** Runs the rule. If it fails, goes back to where it began and returns undefined. */
  attempt<T>(rule: () => T): T | undefined {
    const start = this.position;
    try {
      return rule();
    } catch (error) {
      if (!(error instanceof ParseFailure)) throw error;
      const failure = this.meant(error);
      if (failure.position >= (this.#givenUp.get(start)?.position ?? 0)) this.#givenUp.set(start, failure);
      this.position = start;
      return undefined;
    }
  }

  /** As in Parsec: among the rules tried at one position, reports the one that got furthest if the last consumed nothing. */
  meant(failure: ParseFailure): ParseFailure {
    const other = this.#givenUp.get(failure.position);
    return other && other.position > failure.position ? other : failure;
  }

  /** One rule, then any number of times the separator (blanks around it allowed) and the rule again. */
  separated<T>(separator: string, rule: () => T): T[] {
    const items = [rule()];
    while (this.attempt(() => (this.skipBlanks(), this.expect(separator), this.skipBlanks(), true))) {
      items.push(rule());
    }
    return items;
  }

  /** Counts a part that has been read; `what` is their plural. Throws PGRST100 when there are too many. */
  part(what: string): void {
    if (++this.#parts > MAX_PARTS) throw tooMuchAsked(`There may be ${MAX_PARTS} ${what}.`);
  }

  nested<T>(rule: () => T): T {
    if (++this.depth > MAX_DEPTH) this.fail(`nested deeper than ${MAX_DEPTH}`);
    const result = rule();
    this.depth--;
    return result;
  }

  fail(expectation: string): never {
    const next = this.done
      ? "end of input"
      : JSON.stringify(String.fromCodePoint(this.text.codePointAt(this.position)!));
    throw new ParseFailure(this.position, `unexpected ${next} ${expectation}`);
  }
}

/** Reads `text` by the rule. Throws PGRST100, naming `what` was read and what the client `wrote`. */
export function read<T>(what: string, text: string, rule: (cursor: Cursor) => T, wrote = text): T {
  const cursor = new Cursor(text);
  try {
    return rule(cursor);
  } catch (error) {
    if (!(error instanceof ParseFailure)) throw error;
    const { position, message } = cursor.meant(error);
    throw unreadable(`failed to parse ${what} (${wrote})`, position + 1, message);
  }
}
