// Makes one document at a time per process, because it takes processor time that orders need too. A few others wait their turn.
import { FunctionError } from "../_shared/errors.ts";

const MOST_WAITING = 20;

let underWay = 0;
let last: Promise<unknown> = Promise.resolve();

export async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (underWay > MOST_WAITING) {
    throw new FunctionError(
      "rate_limited",
      "Many documents are being made right now. Please try again in a moment.",
      {
        details: { retry_after_seconds: 5 },
      },
    );
  }
  underWay++;
  const mine = last.then(work);
  last = mine.catch(() => undefined);
  try {
    return await mine;
  } finally {
    underWay--;
  }
}
