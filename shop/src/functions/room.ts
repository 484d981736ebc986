// The waiting room of our server. Requests that arrive during a database call share the next one, and there are at most five
// calls a second unless each is full.
import {
  type CallRoom,
  createWaitingRoom,
  type WaitingRoom,
} from "../../../supabase/functions/_shared/waiting-room/room.ts";
import { batched } from "../../../server/src/postgres/batched.ts";

const MOST_VISITS = 1000;
const BETWEEN_CALLS_MS = 200;

export function createBatchedRoom(
  call: CallRoom,
  now: () => number,
  onReportFailure: (error: unknown) => void,
): WaitingRoom {
  return createWaitingRoom({
    call,
    now,
    onReportFailure,
    gather: (run) => batched({ run, most: MOST_VISITS, pauseMs: BETWEEN_CALLS_MS }),
  });
}
