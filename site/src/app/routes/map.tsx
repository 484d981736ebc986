import { MapScreen } from "#features/festival/map-screen.tsx";
import { summaryNow } from "#lib/festival/content.ts";
import { pageHead } from "../head.ts";

export const meta = () =>
  pageHead({
    path: "/map",
    title: "Festival Map",
    description: summaryNow("map"),
  });

export default MapScreen;
