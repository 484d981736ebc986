import { Link } from "react-router";
import { useSection } from "#lib/festival/content.ts";
import { Button } from "#ui/basics/button.tsx";
import { PurpleRoom } from "#ui/art/purple-room.tsx";
import { ScheduleList } from "./schedule-list.tsx";

/** The day's first four entries. The two day buttons do nothing (PRODUCT 4.1). */
export function SchedulePreview() {
  const { entries } = useSection("schedule");
  const { days } = useSection("home");
  if (entries.length === 0) return null;
  return (
    <section aria-labelledby="festival-schedule" className="on-ink relative isolate overflow-hidden">
      <PurpleRoom className="absolute -top-2 -right-24 -z-10 w-[34rem] opacity-95 max-lg:opacity-25" />
      <div className="page-width py-20 lg:py-28">
        <div className="flex flex-wrap items-end justify-between gap-6 lg:pr-[28rem]">
          <h2 id="festival-schedule" className="display text-headline text-brisket">
            Festival Schedule
          </h2>
          <div className="flex flex-wrap gap-3">
            {days.map((day, at) => (
              <Button key={day} variant={at === 0 ? "highlight" : "inverse"}>
                {day}
              </Button>
            ))}
          </div>
        </div>
        <div className="mt-10">
          <ScheduleList entries={entries.slice(0, 4)} />
        </div>
        <Button asChild variant="inverse" size="large" className="mt-10">
          <Link to="/schedule">View Full Schedule</Link>
        </Button>
      </div>
    </section>
  );
}
