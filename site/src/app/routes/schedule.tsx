import { ScheduleScreen } from "#features/festival/schedule-screen.tsx";
import { pageHead } from "../head.ts";

export const meta = () =>
  pageHead({
    path: "/schedule",
    title: "Schedule",
    description:
      "From the Opening Ceremony at 11:00 AM to the headliner: the whole day of the Houston Culture Festival, June 27, 2025.",
  });

export default ScheduleScreen;
