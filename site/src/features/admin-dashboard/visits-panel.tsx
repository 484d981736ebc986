// Real-time analytics: who is here, what they are viewing, and the traffic of the last hours.
import { TIME_ZONE } from "contract/festival/time-zone";
import { BarChart } from "#ui/figures/bar-chart.tsx";
import { FigureCard } from "#ui/figures/figure-card.tsx";
import { Panel } from "#ui/page/panel.tsx";
import { Cause } from "#ui/page/screen-states.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";
import { LiveBadge } from "./live-badge.tsx";
import { POPULAR_PAGES, shownHours, type VisitStats } from "./model.ts";
import { useVisitStats } from "./queries.ts";
import { StaleRead } from "./stale-read.tsx";

const hourOfDay = new Intl.DateTimeFormat("en-US", { timeZone: TIME_ZONE, hour: "numeric" });

export function VisitsPanel() {
  const read = useVisitStats();
  const { data, isPending } = read;
  return (
    <Panel title="Real-time Analytics" aside={<LiveBadge reads={[read]}>Live Updates</LiveBadge>}>
      {data && <StaleRead read={read} />}
      {data ? (
        <Visits stats={data} />
      ) : isPending ? (
        <Skeleton className="h-52" />
      ) : (
        <div role="alert">
          <p className="font-semibold text-candy-deep">Failed to load analytics data</p>
          {read.error && <Cause error={read.error} />}
        </div>
      )}
    </Panel>
  );
}

function Visits({ stats }: { stats: VisitStats }) {
  return (
    <div className="grid gap-x-10 gap-y-6 lg:grid-cols-[12rem_minmax(0,1fr)_minmax(0,1fr)]">
      <dl className="grid grid-cols-3 gap-4 max-2xs:grid-cols-2 lg:grid-cols-1 lg:content-start">
        <FigureCard plain label="Online Now" value={stats.current_online} />
        <FigureCard plain label="Visits Today" value={stats.visits_today} />
        <FigureCard plain label="Unique Visitors" value={stats.unique_visitors_today} />
      </dl>
      <div className="min-w-0">
        <h3 className="mb-2 text-sm font-semibold text-ink-soft">Popular Pages Today</h3>
        <BarChart
          caption="Visits to today's most popular pages"
          labelHeader="Page"
          valueHeader="Visits"
          empty="No visitors yet today."
          bars={stats.popular_pages
            .slice(0, POPULAR_PAGES)
            .map(({ page, visits }) => ({ key: page, label: page, value: visits }))}
        />
      </div>
      <div className="min-w-0">
        <h3 className="mb-2 text-sm font-semibold text-ink-soft">Hourly Traffic (Central Time)</h3>
        <BarChart
          upright
          caption="Visits per hour, Central Time"
          labelHeader="Hour (Central)"
          valueHeader="Visits"
          empty="No visits in the last 24 hours."
          bars={shownHours(stats).map(({ hour, visits }) => ({
            key: hour,
            label: hourLabel(hour),
            value: visits,
          }))}
        />
      </div>
    </div>
  );
}

function hourLabel(hour: string): string {
  const time = Date.parse(hour);
  return Number.isNaN(time) ? hour : hourOfDay.format(time);
}
