import { AboutScreen } from "#features/festival/about-screen.tsx";
import { festivalNow } from "#lib/festival/content.ts";
import { pageHead } from "../head.ts";

export const meta = () =>
  pageHead({
    path: "/about",
    title: "About the Festival",
    description: `The mission, the people and the community behind the ${festivalNow().title}, ${festivalNow().tagline}.`,
  });

export default AboutScreen;
