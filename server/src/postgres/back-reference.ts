/** Matching a back reference takes exponential time. Without one, a regular expression's time is bounded by the text's length. */
const BACK_REFERENCE = /(?<!\\)(?:\\\\)*\\[1-9]/;
/** A control character, "\cX": X may be a backslash, which then escapes nothing. */
const CONTROL = "\\c";

/** Whether a client's regular expression may not be run: it would hold its transaction's locks until its timeout. */
export const hasBackReference = (pattern: string): boolean =>
  BACK_REFERENCE.test(pattern) || pattern.includes(CONTROL);
