// Comments of tables, functions and schemas as summary and description.

/** Splits a comment into its first line and the rest. */
export function splitText(text: string | null): [first: string | undefined, rest: string | undefined] {
  if (text === null) return [undefined, undefined];
  const at = text.indexOf("\n");
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at).replace(/^\n+/, "")];
}
