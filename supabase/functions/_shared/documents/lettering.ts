// The documents' typefaces, unpacked once, and which letters of a text they can draw.
import anyAscii from "any-ascii";
import { bold, display, type PackedFace, regular } from "./faces.ts";
import { type WritingSystemName, writingSystems } from "./writing-systems/index.ts";

export const faces = { regular, bold, display } as const satisfies Record<string, PackedFace>;
export type FaceName = keyof typeof faces;

interface LoadedSystem {
  readonly name: WritingSystemName;
  readonly file: Uint8Array;
  readonly isRightToLeft: boolean;
  readonly covers: (letter: string) => boolean;
}

const unpacked = new Map<FaceName, Promise<Uint8Array>>();
const loading = new Map<WritingSystemName, Promise<LoadedSystem>>();

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

function coverOf(face: PackedFace): (letter: string) => boolean {
  const ranges = face.covers
    .split(" ")
    .map((range) => range.split("-").map((end) => Number.parseInt(end, 16)));
  return (letter) => {
    const code = letter.codePointAt(0)!;
    return ranges.some(([first = 0, last = first]) => code >= first && code <= last);
  };
}
const covers = { text: coverOf(regular), display: coverOf(display) } as const;

/** Pictures, flags and invisible characters: a name loses nothing without them. */
const PICTURE =
  /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\p{Variation_Selector}\p{Cc}\p{Cn}\p{Co}\p{Cs}]/u;
/** Joiners shape letters in some writing systems and mean nothing in others. */
const INVISIBLE = /\p{Cf}/u;

const lettersOf = (text: string): string[] =>
  Array.from(text.normalize("NFC").replace(/[^\S\u00a0]/g, " ")).filter((letter) => !PICTURE.test(letter));
const joined = (letters: readonly string[]) => letters.join("").replace(/ {2,}/g, " ").trim();

/** A text in drawable letters, and the writing system to set it in; without one, the documents' own typefaces cover it. */
export interface Drawable {
  readonly text: string;
  readonly system?: WritingSystemName;
  readonly isRightToLeft?: boolean;
  readonly isRespelled: boolean;
}

export interface Letters {
  readonly files: ReadonlyMap<WritingSystemName, Uint8Array>;
  readonly draw: (text: string) => Drawable;
}

/** Loads the typefaces that these texts need, and returns what the documents can then draw. */
export async function lettersFor(texts: readonly string[]): Promise<Letters> {
  const needed = (Object.keys(writingSystems) as WritingSystemName[]).filter((name) =>
    texts.some((text) => writingSystems[name].letter.test(text)),
  );
  const systems = await Promise.all(needed.map(load));
  return {
    files: new Map(systems.map(({ name, file }) => [name, file])),
    draw(text) {
      const letters = lettersOf(text);
      if (letters.every(isPlain)) return { text: drawable(text), isRespelled: false };
      const system = fitting(systems, letters);
      if (!system) return { text: drawable(text), isRespelled: true };
      const { name, isRightToLeft, covers: has } = system;
      const set = letters.map((letter) =>
        has(letter) || INVISIBLE.test(letter) ? letter : commonForm(letter, has),
      );
      return {
        text: joined(
          set.flatMap((letter, index) => Array.from(letter ?? anyAscii(letters[index]!))).filter(has),
        ),
        system: name,
        isRightToLeft,
        isRespelled: set.includes(undefined),
      };
    },
  };
}

/** The writing system to set a text in: it lacks at most every third letter, and none where a Latin one would run the other way. */
function fitting(systems: readonly LoadedSystem[], letters: readonly string[]): LoadedSystem | undefined {
  const lacking = ({ covers: has }: LoadedSystem) =>
    letters.filter((letter) => !has(letter) && !INVISIBLE.test(letter) && !commonForm(letter, has)).length;
  const [best] = systems.toSorted((one, other) => lacking(one) - lacking(other));
  if (!best) return undefined;
  const lacks = lacking(best);
  // A text in both directions needs more than a typeface.
  if (best.isRightToLeft) return lacks > 0 || /[a-z0-9]/i.test(letters.join("")) ? undefined : best;
  return lacks * 3 > letters.length ? undefined : best;
}

/** Forms of characters in Japanese names that typefaces often lack, with the common ones. */
const variants: Readonly<Record<string, string>> = {
  髙: "高",
  﨑: "崎",
  𠮷: "吉",
  濵: "浜",
  栁: "柳",
  桒: "桑",
  槗: "橋",
  邉: "辺",
};

function commonForm(letter: string, has: LoadedSystem["covers"]): string | undefined {
  const common = variants[letter];
  return common !== undefined && has(common) ? common : undefined;
}

function load(name: WritingSystemName): Promise<LoadedSystem> {
  const known = loading.get(name) ?? read(name);
  loading.set(name, known);
  return known;
}

async function read(name: WritingSystemName): Promise<LoadedSystem> {
  const system = writingSystems[name];
  const { face } = await system.load();
  return { name, file: await unpack(face), isRightToLeft: "isRightToLeft" in system, covers: coverOf(face) };
}

const isPlain = (letter: string) => covers.text(letter) || INVISIBLE.test(letter);

/**
 * The text in Latin, Greek and Cyrillic letters. Other letters are transliterated to Latin, and emoji are dropped. May be empty.
 */
export function drawable(text: string): string {
  return joined(
    lettersOf(text).map((letter) => {
      if (covers.text(letter)) return letter;
      return INVISIBLE.test(letter) ? "" : anyAscii(letter);
    }),
  );
}

/** The display face has only Western letters: a heading with any other letter is set entirely in bold. */
export function headingFace(drawableText: string): FaceName {
  return Array.from(drawableText).every((letter) => covers.display(letter)) ? "display" : "bold";
}
