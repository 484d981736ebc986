// Many people ask how the line stands: whoever asks while one call is with the database shares the next one, and there are
// few calls in a second unless each is full. A visit that cannot be answered fails alone.
import type { PaceReport } from "../../../../supabase/functions/_shared/waiting-room/pace.ts";
import type { RoomAnswer, Visit } from "../../../../supabase/functions/_shared/waiting-room/visit.ts";
import type { VisitBatch } from "../queries.ts";
import { isSplittable } from "../splitting.ts";

const MOST_VISITS = 1000;
const BETWEEN_CALLS_MS = 200;

interface Waiting {
  readonly visit: Visit;
  readonly settle: (answer: RoomAnswer | undefined) => void;
  readonly fail: (error: unknown) => void;
}

export interface RoomQueue {
  /** Undefined while nobody waits. */
  visit(visit: Visit): Promise<RoomAnswer | undefined>;
  /** What the last call said. */
  readonly open: boolean;
  /** Takes the process's pace to the room with the next call. */
  tell(): void;
}

export function createRoomQueue(
  visitBatch: VisitBatch,
  report: () => PaceReport,
  onFailure: (error: unknown) => void,
): RoomQueue {
  const queue: Waiting[] = [];
  let told = true;
  let open = false;
  let working = false;

  async function work(): Promise<void> {
    working = true;
    while (queue.length > 0 || !told) {
      told = true;
      await ask(queue.splice(0, MOST_VISITS));
      // A call's worth of people is not kept waiting: more may come in a second than calls with pauses take.
      if (queue.length < MOST_VISITS) await new Promise((done) => setTimeout(done, BETWEEN_CALLS_MS));
    }
    working = false;
  }

  async function ask(batch: readonly Waiting[]): Promise<void> {
    try {
      const room = await visitBatch(
        batch.map(({ visit }) => visit),
        report(),
      );
      open = room.open;
      batch.forEach(({ settle }, index) => settle(room.answers[index]));
    } catch (error) {
      if (batch.length === 0) onFailure(error);
      if (batch.length <= 1 || !isSplittable(error)) {
        for (const { fail } of batch) fail(error);
        return;
      }
      // Rolled back whole. By halves: whoever caused it is found among a thousand in twenty calls.
      const middle = batch.length >> 1;
      await ask(batch.slice(0, middle));
      await ask(batch.slice(middle));
    }
  }

  const begin = () => {
    if (!working) void work();
  };
  return {
    visit: (visit) =>
      new Promise((settle, fail) => {
        queue.push({ visit, settle, fail });
        begin();
      }),
    get open() {
      return open;
    },
    tell() {
      told = false;
      begin();
    },
  };
}
