import { AboutScreen } from "#features/festival/about-screen.tsx";
import { pageHead } from "../head.ts";

export const meta = () =>
  pageHead({
    path: "/about",
    title: "About the Festival",
    description:
      "The mission, the people and the community behind the Houston Culture Festival, That's So Houston.",
  });

export default AboutScreen;
