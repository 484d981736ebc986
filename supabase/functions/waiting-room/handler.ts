// Takes a place in the waiting room, or reports the state of the line. Needs no account, and does nothing while nobody waits.
import { waitingRoomVisitSchema } from "contract/schemas";
import { publicFunction, readBody } from "../_shared/handler.ts";
import { visitOf, visitRoom } from "../_shared/waiting-room/visit.ts";

export const handler = publicFunction(async (request, deps) => {
  const shown = await readBody(request, waitingRoomVisitSchema);
  const caller = await deps.caller(request);
  return visitRoom(deps, await visitOf(deps, shown, caller, deps.address(request)));
});
