import { festival } from "contract/festival";
import { HomeScreen } from "#features/festival/home-screen.tsx";
import { festivalEvent } from "../festival-event.ts";
import { pageHead } from "../head.ts";

export const meta = () => [
  ...pageHead({
    title: `${festival.title}: ${festival.tagline}, ${festival.dateText}`,
    description: festival.description,
  }),
  { "script:ld+json": festivalEvent },
];

export default HomeScreen;
