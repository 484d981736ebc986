// The letters of the documents: the typefaces, unpacked once, and what of a text they can draw.
import anyAscii from "any-ascii";
import { bold, display, type PackedFace, regular } from "./faces.ts";

export const faces = { regular, bold, display } as const satisfies Record<string, PackedFace>;
export type FaceName = keyof typeof faces;

const unpacked = new Map<FaceName, Promise<Uint8Array>>();

/** The typeface as a TrueType file. */
export function typeface(name: FaceName): Promise<Uint8Array> {
  const known = unpacked.get(name) ?? unpack(faces[name]);
  unpacked.set(name, known);
  return known;
}

async function unpack({ gzip }: PackedFace): Promise<Uint8Array> {
  const packed = new Blob([Uint8Array.from(atob(gzip), (letter) => letter.charCodeAt(0))]);
  const file = packed.stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(file).arrayBuffer());
}

const ranges = (face: PackedFace) =>
  face.covers.split(" ").map((range) => range.split("-").map((end) => Number.parseInt(end, 16)));
const covered = { text: ranges(regular), display: ranges(display) } as const;

function covers(which: keyof typeof covered, letter: string): boolean {
  const code = letter.codePointAt(0)!;
  return covered[which].some(([first = 0, last = first]) => code >= first && code <= last);
}

/** Pictures, flags and what is invisible: nothing of a name is lost without them. */
const PICTURE =
  /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\p{Variation_Selector}\p{C}]/u;

/**
 * The text as the documents can draw it, in Latin, Greek and Cyrillic letters. Any other script is written in Latin letters, and
 * emoji are left out. May be empty.
 */
export function drawable(text: string): string {
  return Array.from(text.normalize("NFC").replace(/[^\S\u00a0]/g, " "), (letter) => {
    if (covers("text", letter)) return letter;
    return PICTURE.test(letter) ? "" : anyAscii(letter);
  })
    .join("")
    .replace(/ {2,}/g, " ")
    .trim();
}

/** True when `drawable` writes it in other letters than it has. */
export function isRespelled(text: string): boolean {
  return Array.from(text.normalize("NFC")).some(
    (letter) => !/\s/.test(letter) && !covers("text", letter) && !PICTURE.test(letter),
  );
}

/** The heavy face has Western letters alone: a heading with another letter is set in bold as a whole. */
export function headingFace(drawableText: string): FaceName {
  return Array.from(drawableText).every((letter) => covers("display", letter)) ? "display" : "bold";
}
