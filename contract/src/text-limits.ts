// How a text that is too long is refused: kept whole, with its length beside the limit. One sentence for the browser and the functions.

/** As it is sent, without the space around it. */
export function tooLong(typed: string, max: number): string | undefined {
  const { length } = typed.trim();
  if (length <= max) return undefined;
  return `At most ${max.toLocaleString("en-US")} characters; you have ${length.toLocaleString("en-US")}`;
}
