// The festival in the buyer's calendar: a file for any calendar, and a link for Google's.
import { CalendarPlus } from "lucide-react";
import { googleCalendarLink } from "contract/festival/calendar";
import { useFestival } from "#lib/festival/content.ts";
import { Button } from "#ui/basics/button.tsx";

export function CalendarLinks() {
  const festival = useFestival();
  if (festival.status === "cancelled") return null;
  return (
    <>
      <Button asChild variant="secondary" size="small">
        <a href="/festival.ics" download={`${festival.code}.ics`}>
          <CalendarPlus aria-hidden="true" className="size-4 shrink-0" strokeWidth={2.5} />
          Add to Calendar
        </a>
      </Button>
      <Button asChild variant="secondary" size="small">
        <a href={googleCalendarLink(festival, window.location.origin)} target="_blank" rel="noreferrer">
          Google Calendar
        </a>
      </Button>
    </>
  );
}
