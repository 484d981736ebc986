// One call for all who ask at the waiting room, and what one of them can do to the others: nothing.
import { expect, test } from "vitest";
import type { Visit } from "../../../../supabase/functions/_shared/waiting-room/visit.ts";
import { createRoomQueue } from "./room-queue.ts";
import type { VisitBatch } from "../queries.ts";

const visit = (user_id: string): Visit => ({
  place: undefined,
  user_id,
  visitor: undefined,
  address: "192.0.2.1",
});
const pace = {} as Parameters<VisitBatch>[1];

/** Refuses a batch with the token of a deleted account in it, as the foreign key does. */
function roomWithout(gone: string) {
  let calls = 0;
  const queue = createRoomQueue(
    async (visits) => {
      calls++;
      if (visits.some(({ user_id }) => user_id === gone)) {
        throw Object.assign(new Error("violates foreign key constraint"), { code: "23503" });
      }
      return { open: true, answers: visits.map(() => ({ no_turn_needed: true })) } as never;
    },
    () => pace,
    () => {},
  );
  return { queue, calls: () => calls };
}

test("a deleted account's visit fails alone", async () => {
  const { queue, calls } = roomWithout("gone");
  const first = queue.visit(visit("first")); // under way while the others gather
  const honest = Array.from({ length: 96 }, (_, n) => queue.visit(visit(`u${n}`)));
  const looping = queue.visit(visit("gone"));
  await expect(looping).rejects.toMatchObject({ code: "23503" });
  await expect(Promise.all([first, ...honest])).resolves.toHaveLength(97);
  expect(calls()).toBeLessThan(20);
});
