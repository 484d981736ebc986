import type { Content } from "contract/festival/facts";

export type MapPlaceId = Content["map"]["areas"][number]["place"];

interface MapPlace {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Where each drawn area is, in the units of the map's 1200 by 800 drawing. */
export const mapPlaces: Record<MapPlaceId, MapPlace> = {
  "main-stage": { x: 70, y: 90, width: 400, height: 290 },
  "food-court": { x: 790, y: 100, width: 340, height: 240 },
  "purple-room": { x: 500, y: 330, width: 250, height: 200 },
  "vendor-area": { x: 800, y: 440, width: 330, height: 220 },
  "main-entrance": { x: 430, y: 620, width: 270, height: 150 },
};
