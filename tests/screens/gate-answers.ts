// Each answer to a scan, with realistically long names.
import type { GateScanAnswer } from "contract/gate";

const longest: NonNullable<GateScanAnswer["person"]> = {
  kind: "ticket",
  name: "Bartholomew Featherstonehaugh-Cholmondeley",
  type: "General Admission",
  is_vip: false,
  includes_parking: false,
  order: "5f2b8a1e",
  code: "4a5b6c7d",
  plate: null,
};
const person = { ...longest, name: "Ana Guest" };
const minutes = 60_000;

type Answers = Readonly<Record<string, Omit<GateScanAnswer, "id">>>;

export function answersAt(now: number): Answers {
  const first = { at: now - 25 * minutes, entrance: "Main Entrance", device: "Gate north" };
  return {
    "already-in-just-now": { result: "already_in", person, first: { ...first, at: now } },
    admit: { result: "admitted", person },
    "admit-long": { result: "admitted", person: longest },
    "admit-vip": {
      result: "admitted",
      person: { ...person, name: "Vera Vip", type: "VIP", is_vip: true, includes_parking: true },
    },
    "admit-parking": {
      result: "admitted",
      person: { ...person, kind: "parking", type: "Preferred Parking", plate: "TX SLAB 1" },
    },
    "already-in": { result: "already_in", person: longest, first },
    void: { result: "void", person },
    "old-code": { result: "old_code", person },
    "before-doors": { result: "not_today", person, opens_at: now + 60 * minutes },
    "not-today": { result: "not_today", person, opens_at: now + 9 * 24 * 60 * minutes },
    "after-doors": { result: "not_today", person, opens_at: null, closes_at: now - 60 * minutes },
    closed: { result: "closed", person },
    "wrong-entrance": {
      result: "wrong_entrance",
      person,
      entrances: ["Main Entrance", "VIP Express", "East Gate"],
    },
    "not-inside": { result: "not_inside", person },
    out: { result: "let_out", person },
    undone: { result: "undone", person },
    "unknown-not-in-books": { result: "unknown", detail: "not_in_books" },
    "unknown-not-recorded": { result: "unknown", detail: "not_recorded" },
  };
}
