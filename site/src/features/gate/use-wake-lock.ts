import { useEffect } from "react";

/** Keeps the screen on while scanning. The browser drops the lock whenever the page is hidden. */
export function useWakeLock(): void {
  useEffect(() => {
    let lock: WakeLockSentinel | undefined;
    let stopped = false;
    const ask = () => {
      if (document.hidden || !("wakeLock" in navigator)) return;
      navigator.wakeLock.request("screen").then(
        (granted) => {
          if (stopped) void granted.release();
          else lock = granted;
        },
        () => {}, // refused to save battery: the device's own setting applies
      );
    };
    ask();
    document.addEventListener("visibilitychange", ask);
    return () => {
      stopped = true;
      document.removeEventListener("visibilitychange", ask);
      void lock?.release();
    };
  }, []);
}
