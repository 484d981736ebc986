// The documents' typefaces, and which letters of a text they can draw.
import anyAscii from "any-ascii";
import { readFile } from "../file.ts";
import { type WritingSystemName, writingSystemNames, writingSystems } from "./writing-systems.ts";

const faceNames = ["regular", "bold", "display"] as const;
export type FaceName = (typeof faceNames)[number];
type TypefaceName = FaceName | WritingSystemName;

const files = new Map<TypefaceName, Promise<Uint8Array>>();

function typeface(name: TypefaceName): Promise<Uint8Array> {
  const known = files.get(name);
  if (known) return known;
  const file = readFile(new URL(`./typefaces/${name}.ttf`, import.meta.url));
  files.set(name, file);
  file.catch(() => files.delete(name));
  return file;
}

/** The typefaces that documents with these texts need, as TrueType files: their own, and those of the texts' writing systems. */
export function typefacesFor(texts: readonly string[]): Promise<(readonly [TypefaceName, Uint8Array])[]> {
  const systems = writingSystemNames.filter((name) =>
    texts.some((text) => writingSystems[name].letter.test(text)),
  );
  return Promise.all([...faceNames, ...systems].map(async (name) => [name, await typeface(name)] as const));
}

/** Pictures, flags and invisible characters: a name loses nothing without them. */
const PICTURE =
  /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\p{Variation_Selector}\p{Cc}\p{Cn}\p{Co}\p{Cs}]/u;
/** Joiners shape letters in some writing systems and mean nothing in others. */
const INVISIBLE = /\p{Cf}/u;

/** Katakana as bank transfers have them, which typefaces lack: ﾊﾟ is パ. */
const HALF_WIDTH = /[\uff66-\uff9f]+/g;

/** The letters of a text, without what is never drawn. */
const drawn = (text: string): string[] =>
  Array.from(
    text
      .normalize("NFC")
      .replace(HALF_WIDTH, (katakana) => katakana.normalize("NFKC"))
      .replace(/[^\S\u00a0]/g, " "),
  ).filter((letter) => !PICTURE.test(letter));
const joined = (letters: readonly string[]) => letters.join("").replace(/ {2,}/g, " ").trim();

/** A text in drawable letters, and the writing system to set it in; without one, the documents' own typefaces cover it. */
export interface Drawable {
  readonly text: string;
  readonly system?: WritingSystemName;
  readonly isRightToLeft?: boolean;
  readonly isRespelled: boolean;
}

/** A typeface that is open for drawing. */
export interface OpenTypeface {
  hasGlyphForCodePoint(code: number): boolean;
}

interface System {
  readonly name: WritingSystemName;
  readonly isRightToLeft: boolean;
  readonly covers: (letter: string) => boolean;
}

export interface Letters {
  readonly draw: (text: string) => Drawable;
  /**
   * The text in Latin, Greek and Cyrillic letters. Other letters are transliterated to Latin, and emoji are dropped. May be empty.
   */
  readonly plain: (text: string) => string;
  /** The display face has only Western letters: a heading with any other letter is set entirely in bold. */
  readonly headingFace: (text: string) => FaceName;
}

/** What documents can draw with these typefaces. */
export function lettersOf(typefaces: ReadonlyMap<TypefaceName, OpenTypeface>): Letters {
  const covers = (name: TypefaceName) => (letter: string) =>
    typefaces.get(name)!.hasGlyphForCodePoint(letter.codePointAt(0)!);
  const isPlain = covers("regular");
  const isDisplay = covers("display");
  const systems = writingSystemNames
    .filter((name) => typefaces.has(name))
    .map((name) => ({ name, isRightToLeft: "isRightToLeft" in writingSystems[name], covers: covers(name) }));
  const plain = (text: string) =>
    joined(
      drawn(text).map((letter) => {
        if (isPlain(letter)) return letter;
        return INVISIBLE.test(letter) ? "" : anyAscii(letter);
      }),
    );
  return {
    plain,
    headingFace: (text) => (Array.from(plain(text)).every(isDisplay) ? "display" : "bold"),
    draw(text) {
      const letters = drawn(text);
      if (letters.every((letter) => isPlain(letter) || INVISIBLE.test(letter)))
        return { text: plain(text), isRespelled: false };
      const system = fitting(systems, letters);
      if (!system) return { text: plain(text), isRespelled: true };
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
function fitting(systems: readonly System[], letters: readonly string[]): System | undefined {
  const lacking = ({ covers: has }: System) =>
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
  㐂: "喜",
};

function commonForm(letter: string, has: System["covers"]): string | undefined {
  const common = variants[letter];
  return common !== undefined && has(common) ? common : undefined;
}
