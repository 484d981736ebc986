import { SponsorsScreen } from "#features/sponsors/sponsors-screen.tsx";
import { pageHead } from "../head.ts";

export const meta = () =>
  pageHead({
    path: "/sponsors",
    title: "Sponsorship Opportunities",
    description: "Silver, Gold, Platinum and custom sponsorships of the Houston Culture Festival.",
  });

export default function Sponsors() {
  return <SponsorsScreen />;
}
