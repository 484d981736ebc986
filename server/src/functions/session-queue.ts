// Whether a caller's session goes on is asked with every order: who asks while one question is with the database shares the
// next one, so that a rush costs a few questions and no connection more.
import type { Caller } from "../../../supabase/functions/_shared/deps.ts";
import type { LiveBatch } from "./queries.ts";

interface Waiting {
  readonly caller: Caller;
  readonly settle: (live: boolean) => void;
  readonly fail: (error: unknown) => void;
}

export function createSessionQueue(liveBatch: LiveBatch): (caller: Caller) => Promise<boolean> {
  let waiting: Waiting[] = [];
  let asking = false;

  async function ask(): Promise<void> {
    asking = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        const live = await liveBatch(
          batch.map(({ caller }) => ({ user_id: caller.userId, session_id: caller.sessionId })),
        );
        batch.forEach(({ settle }, index) => settle(live[index] === true));
      } catch (error) {
        for (const { fail } of batch) fail(error);
      }
    }
    asking = false;
  }

  return (caller) =>
    new Promise((settle, fail) => {
      waiting.push({ caller, settle, fail });
      if (!asking) void ask();
    });
}
