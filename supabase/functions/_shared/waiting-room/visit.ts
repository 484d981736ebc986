// A visit to the waiting room, read from a request: who comes, with which place, and the answer they get.
import type { WaitingRoomAnswer } from "contract/shop/waiting-room";
import type { SignedInUser, FunctionDeps } from "../deps.ts";
import { FunctionError } from "../errors.ts";
import { placeGone, type PlaceHolder, readPlace, signPlace } from "./place.ts";
import type { Visit } from "./room.ts";

/** What the client sends: the signed place, the visitor's secret. */
export interface ShownPlace {
  readonly place?: string | undefined;
  readonly visitor?: string | undefined;
}

/** The caller's visit. @throws FunctionError when the place is not theirs */
export async function visitOf(
  deps: FunctionDeps,
  { place, visitor: secret }: ShownPlace,
  caller: SignedInUser | null,
  address: string,
): Promise<Visit> {
  // The database and the place hold only the secret's hash.
  const visitor = secret === undefined ? undefined : await deps.sha256(secret);
  if (!caller && visitor === undefined) {
    throw new FunctionError("invalid_request", "Send a visitor's secret, or sign in.");
  }
  const holders: PlaceHolder[] = [];
  if (caller) holders.push({ userId: caller.userId });
  if (visitor !== undefined) holders.push({ visitor });
  const id = place === undefined ? undefined : await readPlace(deps, place, holders, deps.now());
  return { place: id, user_id: caller?.userId, visitor, address };
}

/** Takes a place, or asks about the one they have. @throws FunctionError place_gone, or rate_limited for a flood */
export async function visitRoom(deps: FunctionDeps, visit: Visit): Promise<WaitingRoomAnswer> {
  const answer = await deps.room.visit(visit);
  if (!answer || "no_turn_needed" in answer) return nobodyWaits;
  if ("gone" in answer) throw placeGone(answer.gone);
  if ("crowded" in answer) {
    throw new FunctionError(
      "rate_limited",
      "A lot of people on your network are waiting. Sign in to get a place of your own.",
      { details: { retry_after_seconds: 10 } },
    );
  }
  const { id, bound, admitted, ahead } = answer;
  const holder: PlaceHolder = bound ? { userId: visit.user_id! } : { visitor: visit.visitor! };
  return {
    open: true,
    admitted,
    place: await signPlace(deps, id, holder, deps.now()),
    position: admitted ? 0 : ahead + 1,
    ahead,
    estimatedSeconds: answer.estimated_seconds,
    pollAfterSeconds: answer.poll_after_seconds,
  };
}

const nobodyWaits: WaitingRoomAnswer = {
  open: false,
  admitted: true,
  place: null,
  position: 0,
  ahead: 0,
  estimatedSeconds: 0,
  pollAfterSeconds: 0,
};
