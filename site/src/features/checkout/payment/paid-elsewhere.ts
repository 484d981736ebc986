// One tab pays, and the others with the same basket hear of it through local storage, which keeps nothing.
import { useEffect, useEffectEvent } from "react";
import { writeJson } from "#lib/browser/stored-json.ts";
import type { FinishedPayment } from "./finish-payment.ts";

const KEY = "houston-culture-festival:paid";

/** Call it before emptying the cart: the other tabs hear of both in this order. */
export function announcePaid(userId: string, result: FinishedPayment): void {
  writeJson("local", KEY, { userId, result });
  writeJson("local", KEY, undefined);
}

export function usePaidElsewhere(userId: string, onPaid: (result: FinishedPayment) => void): void {
  const paid = useEffectEvent(onPaid);
  useEffect(() => {
    // Storage events come from other tabs only.
    function hear({ key, newValue }: StorageEvent) {
      if (key !== KEY || !newValue) return;
      const note = JSON.parse(newValue) as { userId: string; result: FinishedPayment };
      if (note.userId === userId) paid(note.result);
    }
    addEventListener("storage", hear);
    return () => removeEventListener("storage", hear);
  }, [userId]);
}
