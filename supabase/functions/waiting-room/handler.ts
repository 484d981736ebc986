// Takes a place in the waiting room, or reports the state of the line. Needs no account, and does nothing while nobody waits.
import { waitingRoomVisitSchema } from "contract/schemas";
import { FunctionError } from "../_shared/errors.ts";
import { isLive, publicFunction, readBody } from "../_shared/handler.ts";
import { visitOf, visitRoom } from "../_shared/waiting-room/visit.ts";

export const handler = publicFunction(async (request, deps) => {
  const shown = await readBody(request, waitingRoomVisitSchema);
  const caller = await deps.caller(request);
  // Each visit of a deleted account would fail the batch that it shares with others, which is then split to find it.
  if (caller && !(await isLive(deps, caller)))
    throw new FunctionError("unauthorized", "Please sign in again.");
  return visitRoom(deps, await visitOf(deps, shown, caller, deps.address(request)));
});
