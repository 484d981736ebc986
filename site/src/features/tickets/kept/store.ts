// The buyer's passes as they were last read, in IndexedDB, so that their codes open without a network. One person's at a time.
import { type DBSchema, openDB } from "idb";
import { logError } from "#lib/browser/error-log.ts";
import type { Pass } from "../model.ts";
import { choose, keptOwner, noteOwner, storedUser } from "./choice.ts";

export interface KeptPass extends Pass {
  /** What its code says. */
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

/** In place of what was kept before, whoever's it was. False when the browser has no room or refuses. */
export async function keep(userId: string, passes: readonly KeptPass[], now: number): Promise<boolean> {
  try {
    noteOwner(userId);
    const database = await open();
    await database.put("kept", { userId, savedAt: now, passes }, ONLY);
    database.close();
    return true;
  } catch (error) {
    logError("keep the tickets", error);
    return false;
  }
}

/** Only for the person whose session this browser has. */
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

/** Nothing of anybody stays, and the next person is asked anew. */
export async function forgetKept(): Promise<void> {
  choose(undefined);
  await dropKept();
}

/** Nothing of anybody stays; what was chosen does. */
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
