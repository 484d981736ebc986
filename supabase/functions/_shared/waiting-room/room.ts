// The waiting room as one process sees it: passes visits to SQL, which decides order, admission and opening (visit_waiting_room),
// and reports the process's pace with them. A strained process reports even when nobody visits.
import { FunctionError } from "../errors.ts";
import { createPace, type PaceReport } from "./pace.ts";

/** One element of `visits`. */
export interface Visit {
  readonly place?: string | undefined;
  readonly user_id?: string | undefined;
  readonly visitor?: string | undefined;
  readonly address: string;
  /** The idempotency key of a buyer who comes to order. */
  readonly key?: string;
}

/** SQL's answers to all visits of a call, in their order; empty while the room is closed. */
export interface RoomState {
  readonly open: boolean;
  readonly answers: readonly RoomAnswer[];
}

type RoomAnswer =
  | { readonly gone: "used" | "expired" }
  | { readonly crowded: true }
  /** Holds tickets, or repeats an order. */
  | { readonly no_turn_needed: true }
  | {
      readonly id: string;
      /** True if bound to an account, false if bound to a visitor. */
      readonly bound: boolean;
      readonly admitted: boolean;
      readonly ahead: number;
      readonly estimated_seconds: number;
      readonly poll_after_seconds: number;
    };

export interface WaitingRoom {
  /** As of the last call. While it is open, buyers visit before they order, which spares the sale. */
  readonly open: boolean;
  /** Undefined while nobody waits. */
  visit(visit: Visit): Promise<RoomAnswer | undefined>;
  /** Runs an order and counts its buyer as under way until it is answered. */
  serve<T>(buyer: string, order: () => Promise<T>): Promise<T>;
}

/** One call of `visit_waiting_room`. */
export type CallRoom = (visits: readonly Visit[], pace: PaceReport) => Promise<RoomState>;

/** What goes into a call: a visit, or null for a report alone. */
type Entry = Visit | null;
type Answer = RoomAnswer | undefined;

interface RoomOptions {
  readonly call: CallRoom;
  readonly now: () => number;
  readonly onReportFailure: (error: unknown) => void;
  /** Gathers the entries of many callers into few calls; if left out, each entry makes its own call. */
  readonly gather?: (
    run: (entries: readonly Entry[]) => Promise<readonly Answer[]>,
  ) => (entry: Entry) => Promise<Answer>;
}

export function createWaitingRoom(options: RoomOptions): WaitingRoom {
  const { call, now, onReportFailure, gather = oneByOne } = options;
  const pace = createPace(now);
  const ask = gather(run);
  let open = false;
  let reportWaits = false;

  async function run(entries: readonly Entry[]): Promise<readonly Answer[]> {
    reportWaits = false;
    const visits = entries.filter((entry) => entry !== null);
    const room = await call(visits, pace.report());
    open = room.open;
    const answers = room.answers.values();
    return entries.map((entry) => (entry === null ? undefined : answers.next().value));
  }

  function reportIfDue(): void {
    if (reportWaits || !pace.isReportDue()) return;
    reportWaits = true;
    ask(null).catch(onReportFailure);
  }

  return {
    get open() {
      return open;
    },
    visit: ask,
    async serve(buyer, order) {
      const arrival = pace.arrive(buyer);
      reportIfDue();
      let served = true;
      try {
        return await order();
      } catch (error) {
        served = !(error instanceof FunctionError && error.code === "waiting_room");
        throw error;
      } finally {
        arrival.answered(served);
        // Before the buyer stops counting: in a process with one buyer, nothing else shows a queue in the database.
        reportIfDue();
        arrival.left();
      }
    },
  };
}

function oneByOne(
  run: (entries: readonly Entry[]) => Promise<readonly Answer[]>,
): (entry: Entry) => Promise<Answer> {
  return async (entry) => (await run([entry]))[0];
}
