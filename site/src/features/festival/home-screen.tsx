// The home page. What lies below the first screen is prerendered like the rest, but its script is fetched after the
// page can be used.
import { lazy, Suspense } from "react";
import { Hero } from "./hero.tsx";
import { StatsBand } from "./stats-band.tsx";

const HomeSections = lazy(() => import("./home-sections.tsx"));

export function HomeScreen() {
  return (
    <>
      <Hero />
      <StatsBand />
      <Suspense fallback={<div className="min-h-[300vh]" />}>
        <HomeSections />
      </Suspense>
    </>
  );
}
