// Keeps an operation of the payment provider within its limit. No setting has the limit: an account's may be raised, and several
// processes share it. So the first "too many requests" (429) starts a line, and each further one lengthens the interval at which
// its calls start, and each accepted call shortens it. Buyers in line count as under way, so a long line opens the waiting room.
// Times are of a clock that nobody sets back.
import { z } from "zod";
import { FunctionError } from "./errors.ts";

/** A little below Stripe's default of 25 a second for each operation. */
const FIRST_INTERVAL_MS = 50;
const LONGEST_INTERVAL_MS = 1000;
/** The limit counts by the second: refusals within one say the same. */
const LENGTHENED_EVERY_MS = 1000;
const LENGTHENED_BY = 1.25;
/** A quarter faster after 90 accepted calls. */
const SHORTENED_BY = 0.9975;
/** Then the line ends, because the rush may be over. */
const CALM_MS = 60_000;
/** The site waits fifteen seconds for an answer. */
const PATIENCE_MS = 10_000;
const TRY_AGAIN_SECONDS = 5;

/** Makes the call, later if the provider takes no more now. @throws FunctionError rate_limited when that would take too long */
export type Paced = <T>(call: () => Promise<T>) => Promise<T>;

export function createProviderPace(): Paced {
  let intervalMs = 0;
  let lengthenedAt = -Infinity;
  let waiting = 0;
  let nextAt = 0;
  /** The turn of the last in line. */
  let line: Promise<unknown> = Promise.resolve();

  async function turn(giveUpAt: number): Promise<void> {
    if (performance.now() - lengthenedAt > CALM_MS) intervalMs = 0;
    if (performance.now() + waiting * intervalMs > giveUpAt) throw tooBusy();
    waiting += 1;
    const mine = line.then(async () => {
      await sleep(nextAt - performance.now());
      nextAt = performance.now() + intervalMs;
      waiting -= 1;
    });
    line = mine;
    await mine;
  }

  function refused(): void {
    if (performance.now() - lengthenedAt < LENGTHENED_EVERY_MS) return;
    intervalMs = Math.min(LONGEST_INTERVAL_MS, intervalMs * LENGTHENED_BY || FIRST_INTERVAL_MS);
    lengthenedAt = performance.now();
  }

  return async (call) => {
    const giveUpAt = performance.now() + PATIENCE_MS;
    for (;;) {
      await turn(giveUpAt);
      try {
        const answer = await call();
        intervalMs *= SHORTENED_BY;
        return answer;
      } catch (error) {
        if (!isTooMany(error)) throw error;
        refused();
        await sleep(LENGTHENED_EVERY_MS * (0.5 + Math.random()));
      }
    }
  };
}

const tooManyRequests = z.object({ statusCode: z.literal(429) });
const isTooMany = (error: unknown): boolean =>
  error instanceof FunctionError && tooManyRequests.safeParse(error.cause).success;

const tooBusy = () =>
  new FunctionError(
    "rate_limited",
    "A lot of people are paying right now. Nothing is lost: please try again in a few seconds.",
    { details: { retry_after_seconds: TRY_AGAIN_SECONDS } },
  );

const sleep = (ms: number) => (ms > 0 ? new Promise((done) => setTimeout(done, ms)) : undefined);
