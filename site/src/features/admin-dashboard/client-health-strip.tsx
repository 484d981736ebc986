// What went wrong in this very browser, from its own error log.
import { useState, type ReactNode } from "react";
import { clearErrorLog, readErrorLog } from "#lib/error-log.ts";
import { formatStamp } from "#lib/format.ts";
import { Badge } from "#ui/badge.tsx";
import { Button } from "#ui/button.tsx";
import { healthTone } from "./health-panel.tsx";
import { clientHealth } from "./model.ts";

export function ClientHealthStrip() {
  const [log] = useState(readErrorLog);
  const rateLimits = log.filter((entry) => entry.kind === "rate_limit").length;
  const errors = log.length - rateLimits;
  const health = clientHealth(errors, rateLimits);

  function clear() {
    clearErrorLog();
    location.reload();
  }

  return (
    <section
      aria-label="Health of this browser's session"
      className="flex flex-wrap items-center gap-x-8 gap-y-3 border border-ink/20 bg-paper-deep/50 px-4 py-3"
    >
      <dl className="flex flex-1 flex-wrap items-center gap-x-8 gap-y-2 text-[0.9375rem]">
        <Item label="System Health">
          <Badge tone={healthTone[health]} className="capitalize">
            {health}
          </Badge>
        </Item>
        <Item label="Error Count">{errors}</Item>
        <Item label="Rate Limits">{rateLimits}</Item>
        <Item label="Last Activity">{log[0] ? formatStamp(log[0].at) : "None"}</Item>
      </dl>
      <Button variant="secondary" size="small" onClick={clear}>
        Clear Logs
      </Button>
    </section>
  );
}

function Item({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex items-center gap-2">
      <dt className="whitespace-nowrap text-ink-soft">{label}</dt>
      <dd className="font-semibold tabular-nums">{children}</dd>
    </div>
  );
}
