// Takes a place in the waiting room, or says how the line stands. No account is needed. Costs nothing and does nothing
// while nobody has to wait.
import { waitingRoomVisitSchema } from "contract/schemas";
import { publicFunction, readBody } from "../_shared/handler.ts";
import { visitOf, visitRoom } from "../_shared/waiting-room/visit.ts";

export const handler = publicFunction(async (request, deps) => {
  const shown = await readBody(request, waitingRoomVisitSchema);
  const caller = await deps.caller(request);
  return visitRoom(deps, await visitOf(deps, shown, caller, deps.address(request)));
});
