// The program of the day, set like a bill. The home page shows its first entries, the schedule page all of
// it.
import type { Content } from "contract/festival/facts";
import { classNames } from "#ui/basics/class-names.ts";
import { Reveal } from "#ui/page/reveal.tsx";

type ScheduleEntry = Content["schedule"]["entries"][number];

const kinds = {
  music: { label: "Music", mark: "bg-slab text-white" },
  food: { label: "Food", mark: "bg-brisket text-ink" },
  activity: { label: "Activity", mark: "bg-bayou-deep text-white" },
} satisfies Record<ScheduleEntry["type"], { label: string; mark: string }>;

export function ScheduleList({
  entries,
  headingLevel: Heading = "h3",
}: {
  entries: readonly ScheduleEntry[];
  headingLevel?: "h2" | "h3";
}) {
  return (
    <Reveal as="ol" stagger className="border-t-4 border-current">
      {entries.map(({ time, title, location, duration, type, performer }, at) => (
        <li
          // Two entries may be identical.
          key={`${at} ${title}`}
          data-print="whole"
          className="grid gap-x-8 gap-y-1 border-b-2 border-current/30 py-5 sm:grid-cols-[9.5rem_1fr] lg:grid-cols-[12rem_1fr_auto]"
        >
          <p className="display text-heading tabular-nums">
            <time dateTime={twentyFourHours(time)}>{time}</time>
          </p>
          <div className="min-w-0">
            <Heading className="display text-title">{title}</Heading>
            {performer && <p className="mt-1 text-lead font-semibold">{performer}</p>}
          </div>
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1 sm:col-start-2 lg:col-start-3 lg:flex-col lg:items-end lg:justify-center">
            <span className={classNames("px-2 py-0.5 text-sm font-bold", kinds[type].mark)}>
              {kinds[type].label}
            </span>
            <span className="font-semibold">{location}</span>
            <span>{duration} min</span>
          </p>
        </li>
      ))}
    </Reveal>
  );
}

/** "1:30 PM" as "13:30", for machines. */
function twentyFourHours(time: string): string {
  const [clock = "", half] = time.split(" ");
  const [hours = "0", minutes = "00"] = clock.split(":");
  return `${String((Number(hours) % 12) + (half === "PM" ? 12 : 0)).padStart(2, "0")}:${minutes}`;
}
