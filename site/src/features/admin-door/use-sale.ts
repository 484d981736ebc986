// A sale from the press on "Cash" or "Card" to its response. While the outcome is unknown, nothing else is sold: the same sale is
// sent again under its key, so it is made only once.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { TILL } from "#lib/lists/till-reads.ts";
import { keepAttempt, keptAttempt, Refused, sell } from "./queries.ts";
import type { Attempt } from "./model.ts";

export interface Sold {
  orderId: string;
  attempt: Attempt;
}

export function useSale(userId: string) {
  const queryClient = useQueryClient();
  const [unanswered, setUnanswered] = useState(() => keptAttempt(userId));
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [sold, setSold] = useState<Sold>();

  async function send(attempt: Attempt): Promise<void> {
    if (busy) return;
    // Another tab's, sent since this one opened.
    const kept = keptAttempt(userId);
    if (kept && kept.key !== attempt.key) return setUnanswered(kept);
    setBusy(true);
    setProblem(undefined);
    keepAttempt(userId, attempt);
    let open: Attempt | undefined = attempt;
    try {
      const { order_id: orderId } = await sell(attempt);
      open = undefined;
      setSold({ orderId, attempt });
    } catch (error) {
      if (error instanceof Refused) {
        open = undefined;
        setProblem(error.message);
      }
    }
    keepAttempt(userId, open);
    setUnanswered(open);
    setBusy(false);
    // Not awaited: on a slow line the next sale has begun before the till is read again.
    void queryClient.invalidateQueries({ queryKey: [TILL] });
  }

  return {
    busy,
    /** Why nothing was sold. */
    problem,
    /** Sent, but no response came. */
    unanswered: busy ? undefined : unanswered,
    sold,
    send,
    next: () => setSold(undefined),
  };
}

export type Sale = ReturnType<typeof useSale>;
