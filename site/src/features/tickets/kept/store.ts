// The buyer's passes as last read, in IndexedDB, so that their codes open without a network. Only one user's at a time.
import { type DBSchema, openDB } from "idb";
import { logError } from "#lib/browser/error-log.ts";
import type { Pass } from "../model.ts";
import { forgetChoice, keptOwner, noteOwner, storedUser } from "./choice.ts";

export interface KeptPass extends Pass {
  /** The content of its code. */
  code: string;
}

export interface Kept {
  userId: string;
  savedAt: number;
  passes: readonly KeptPass[];
}

interface Schema extends DBSchema {
  kept: { key: string; value: Kept };
}

const DATABASE = "houston-culture-festival:tickets";
const ONLY = "kept";

const open = () =>
  openDB<Schema>(DATABASE, 1, { upgrade: (database) => void database.createObjectStore("kept") });

/** Replaces what was kept before, whoever owned it. False when the browser has no room or refuses. */
export async function keep(userId: string, passes: readonly KeptPass[], now: number): Promise<boolean> {
  try {
    noteOwner(userId);
    // Nobody could open them, and the next user's sign-in would not remove them.
    if (keptOwner() !== userId) return false;
    const database = await open();
    await database.put("kept", { userId, savedAt: now, passes }, ONLY);
    database.close();
    return true;
  } catch (error) {
    logError("keep the tickets", error);
    return false;
  }
}

/** Only for the user whose session this browser has. */
export async function readKept(): Promise<Kept | undefined> {
  const userId = storedUser();
  if (userId === undefined || keptOwner() !== userId) return undefined;
  try {
    const database = await open();
    const kept = await database.get("kept", ONLY);
    database.close();
    return kept?.userId === userId ? kept : undefined;
  } catch (error) {
    logError("read the kept tickets", error);
    return undefined;
  }
}

/** Removes everything, including the choice, so the next user is asked again. */
export async function forgetKept(): Promise<void> {
  forgetChoice();
  await dropKept();
}

/** Removes the passes, but keeps the choice. */
export async function dropKept(): Promise<void> {
  noteOwner(undefined);
  try {
    const database = await open();
    await database.clear("kept");
    database.close();
  } catch (error) {
    logError("forget the kept tickets", error);
  }
}
