// This browser's place in the waiting room before signing in: the visitor's secret and the signed place, shared by all
// tabs and kept across reloads. Once there is an account, the account has the place and nothing is kept here.
import { FunctionError } from "#lib/api/functions.ts";
import { readJson, writeJson } from "#lib/browser/stored-json.ts";
import type { WaitingRoomAnswer } from "contract/shop/waiting-room";
import { visit, type VisitorPlace } from "../queries.ts";

const KEY = "houston-culture-festival:waiting-line";

/** What an order sends of a place that may not belong to the account yet. */
export function visitorPlace(): Partial<VisitorPlace> {
  try {
    const stored = readJson("local", KEY) as Partial<VisitorPlace> | undefined;
    if (typeof stored?.visitor !== "string") return {};
    return typeof stored.place === "string"
      ? { visitor: stored.visitor, place: stored.place }
      : { visitor: stored.visitor };
  } catch {
    return {};
  }
}

export function forgetVisitorPlace(): void {
  writeJson("local", KEY, undefined);
}

/** The place was used, has expired, or belongs to someone else, so a new one is needed. */
export function isLostPlace(error: unknown): boolean {
  return error instanceof FunctionError && (error.code === "place_gone" || error.code === "invalid_place");
}

/** Takes a place or polls the existing one. @throws FunctionError with the server's reason, or Error */
export async function visitWaitingRoom(signedIn: boolean): Promise<WaitingRoomAnswer> {
  const known = visitorPlace();
  // Stored before it is sent, so that a second tab, or a retry after a lost response, does not line up twice.
  const shown: Partial<VisitorPlace> = signedIn || known.visitor ? known : { visitor: newSecret() };
  if (!signedIn) writeJson("local", KEY, shown);
  const answer = await visit(shown);
  if (signedIn || !answer.place) forgetVisitorPlace();
  else writeJson("local", KEY, { ...shown, place: answer.place });
  return answer;
}

function newSecret(): string {
  return crypto.randomUUID() + crypto.randomUUID();
}
