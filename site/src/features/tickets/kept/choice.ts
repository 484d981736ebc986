// Whether this device keeps codes, and whose. Small, because every page that sells uses it to decide whose
// codes to forget.
import { readJson, readText, writeText } from "#lib/browser/stored-json.ts";
import { SESSION_KEY } from "#lib/api/supabase.ts";
import { isLoggedOut } from "#lib/session/session-store.ts";

/** The id of the user whose codes are kept here. */
const OWNER_KEY = "houston-culture-festival:kept-tickets-of";
/** "yes" or "no" once the user has chosen. */
const CHOICE_KEY = "houston-culture-festival:keep-tickets";

/** A choice that could not be stored, where storage is full or blocked: lasts until the page is left. */
let unkept: boolean | undefined;

export const keptOwner = () => readText("local", OWNER_KEY);
export const noteOwner = (userId: string | undefined) => writeText("local", OWNER_KEY, userId);

/**
 * A phone belongs to one person, a computer may belong to a library: it keeps nothing until the user asks for
 * it. Nothing is kept again by a page that still shows the tickets of a user who is logging out.
 */
export function keepsHere(): boolean {
  if (isLoggedOut()) return false;
  if (unkept !== undefined) return unkept;
  const choice = readText("local", CHOICE_KEY);
  if (choice !== undefined) return choice === "yes";
  return matchMedia("(pointer: coarse) and (hover: none)").matches;
}

const listeners = new Set<() => void>();

export function choose(keeps: boolean): void {
  const choice = keeps ? "yes" : "no";
  writeText("local", CHOICE_KEY, choice);
  unkept = readText("local", CHOICE_KEY) === choice ? undefined : keeps;
  for (const listener of listeners) listener();
}

/** Without notice: the user it belonged to is leaving, and the next one is asked again. */
export function forgetChoice(): void {
  unkept = undefined;
  writeText("local", CHOICE_KEY, undefined);
}

/** Calls the listener when the user chooses, in this tab or another one. */
export function followChoice(listener: () => void): () => void {
  const onStorage = ({ key, newValue }: StorageEvent) => {
    if (key !== CHOICE_KEY || newValue === null) return;
    unkept = undefined;
    listener();
  };
  listeners.add(listener);
  addEventListener("storage", onStorage);
  return () => {
    listeners.delete(listener);
    removeEventListener("storage", onStorage);
  };
}

/** The signed-in user according to the browser's storage, even if the session needs a network to continue. */
export function storedUser(): string | undefined {
  try {
    const session = readJson("local", SESSION_KEY) as { user?: { id?: string } } | undefined;
    return session?.user?.id;
  } catch {
    return undefined;
  }
}
