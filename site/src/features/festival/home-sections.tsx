import { Activities } from "./activities.tsx";
import { CallToAction } from "./call-to-action.tsx";
import { MapPreview } from "./map-preview.tsx";
import { SchedulePreview } from "./schedule-preview.tsx";

export default function HomeSections() {
  return (
    <>
      <Activities />
      <SchedulePreview />
      <MapPreview />
      <CallToAction />
    </>
  );
}
