import { festival } from "contract/festival";
import { Suspense } from "react";
import { lazily } from "#ui/basics/lazily.ts";
import { festivalEvent } from "../festival-event.ts";
import { pageHead } from "../head.ts";

export const meta = () => [
  ...pageHead({
    path: "/",
    title: `${festival.title}: ${festival.tagline}, ${festival.dateText}`,
    description: festival.description,
  }),
  { "script:ld+json": festivalEvent },
];

// Prerendered in full with working links, so its script loads after the frame: 12 KB less before the page can be used.
const HomeScreen = lazily(() => import("#features/festival/home-screen.tsx"));

export default function Home() {
  return (
    <Suspense fallback={<div className="min-h-svh bg-brisket" />}>
      <HomeScreen />
    </Suspense>
  );
}
