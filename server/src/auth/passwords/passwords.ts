// Passwords: which ones may be set, hashing, comparing.
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Brand } from "../../platform/brand.ts";
import { onFirstUse } from "../../platform/on-first-use.ts";
import { refuse } from "../errors.ts";
import type { AuthSettings } from "../settings/settings.ts";
import type { Turn } from "../../platform/threads.ts";
import type { HashingThreads } from "./hashing-threads.ts";

export interface Passwords {
  hash(password: string, turn: Turn): Promise<string>;
  /** False for a user without a password, or no user at all, after the same work as for a user with one. */
  matches(password: string, hash: string | null | undefined, turn: Turn): Promise<boolean>;
  close(): Promise<void>;
}

/** bcrypt reads no further; longer passwords would all match on their first 72 bytes. */
const MAX_BYTES = 72;

export function createPasswords(cost: number, threads: HashingThreads): Passwords {
  async function hash(password: string, turn: Turn): Promise<string> {
    const answer = await threads.run({ password, cost }, turn);
    return (answer as { hash: string }).hash;
  }

  // Hashed as this machine's own job. Otherwise the first caller's full queue could refuse the decoy that everyone needs.
  const decoy = onFirstUse(() => hash(randomBytes(16).toString("hex"), { ip: undefined, account: "" }));

  return {
    hash,
    async matches(password, known, turn) {
      const comparable = known && Buffer.byteLength(password) <= MAX_BYTES ? known : undefined;
      const against = comparable ?? (await decoy.get());
      const answer = await threads.run({ password, hash: against }, turn);
      return comparable !== undefined && (answer as { equal: boolean }).equal;
    },
    close: () => threads.close(),
  };
}

const commonPasswords = onFirstUse(async (): Promise<ReadonlySet<string>> => {
  const list = await readFile(new URL("./common-passwords.txt", import.meta.url), "utf8");
  return new Set(list.split("\n").filter((line) => line !== "" && !line.startsWith("#")));
});

/** The hashes this server compares: bcrypt with a work factor that a sign-in can wait for. */
export const isKnownHash = (hash: string) => /^\$2[aby]\$(0[4-9]|1[0-4])\$[./A-Za-z0-9]{53}$/.test(hash);

interface Rules {
  readonly settings: Pick<
    AuthSettings,
    "PASSWORD_MIN_LENGTH" | "PASSWORD_REQUIRED_CHARACTERS" | "PASSWORD_HIBP_ENABLED"
  >;
  readonly brand: Pick<Brand, "words">;
}

/** Throws GoTrue's refusal, with every reason, if the password may not be set. `addresses`: the account's own. */
export async function checkStrength(
  password: string,
  { settings: rules, brand }: Rules,
  addresses: readonly (string | null | undefined)[],
): Promise<void> {
  if (Buffer.byteLength(password) > MAX_BYTES) {
    throw refuse("validation_failed", `Password cannot be longer than ${MAX_BYTES} characters`);
  }
  const weaknesses: [reason: string, message: string][] = [];
  if (password.length < rules.PASSWORD_MIN_LENGTH) {
    weaknesses.push(["length", `Password should be at least ${rules.PASSWORD_MIN_LENGTH} characters.`]);
  }
  const sets = characterSets(rules.PASSWORD_REQUIRED_CHARACTERS);
  if (sets.some((set) => set !== "" && ![...password].some((character) => set.includes(character)))) {
    weaknesses.push([
      "characters",
      `Password should contain at least one character of each: ${sets.join(", ")}.`,
    ]);
  }
  const isListed = async () => rules.PASSWORD_HIBP_ENABLED && (await isKnown(password, brand.words));
  if (weaknesses.length === 0 && (isPlain(password, addresses) || (await isListed()))) {
    weaknesses.push([
      "pwned",
      "Password is known to be weak and easy to guess, please choose a different one.",
    ]);
  }
  if (weaknesses.length === 0) return;
  throw refuse("weak_password", weaknesses.map(([, message]) => message).join(" "), {
    extra: { weak_password: { reasons: weaknesses.map(([reason]) => reason) } },
  });
}

/** The sets in `abc:ABC:123`, where `\:` is a colon. */
const characterSets = (text: string): string[] =>
  text === "" ? [] : text.split(/(?<!\\):/).map((set) => set.replaceAll("\\:", ":"));

/** Blank, or the account's own address: refused whatever the settings. */
const isPlain = (password: string, addresses: readonly (string | null | undefined)[]): boolean =>
  ["", ...addresses].some((plain) => plain?.trim().toLowerCase() === password.trim().toLowerCase());

/** GoTrue queries a list of leaked passwords; ours is local. */
async function isKnown(password: string, ownWords: readonly string[]): Promise<boolean> {
  const common = await commonPasswords.get();
  const lowerCase = password.toLowerCase();
  if (common.has(lowerCase)) return true;
  // Digits and punctuation between the project's own words make a password no harder to guess.
  const own = new RegExp(`^(${["admin", "administrator", ...ownWords].join("|")})+$`);
  return own.test(lowerCase.replace(/[^\p{L}]/gu, ""));
}
