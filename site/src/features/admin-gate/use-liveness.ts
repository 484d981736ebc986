import { useEffect, useState } from "react";

/** Three missed reads. */
const OLD_MS = 9000;

interface PolledRead {
  isError: boolean;
  dataUpdatedAt: number;
  errorUpdatedAt: number;
}

/** Since when a polled read has not been live; undefined while it is. */
export function useNotLiveSince({ isError, dataUpdatedAt, errorUpdatedAt }: PolledRead): number | undefined {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 2000);
    return () => clearInterval(timer);
  }, []);
  if (isError) return dataUpdatedAt || errorUpdatedAt;
  return dataUpdatedAt > 0 && now - dataUpdatedAt > OLD_MS ? dataUpdatedAt : undefined;
}
