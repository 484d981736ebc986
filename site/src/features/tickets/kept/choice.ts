// Whether this device keeps codes, and whose. Small, because every page that sells asks it whom to forget.
import { readJson, readText, writeText } from "#lib/browser/stored-json.ts";
import { SESSION_KEY } from "#lib/api/supabase.ts";

/** The id of whose codes are kept here. */
const OWNER_KEY = "houston-culture-festival:kept-tickets-of";
/** "yes" or "no" where somebody has chosen. */
const CHOICE_KEY = "houston-culture-festival:keep-tickets";

export const keptOwner = () => readText("local", OWNER_KEY);
export const noteOwner = (userId: string | undefined) => writeText("local", OWNER_KEY, userId);

/** A phone is one person's, a computer may be a library's: that one keeps nothing until it is asked to. */
export function keepsHere(): boolean {
  const choice = readText("local", CHOICE_KEY);
  if (choice !== undefined) return choice === "yes";
  return matchMedia("(pointer: coarse) and (hover: none)").matches;
}

export const choose = (keeps: boolean | undefined) =>
  writeText("local", CHOICE_KEY, keeps === undefined ? undefined : keeps ? "yes" : "no");

/** Who is signed in according to the browser's storage, though the session may need a network to go on. */
export function storedUser(): string | undefined {
  try {
    const session = readJson("local", SESSION_KEY) as { user?: { id?: string } } | undefined;
    return session?.user?.id;
  } catch {
    return undefined;
  }
}
