// Notifies other tabs with the same basket that one tab has paid. The message goes through local storage and
// is not kept there.
import { useEffect, useEffectEvent } from "react";
import { writeJson } from "#lib/browser/stored-json.ts";
import type { Finished } from "../model.ts";

const KEY = "houston-culture-festival:paid";

/** Call it before emptying the cart: the other tabs are notified in this order. */
export function announcePaid(userId: string, finished: Finished): void {
  writeJson("local", KEY, { userId, ...finished });
  writeJson("local", KEY, undefined);
}

export function usePaidElsewhere(userId: string, onPaid: (finished: Finished) => void): void {
  const paid = useEffectEvent(onPaid);
  useEffect(() => {
    // Storage events only come from other tabs.
    function hear({ key, newValue }: StorageEvent) {
      if (key !== KEY || !newValue) return;
      const note = JSON.parse(newValue) as Finished & { userId: string };
      const { userId: whose, ...finished } = note;
      if (whose === userId) paid(finished);
    }
    addEventListener("storage", hear);
    return () => removeEventListener("storage", hear);
  }, [userId]);
}
