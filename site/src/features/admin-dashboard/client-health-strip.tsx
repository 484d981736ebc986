// Errors in this browser, from its error log.
import { useId, useMemo, useSyncExternalStore, type ReactNode } from "react";
import { clearErrorLog, readErrorLog, watchErrorLog } from "#lib/browser/error-log.ts";
import { formatZonedMoment } from "#lib/format.ts";
import { Badge } from "#ui/basics/badge.tsx";
import { Button } from "#ui/basics/button.tsx";
import { healthTone } from "./health-panel.tsx";
import { clientHealth } from "./model.ts";

export function ClientHealthStrip() {
  const id = useId();
  const log = useErrorLog();
  const rateLimits = log.filter((entry) => entry.kind === "rate_limit").length;
  const errors = log.length - rateLimits;
  const health = clientHealth(errors, rateLimits);

  function clear() {
    clearErrorLog();
    location.reload();
  }

  return (
    <section
      aria-labelledby={id}
      className="flex flex-wrap items-center gap-x-8 gap-y-3 border border-ink/20 bg-paper-deep/50 px-4 py-3"
    >
      <h2 id={id} className="font-bold max-sm:w-full">
        This browser
      </h2>
      <dl className="flex flex-1 flex-wrap items-center gap-x-8 max-sm:basis-full gap-y-2 text-[0.9375rem]">
        <Item label="System Health">
          <Badge tone={healthTone[health]} className="capitalize">
            {health}
          </Badge>
        </Item>
        <Item label="Error Count">{errors}</Item>
        <Item label="Rate Limits">{rateLimits}</Item>
        <Item label="Last Activity">{log[0] ? formatZonedMoment(log[0].at) : "None"}</Item>
      </dl>
      <Button variant="secondary" size="small" onClick={clear}>
        Clear Logs
      </Button>
    </section>
  );
}

/** The current log, whichever tab wrote it. */
function useErrorLog() {
  const text = useSyncExternalStore(watchErrorLog, () => JSON.stringify(readErrorLog()));
  return useMemo(() => JSON.parse(text) as ReturnType<typeof readErrorLog>, [text]);
}

function Item({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center gap-x-2">
      <dt className="whitespace-nowrap text-ink-soft">{label}</dt>
      <dd className="font-semibold tabular-nums">{children}</dd>
    </div>
  );
}
