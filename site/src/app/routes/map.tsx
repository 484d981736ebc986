import { MapScreen } from "#features/festival/map-screen.tsx";
import { pageHead } from "../head.ts";

export const meta = () =>
  pageHead({
    path: "/map",
    title: "Festival Map",
    description:
      "Find the Main Stage, Food Court, Purple Room, Vendor Area and Main Entrance of the Houston Culture Festival.",
  });

export default MapScreen;
