import { useState } from "react";
import { holdsTickets, placedAttempt, type Attempt } from "./attempt.ts";

/**
 * Whether tickets are held for this user, and the attempt whose order keeps its fee and parking: while it is held, and at the payment
 * also after its hold has ended here, until the buyer decides.
 */
export function usePlacedAttempt(
  userId: string,
  isPaying: boolean,
): { isHeld: boolean; placed: Attempt | undefined } {
  const isHeld = holdsTickets(userId);
  const attempt = placedAttempt(userId);
  const [heldHere, setHeldHere] = useState<string>();
  const key = attempt?.idempotencyKey;
  if (isHeld && key !== heldHere) setHeldHere(key);
  const isKept = isHeld || (isPaying && key === heldHere);
  return { isHeld, placed: isKept ? attempt : undefined };
}
