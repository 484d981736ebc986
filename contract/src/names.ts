// How people are found by name or email: the words of what they are called and of what was typed, and when the two match; and how
// a car is found by its plate. SQL has the same rules (`folded`, `search_words`, `words_asked`, `plate_letters`), and a test compares
// them; a phone at the gate needs them without a network.

const APOSTROPHES =
  /[\u0060\u00b4\u02b9\u02bb-\u02bd\u02c8\u055a\u05f3\u05f4\u2018-\u201b\u2032\ua78c\uff07]/g;
const HYPHENS = /[\u058a\u05be\u2010-\u2015\u2212\u30a0\ufe58\ufe63\uff0d]/g;
/** Soft hyphens, marks of direction, variants and the like. */
const INVISIBLE = /[\ufe00-\ufe0f\u00ad\u061c\u0640\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
/** Of scripts in which they are accents. In others, such as Hindi, they are vowels. */
const ACCENTS = /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670]/g;
/** Letters that do not decompose. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ đ: "d", ð: "d", ø: "o", ł: "l", ħ: "h", ı: "i", ŧ: "t", ə: "e", ς: "σ" },
  ...{ ß: "ss", æ: "ae", œ: "oe", þ: "th" },
};
const LISTED = /[đðøłħıŧəςßæœþ]/g;
const BETWEEN_WORDS =
  /[\u0001-/:-@[-`{-\u00bf\u00d7\u00f7\u02b9-\u02ff\u055b-\u055f\u0589\u05c0\u05c3\u05c6\u060c\u061b\u061f\u066a-\u066d\u06d4\u0964\u0965\u1680\u2000-\u206f\u20a0-\u20cf\u2190-\u2bff\u2e00-\u2e7f\u3000-\u3004\u3008-\u3020\u3030\u303d\u30fb\ufffd\u{1f000}-\u{1fbff}]+/gu;
const SPACE = /[\u0009-\u000d\u0020\u0085\u1680\u2028\u2029]+/;
const JOINED = /['-]/g;
/** Of a script that has no spaces between words. */
const SPACELESS =
  /[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u30fa\u30fc-\u312f\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\u{20000}-\u{3ffff}]/u;

/** One apostrophe, one hyphen, no case and no accents. */
export const folded = (text: string): string =>
  text
    .replace(APOSTROPHES, "'")
    .replace(HYPHENS, "-")
    .replace(INVISIBLE, "")
    .normalize("NFKD")
    .replace(ACCENTS, "")
    .normalize("NFC")
    .toLowerCase()
    .replace(LISTED, (letter) => LETTERS[letter]!);

/** O'Neal-Wu by its parts and as "onealwu"; a name written without spaces from each of its letters on. */
export function searchWords(name: string, email: string): Set<string> {
  const names = folded(name);
  const text = [names, names.replace(JOINED, ""), folded(email)].join(" ");
  return new Set(split(text).flatMap((word) => (SPACELESS.test(word) ? endings(word) : [cut([...word])])));
}

function endings(word: string): string[] {
  const letters = [...word];
  return letters.flatMap((letter, at) =>
    at === 0 || SPACELESS.test(letter) ? [cut(letters.slice(at))] : [],
  );
}

/**
 * Whether the words, as one text with a space before and after each, have every word that was typed: as their beginning, or `whole`.
 */
export function wordsAsked(
  typed: string,
  how: "beginning" | "whole" = "beginning",
): (words: string) => boolean {
  const end = how === "whole" ? " " : "";
  const sought = (word: string) => ` ${cut([...word])}${end}`;
  const terms = folded([...typed].slice(0, 200).join(""))
    .split(SPACE)
    .flatMap((term) => {
      const parts = split(term);
      const joined = JOINED_ONCE.test(term) ? sought(parts.join("")) : undefined;
      return parts.length > 0 ? [{ parts: parts.map(sought), joined }] : [];
    });
  return (words) =>
    terms.length > 0 &&
    terms.every(
      ({ parts, joined }) =>
        parts.every((part) => words.includes(part)) || (joined !== undefined && words.includes(joined)),
    );
}

const JOINED_ONCE = /['-]/;

/** The letters and digits of a license plate, which is found by the first two or more of them. */
export const plateLetters = (plate: string): string => split(folded(plate)).join("");

const split = (text: string): string[] => text.split(BETWEEN_WORDS).filter((word) => word !== "");
const cut = (letters: readonly string[]): string => letters.slice(0, 40).join("");
