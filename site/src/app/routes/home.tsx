import { Suspense } from "react";
import { contentNow, festivalNow } from "#lib/festival/content.ts";
import { lazily } from "#ui/basics/lazily.ts";
import { festivalEvent } from "../festival-event.ts";
import { pageHead } from "../head.ts";

export const meta = () => {
  const festival = festivalNow();
  return [
    ...pageHead({
      path: "/",
      title: `${festival.title}: ${festival.tagline}, ${festival.dateText}`,
      description: festival.description,
    }),
    // Only in the HTML: the crawlers that read it run no script.
    ...(import.meta.env.SSR ? [{ "script:ld+json": festivalEvent(contentNow()) }] : []),
  ];
};

// Prerendered in full with working links, so its script loads after the frame: 12 KB less before the page can be used.
const HomeScreen = lazily(() => import("#features/festival/home-screen.tsx"));

export default function Home() {
  return (
    <Suspense fallback={<div className="min-h-svh bg-brisket" />}>
      <HomeScreen />
    </Suspense>
  );
}
