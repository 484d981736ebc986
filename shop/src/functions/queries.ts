// The only SQL of the functions here: everything else they need goes through the API, as on the platform.
import type { SignedInUser } from "../../../supabase/functions/_shared/deps.ts";
import type { Cart, Reservation } from "../../../supabase/functions/_shared/reservation.ts";
import type { CallRoom, RoomState } from "../../../supabase/functions/_shared/waiting-room/room.ts";
import type { Database } from "../../../server/src/postgres/database.ts";

/** Decides all carts in one transaction. Returns the answers in the carts' order. */
export type ReserveBatch = (carts: readonly Cart[]) => Promise<readonly Reservation[]>;

export function reserveBatchIn(database: Database): ReserveBatch {
  const service = database.asUrgent("carts of many buyers are decided together; each names its own buyer");
  return async (carts) => {
    const { rows } = await service.run<{ answers: Reservation[] }>({
      name: "reserve_in_turn",
      text: "select public.reserve_in_turn($1::jsonb) as answers",
      values: [JSON.stringify(carts)],
    });
    return rows[0]!.answers;
  };
}

/** All current visits to the waiting room, and this process's pace. */
export function visitBatchIn(database: Database): CallRoom {
  const service = database.asUrgent(
    "the waiting room is one for all visitors; each sees their own place alone",
  );
  return async (visits, pace) => {
    const { rows } = await service.run<{ room: RoomState }>({
      name: "visit_waiting_room",
      text: "select public.visit_waiting_room($1::jsonb, $2::jsonb) as room",
      values: [JSON.stringify(visits), JSON.stringify(pace)],
    });
    return rows[0]!.room;
  };
}

/** Whether each caller's session is live and has completed its second step, in the callers' order. */
export type LiveBatch = (callers: readonly SignedInUser[]) => Promise<readonly boolean[]>;

export function liveBatchIn(database: Database): LiveBatch {
  const service = database.asService("only the service may see whether a session has ended");
  return async (callers) => {
    const sessions = callers.map(({ userId, sessionId, aal }) => ({
      user_id: userId,
      session_id: sessionId,
      aal,
    }));
    const { rows } = await service.run<{ live: (boolean | null)[] }>({
      name: "usable_sessions",
      text: "select public.usable_sessions($1::jsonb) as live",
      values: [JSON.stringify(sessions)],
    });
    return rows[0]!.live.map((live) => live === true);
  };
}
