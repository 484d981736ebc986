import { Timer } from "lucide-react";
import { useEffect, useState } from "react";
import { count, formatCountdown } from "#lib/format.ts";
import { serverNow } from "#lib/time/server-clock.ts";
import { classNames } from "#ui/basics/class-names.ts";

/** Milliseconds until the hold ends, updated every second; undefined when there is no hold. */
export function useHoldLeft(holdExpiresAt: string | undefined): number | undefined {
  const end = holdExpiresAt ? Date.parse(holdExpiresAt) : Number.NaN;
  const [now, setNow] = useState(serverNow);
  useEffect(() => {
    if (Number.isNaN(end)) return;
    setNow(serverNow());
    const timer = setInterval(() => setNow(serverNow()), 1000);
    return () => clearInterval(timer);
  }, [end]);
  return Number.isNaN(end) ? undefined : Math.max(0, end - now);
}

const URGENT_MS = 2 * 60_000;

/** How long the tickets are still held. Announced once, and again when two minutes are left. */
export function HoldCountdown({ left, isFree }: { left: number; isFree: boolean }) {
  const urgent = left < URGENT_MS;
  const toDo = isFree ? "confirm" : "pay";
  const [minutes] = useState(() => Math.ceil(left / 60_000));
  return (
    <div
      className={classNames(
        "flex items-center gap-3 border-2 border-ink p-3.5",
        urgent ? "bg-candy-deep text-white" : "bg-sheet",
      )}
    >
      <Timer aria-hidden="true" className="size-6 shrink-0" strokeWidth={2.5} />
      <p>
        Your tickets are held for{" "}
        <time role="timer" className="display text-xl tabular-nums" aria-live="off">
          {formatCountdown(left)}
        </time>
      </p>
      <p role="status" className="sr-only">
        {urgent
          ? `Less than two minutes left to ${toDo}.`
          : `You have ${count(minutes, "minute")} to ${toDo}. Your tickets are held until then.`}
      </p>
    </div>
  );
}
