import { ScheduleScreen } from "#features/festival/schedule-screen.tsx";
import { summaryNow } from "#lib/festival/content.ts";
import { pageHead } from "../head.ts";

export const meta = () =>
  pageHead({
    path: "/schedule",
    title: "Schedule",
    description: summaryNow("schedule"),
  });

export default ScheduleScreen;
