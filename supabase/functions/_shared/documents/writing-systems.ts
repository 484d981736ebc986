// Names in letters other than Latin, Greek and Cyrillic are printed as typed. Each writing system has its own typeface, read with
// the first name that needs it.
interface WritingSystem {
  /** Matches a letter that identifies the writing system. */
  readonly letter: RegExp;
  readonly isRightToLeft?: true;
}

/** By typeface name. */
export const writingSystems = {
  arabic: { letter: /\p{Script=Arabic}/u, isRightToLeft: true },
  bengali: { letter: /\p{Script=Bengali}/u },
  devanagari: { letter: /\p{Script=Devanagari}/u },
  ethiopic: { letter: /\p{Script=Ethiopic}/u },
  gujarati: { letter: /\p{Script=Gujarati}/u },
  gurmukhi: { letter: /\p{Script=Gurmukhi}/u },
  han: { letter: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u },
  hangul: { letter: /\p{Script=Hangul}/u },
  hebrew: { letter: /\p{Script=Hebrew}/u, isRightToLeft: true },
  tamil: { letter: /\p{Script=Tamil}/u },
  telugu: { letter: /\p{Script=Telugu}/u },
  thai: { letter: /\p{Script=Thai}/u },
} as const satisfies Record<string, WritingSystem>;

export type WritingSystemName = keyof typeof writingSystems;
export const writingSystemNames = Object.keys(writingSystems) as readonly WritingSystemName[];
