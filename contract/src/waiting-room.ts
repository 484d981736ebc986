// The waiting room's words between server and site: what is shown at its door, and what it answers.

/** The answer of `waiting-room`, and the `details` of the refusal `waiting_room`. */
export interface WaitingRoomAnswer {
  /** False: orders are served as they come, nobody waits, and there is no place. */
  readonly open: boolean;
  /** True: go on and order; the place is spent with the reservation. */
  readonly admitted: boolean;
  /** Signed. Shown with the next visit; whoever is signed in has it by their account as well. */
  readonly place: string | null;
  /** 1 is the next to be let in; 0 for who is let in already. */
  readonly position: number;
  /** Those who are waiting and came before. */
  readonly ahead: number;
  readonly estimatedSeconds: number;
  /** Ask again after this long; asking more often changes nothing. */
  readonly pollAfterSeconds: number;
}

/** The answer in a refusal's `details`, or undefined when they are something else. */
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
