import { CalendarPlus } from "lucide-react";
import { useFestival, useSection } from "#lib/festival/content.ts";
import { Button } from "#ui/basics/button.tsx";
import { PosterHeader } from "#ui/page/poster-header.tsx";
import { PurpleRoom } from "#ui/art/purple-room.tsx";
import { Speakers } from "#ui/art/speakers.tsx";
import { ScheduleList } from "./schedule-list.tsx";

export function ScheduleScreen() {
  const { lead, entries, notes } = useSection("schedule");
  return (
    <>
      <PosterHeader
        ground="slab"
        title="Festival Schedule"
        art={<PurpleRoom className="absolute right-0 -bottom-10 w-[38rem] max-w-none overflow-visible" />}
      >
        <p>{lead}</p>
        <AddToCalendar />
      </PosterHeader>
      <div className="page-width py-14 lg:py-20 print:py-4">
        {entries.length > 0 ? (
          <ScheduleList entries={entries} headingLevel="h2" />
        ) : (
          <p className="display text-heading">The schedule is coming soon.</p>
        )}
      </div>
      <div className="bg-paper-deep print:bg-white">
        <div className="page-width grid gap-x-10 lg:grid-cols-[1fr_auto]">
          <div className="grid gap-10 py-16 md:grid-cols-2 lg:py-24 print:block print:py-6">
            {notes.length > 0 && (
              <section aria-labelledby="schedule-notes">
                <h2 id="schedule-notes" className="display text-title">
                  Schedule Notes
                </h2>
                <ul className="mt-5 grid gap-3">
                  {notes.map((note) => (
                    <li key={note} className="border-l-8 border-candy pl-4">
                      {note}
                    </li>
                  ))}
                </ul>
              </section>
            )}
            <section aria-labelledby="festival-app" data-print="never">
              <h2 id="festival-app" className="display text-title">
                In Your Pocket
              </h2>
              <p className="mt-5">The festival app has the schedule, the map and your tickets.</p>
              {/* They do nothing (PRODUCT 4.2): there is no app yet. */}
              <div className="mt-5 flex flex-wrap gap-3">
                <Button variant="secondary">App Store</Button>
                <Button variant="secondary">Google Play</Button>
              </div>
            </section>
          </div>
          <Speakers className="-mt-14 w-64 self-end max-lg:hidden print:hidden" />
        </div>
      </div>
    </>
  );
}

function AddToCalendar() {
  if (useFestival().status === "cancelled") return null;
  return (
    <Button asChild variant="highlight" className="mt-6" data-print="never">
      <a href="/festival.ics" download>
        <CalendarPlus aria-hidden="true" className="size-5" />
        Add to Calendar
      </a>
    </Button>
  );
}
