// SQL under construction: text with bound parameters that are numbered at the end. The only ways to build a piece are
// this template, whose parts are pieces, and the functions below, so a value cannot get into the text.
import type { Statement } from "../../postgres/executor.ts";

export interface Sql {
  /** One more text than there are values: each value sits between two texts. */
  readonly texts: readonly string[];
  readonly values: readonly (string | null)[];
}

export function sql(strings: TemplateStringsArray, ...parts: readonly Sql[]): Sql {
  const texts = [strings[0]!];
  const values: (string | null)[] = [];
  parts.forEach((part, index) => {
    texts[texts.length - 1] += part.texts[0]!;
    texts.push(...part.texts.slice(1));
    values.push(...part.values);
    texts[texts.length - 1] += strings[index + 1]!;
  });
  return { texts, values };
}

/** SQL text that this program or the catalog wrote. */
export const raw = (text: string): Sql => ({ texts: [text], values: [] });

export const EMPTY = raw("");

/** A bound value of unknown type: PostgreSQL infers it from the context. */
export const bind = (value: string | null): Sql => ({ texts: ["", ""], values: [value] });

/** Truncated at a NUL, which would end the statement's text on the wire. */
export const identifier = (name: string): Sql => raw(`"${name.split("\0", 1)[0]!.replaceAll('"', '""')}"`);

/** For names that come from the catalog, as keys of a JSON object. */
export const literal = (text: string): Sql =>
  raw(
    text.includes("\\")
      ? `E'${text.replaceAll("'", "''").replaceAll("\\", "\\\\")}'`
      : `'${text.replaceAll("'", "''")}'`,
  );

export function join(parts: readonly Sql[], separator: string): Sql {
  const [first, ...rest] = parts;
  if (first === undefined) return EMPTY;
  const texts = [...first.texts];
  const values = [...first.values];
  for (const part of rest) {
    texts[texts.length - 1] += separator + part.texts[0]!;
    texts.push(...part.texts.slice(1));
    values.push(...part.values);
  }
  return { texts, values };
}

export const list = (parts: readonly Sql[]): Sql => join(parts, ", ");

export function toStatement({
  texts,
  values,
}: Sql): Statement & { readonly values: readonly (string | null)[] } {
  const text = texts.map((piece, index) => (index === 0 ? piece : `$${index}${piece}`)).join("");
  return { text, values };
}
