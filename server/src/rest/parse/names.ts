// Names and JSON paths as they appear in every part of a query string: `column`, `"quoted name"`, `with-dash`,
// `column->key->>0`.
import type { Cursor } from "./cursor.ts";

export interface JsonStep {
  /** `->` keeps JSON, `->>` gives text. */
  readonly arrow: "->" | "->>";
  readonly key: string;
  readonly isIndex: boolean;
}

export interface Field {
  readonly name: string;
  readonly path: readonly JsonStep[];
}

/** Letters, digits, `_`, `$` and blanks; used for type names and text search configurations too. */
export function identifier(cursor: Cursor): string {
  const found = cursor.take(/[\p{L}0-9_ $]+/uy);
  if (found === undefined) cursor.fail("expecting letter or digit");
  return found.trim();
}

export const fieldName = (cursor: Cursor): string =>
  dashed(cursor, identifier, "field name (* or [a..z0..9_$])");

/** A key inside JSON may hold anything that does not end it. */
const jsonKey = (cursor: Cursor): string =>
  dashed(cursor, keyPart, "any non reserved character different from: .,>()");

function keyPart(cursor: Cursor): string {
  const found = cursor.take(/[^(\-:.,>)]+/uy);
  if (found === undefined) cursor.fail("expecting a key");
  return found.trim();
}

/** A text in double quotes, or parts with dashes between them. */
function dashed(cursor: Cursor, part: (cursor: Cursor) => string, expected: string): string {
  if (cursor.startsWith('"')) return quoted(cursor);
  const parts = [cursor.attempt(() => part(cursor)) ?? cursor.fail(`expecting ${expected}`)];
  while (cursor.take(/-(?!>)/y)) parts.push(part(cursor));
  return parts.join("-");
}

/** A text in double quotes; a backslash makes the next character literal. */
export function quoted(cursor: Cursor): string {
  const found = cursor.take(/"(?:[^"\\]|\\.)*"/sy);
  if (found === undefined) cursor.fail("expecting a closing quote");
  return found.slice(1, -1).replaceAll(/\\(.)/gs, "$1");
}

function jsonPath(cursor: Cursor): JsonStep[] {
  const steps: JsonStep[] = [];
  for (;;) {
    const arrow = cursor.accept("->>") ? "->>" : cursor.accept("->") ? "->" : undefined;
    if (arrow === undefined) return steps;
    const index = cursor.take(/-?[0-9]+(?=->|::|[.,)]|$)/y);
    steps.push({ arrow, key: index ?? jsonKey(cursor), isIndex: index !== undefined });
  }
}

export function field(cursor: Cursor): Field {
  cursor.skipBlanks();
  const name = fieldName(cursor);
  const path = jsonPath(cursor);
  cursor.skipBlanks();
  return { name, path };
}

/** `embedded.deeper.column->key`: the names before the last identify the embedded resource. */
export function treePath(cursor: Cursor): { embed: string[]; field: Field } {
  const names = cursor.separated(".", () => fieldName(cursor));
  const path = jsonPath(cursor);
  return { embed: names.slice(0, -1), field: { name: names.at(-1)!, path } };
}
