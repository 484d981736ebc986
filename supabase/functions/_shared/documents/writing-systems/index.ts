// Names in letters other than Latin, Greek and Cyrillic are printed as typed. Each writing system has its own typeface, loaded with
// the first name that needs it.
import type { PackedFace } from "../faces.ts";

interface WritingSystem {
  /** Matches a letter that identifies the writing system. */
  readonly letter: RegExp;
  readonly isRightToLeft?: true;
  readonly load: () => Promise<{ readonly face: PackedFace }>;
}

/** By typeface name. The imports are literal, so that a bundler can follow them. */
export const writingSystems = {
  arabic: { letter: /\p{Script=Arabic}/u, isRightToLeft: true, load: () => import("./arabic.ts") },
  bengali: { letter: /\p{Script=Bengali}/u, load: () => import("./bengali.ts") },
  devanagari: { letter: /\p{Script=Devanagari}/u, load: () => import("./devanagari.ts") },
  ethiopic: { letter: /\p{Script=Ethiopic}/u, load: () => import("./ethiopic.ts") },
  gujarati: { letter: /\p{Script=Gujarati}/u, load: () => import("./gujarati.ts") },
  gurmukhi: { letter: /\p{Script=Gurmukhi}/u, load: () => import("./gurmukhi.ts") },
  han: { letter: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u, load: () => import("./han.ts") },
  hangul: { letter: /\p{Script=Hangul}/u, load: () => import("./hangul.ts") },
  hebrew: { letter: /\p{Script=Hebrew}/u, isRightToLeft: true, load: () => import("./hebrew.ts") },
  tamil: { letter: /\p{Script=Tamil}/u, load: () => import("./tamil.ts") },
  telugu: { letter: /\p{Script=Telugu}/u, load: () => import("./telugu.ts") },
  thai: { letter: /\p{Script=Thai}/u, load: () => import("./thai.ts") },
} as const satisfies Record<string, WritingSystem>;

export type WritingSystemName = keyof typeof writingSystems;
