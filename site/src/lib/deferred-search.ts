import { useEffect, useState } from "react";

const PAUSE_MS = 300;

/** What is typed into a search, and what it settled on after a pause: only that is asked for. */
export function useDeferredSearch() {
  const [typed, type] = useState("");
  const [settled, settle] = useState("");
  useEffect(() => {
    const wanted = typed.trim();
    if (wanted === settled) return;
    const timer = setTimeout(() => settle(wanted), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, settled]);
  return { typed, type, settled };
}
