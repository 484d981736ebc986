// What there is to see and where: schedule, activities, the areas of the map. Apart from festival.ts because every page
// carries that one.

export interface ScheduleEntry {
  time: string;
  title: string;
  location: string;
  /** Minutes. */
  duration: number;
  type: "music" | "food" | "activity";
  performer?: string;
}

export const schedule: readonly ScheduleEntry[] = [
  { time: "11:00 AM", title: "Opening Ceremony", location: "Main Stage", duration: 45, type: "activity" },
  {
    time: "12:00 PM",
    title: "DJ Screw Tribute",
    location: "Purple Room",
    duration: 90,
    type: "music",
    performer: "Chopped & Screwed All-Stars",
  },
  { time: "1:30 PM", title: "Slab Parade", location: "Festival Grounds", duration: 60, type: "activity" },
  { time: "3:00 PM", title: "Food Showcase", location: "Food Court", duration: 90, type: "food" },
  { time: "4:30 PM", title: "Houston Legends Panel", location: "Main Stage", duration: 90, type: "activity" },
  {
    time: "6:30 PM",
    title: "Headliner Performance",
    location: "Main Stage",
    duration: 120,
    type: "music",
    performer: "TBA",
  },
];

export type ActivityId = "bbq" | "market" | "dancing" | "slabs" | "bull";

export const activities: readonly { id: ActivityId; title: string; description: string }[] = [
  {
    id: "bbq",
    title: "BBQ Cook-Off",
    description: "Pitmasters from every ward tend the smokers all day. You taste, you argue, you vote.",
  },
  {
    id: "market",
    title: "Vendor Marketplace",
    description: "Houston makers, streetwear, vinyl and art, row after row under the awnings.",
  },
  {
    id: "dancing",
    title: "Line Dancing",
    description: "Zydeco, trail ride and two-step. Lessons on the hour, no partner needed.",
  },
  {
    id: "slabs",
    title: "Slab Car Show",
    description: "Candy paint, swangas and popped trunks, rolling slow, loud and banging.",
  },
  {
    id: "bull",
    title: "Mechanical Bull Competition",
    description: "Eight seconds is a long time. The best ride of the day goes home with the buckle.",
  },
];

export type MapAreaId = "main-stage" | "food-court" | "purple-room" | "vendor-area" | "main-entrance";
export type MapAreaKind = "performance" | "food" | "vendors" | "entrance";

/** Position and size are in the units of the map's 1200 by 800 drawing; colour is the name of an ink. */
export interface MapArea {
  id: MapAreaId;
  name: string;
  kind: MapAreaKind;
  description: string;
  tip?: string;
  x: number;
  y: number;
  width: number;
  height: number;
  colour: "candy" | "brisket" | "slab" | "bayou" | "ink";
}

export const mapAreas: readonly MapArea[] = [
  {
    id: "main-stage",
    name: "Main Stage",
    kind: "performance",
    description:
      "The big one: the opening ceremony, the Houston Legends Panel and the headliner, with the skyline behind.",
    tip: "Arrive 30 minutes early for headliners.",
    x: 70,
    y: 90,
    width: 400,
    height: 290,
    colour: "candy",
  },
  {
    id: "food-court",
    name: "Food Court",
    kind: "food",
    description: "Smokers, taco trucks, crawfish and kolaches, with shade and long tables in the middle.",
    tip: "Vendors rotate, check the schedule.",
    x: 790,
    y: 100,
    width: 340,
    height: 240,
    colour: "brisket",
  },
  {
    id: "purple-room",
    name: "Purple Room",
    kind: "performance",
    description:
      "Slowed down and turned up: DJs, chopped and screwed sets, and the coldest air on the grounds.",
    x: 500,
    y: 330,
    width: 250,
    height: 200,
    colour: "slab",
  },
  {
    id: "vendor-area",
    name: "Vendor Area",
    kind: "vendors",
    description:
      "The marketplace: local makers, fashion, records and art, plus charging stations for your phone.",
    x: 800,
    y: 440,
    width: 330,
    height: 220,
    colour: "bayou",
  },
  {
    id: "main-entrance",
    name: "Main Entrance",
    kind: "entrance",
    description: "Gates open at 11:00 AM. Have your QR code ready. First aid is right inside.",
    x: 430,
    y: 620,
    width: 270,
    height: 150,
    colour: "ink",
  },
];
