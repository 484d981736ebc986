import { Activities } from "./activities.tsx";
import { CallToAction } from "./call-to-action.tsx";
import { Hero } from "./hero.tsx";
import { MapPreview } from "./map-preview.tsx";
import { SchedulePreview } from "./schedule-preview.tsx";
import { StatsBand } from "./stats-band.tsx";

export default function HomeScreen() {
  return (
    <>
      <Hero />
      <StatsBand />
      <Activities />
      <SchedulePreview />
      <MapPreview />
      <CallToAction />
    </>
  );
}
