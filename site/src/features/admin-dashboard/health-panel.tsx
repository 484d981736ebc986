import { CircleAlert } from "lucide-react";
import { Link } from "react-router";
import { formatZonedMoment } from "#lib/format.ts";
import { Badge, type BadgeTone } from "#ui/basics/badge.tsx";
import { Panel } from "#ui/page/panel.tsx";
import { Cause } from "#ui/page/screen-states.tsx";
import { healthAlerts, type SystemHealth } from "./model.ts";
import { useSystemHealth } from "./queries.ts";
import { StaleRead } from "./stale-read.tsx";

export const healthTone = { healthy: "success", warning: "warning", critical: "danger" } satisfies Record<
  string,
  BadgeTone
>;

/** The shop's own health, read every 30 s. */
export function HealthPanel() {
  const read = useSystemHealth();
  const { data, isPending } = read;
  return (
    <Panel
      title="System Health"
      aside={
        data && (
          <Badge tone={healthTone[data.system_status]} className="capitalize">
            {data.system_status}
          </Badge>
        )
      }
    >
      {data && <StaleRead read={read} />}
      {data ? (
        <Health health={data} />
      ) : isPending ? (
        <p role="status">Loading system health...</p>
      ) : (
        <div role="alert">
          <p className="font-semibold text-candy-deep">Error loading system health</p>
          {read.error && <Cause error={read.error} />}
        </div>
      )}
    </Panel>
  );
}

function Health({ health }: { health: SystemHealth }) {
  const figures = [
    ["Orders today", health.orders_today],
    ["Pending orders", health.pending_orders],
    ["Failed orders", health.failed_orders],
    ["Low stock", health.low_inventory_alerts],
    ["Recent errors", health.recent_errors],
  ] as const;
  const alerts = healthAlerts(health);
  return (
    <>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-2 sm:grid-cols-5">
        {figures.map(([label, value]) => (
          <div key={label} className="flex items-baseline justify-between gap-2 sm:block">
            <dt className="text-sm text-ink-soft">{label}</dt>
            <dd className="text-xl font-bold tabular-nums">{value.toLocaleString("en-US")}</dd>
          </div>
        ))}
      </dl>
      {alerts.length > 0 && (
        <ul className="mt-3 space-y-1.5">
          {alerts.map((alert) => (
            <li key={alert.to}>
              <Link
                to={alert.to}
                className="inline-flex min-h-6 items-center gap-2 font-semibold text-candy-deep underline underline-offset-4"
              >
                <CircleAlert aria-hidden="true" className="size-4.5 shrink-0" />
                {alert.text}
              </Link>
            </li>
          ))}
        </ul>
      )}
      <p className="mt-3 text-sm text-ink-soft">Last updated {formatZonedMoment(health.last_updated)}</p>
    </>
  );
}
