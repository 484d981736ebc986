// The functions service's only SQL: everything else the functions ask goes through the API, as on the platform.
import type { Cart, Reservation } from "../../../supabase/functions/_shared/reservation.ts";
import type { PaceReport } from "../../../supabase/functions/_shared/waiting-room/pace.ts";
import type { RoomState, Visit } from "../../../supabase/functions/_shared/waiting-room/visit.ts";
import type { Database } from "../postgres/database.ts";

/** Decides all carts in one statement and one transaction; answers come in the carts' order. */
export type ReserveBatch = (carts: readonly Cart[]) => Promise<readonly Reservation[]>;

export function reserveBatchIn(database: Database): ReserveBatch {
  const service = database.asSale("carts of many buyers are decided together; each names its own buyer");
  return async (carts) => {
    const { rows } = await service.run<{ answers: Reservation[] }>({
      name: "reserve_in_turn",
      text: "select public.reserve_in_turn($1::jsonb) as answers",
      values: [JSON.stringify(carts)],
    });
    return rows[0]!.answers;
  };
}

/** Everybody who asks at the waiting room at this moment, and how this process fares; answers come in the visits' order. */
export type VisitBatch = (visits: readonly Visit[], pace: PaceReport) => Promise<RoomState>;

export function visitBatchIn(database: Database): VisitBatch {
  const service = database.asSale(
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

/** Whether each session goes on, in their order. */
export type LiveBatch = (
  sessions: readonly { readonly user_id: string; readonly session_id: string | undefined }[],
) => Promise<readonly boolean[]>;

export function liveBatchIn(database: Database): LiveBatch {
  const service = database.asService("whether a session has ended is the service's to know");
  return async (sessions) => {
    const { rows } = await service.run<{ live: boolean[] }>({
      name: "live_sessions",
      text: "select public.live_sessions($1::jsonb) as live",
      values: [JSON.stringify(sessions)],
    });
    return rows[0]!.live;
  };
}
