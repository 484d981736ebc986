// The messages of the waiting room between site and server: what a visitor shows, and what the room answers.

/** The response of `waiting-room`, and the `details` of the error `waiting_room`. */
export interface WaitingRoomAnswer {
  /** False: orders are served as they come, no one waits, and there are no places. */
  readonly open: boolean;
  /** True: continue with the order. The reservation spends the place. */
  readonly admitted: boolean;
  /** Signed. Sent with the next visit. The account of a signed-in visitor has it as well. */
  readonly place: string | null;
  /** 1 is the next to be admitted, 0 is already admitted. */
  readonly position: number;
  /** How many people are waiting ahead. */
  readonly ahead: number;
  readonly estimatedSeconds: number;
  /** Poll again after this long. Polling more often changes nothing. */
  readonly pollAfterSeconds: number;
}

/** The answer in an error's `details`, or undefined when they hold something else. */
export function readWaitingRoomAnswer(details: unknown): WaitingRoomAnswer | undefined {
  if (typeof details !== "object" || details === null) return undefined;
  const answer = details as Partial<WaitingRoomAnswer>;
  const numbers = [answer.position, answer.ahead, answer.estimatedSeconds, answer.pollAfterSeconds];
  const whole =
    typeof answer.open === "boolean" &&
    typeof answer.admitted === "boolean" &&
    (answer.place === null || typeof answer.place === "string") &&
    numbers.every((number) => typeof number === "number");
  return whole ? (answer as WaitingRoomAnswer) : undefined;
}
