import type { GateBoard } from "contract/gate";
import { expect, it } from "vitest";
import {
  admitsText,
  agoText,
  clockText,
  inflowOf,
  knownPending,
  invitationState,
  isUntouched,
  MINUTES_SHOWN,
  presenceOf,
  refusalText,
  timeOf,
  untilText,
} from "./model.ts";

const MINUTE = 60_000;
const now = Date.parse("2026-06-27T17:30:20Z");
const minute = Date.parse("2026-06-27T17:30:00Z");

const door = {
  admits: "tickets",
  ticket_type_ids: null,
  is_express: false,
  admitted: 0,
  refused: 0,
} as const;
const board = (changes: Partial<GateBoard>): GateBoard => ({
  now,
  totals: { admitted: 0, inside: 0, conflicts: 0, despite: 0, refused: 0, undone: 0 },
  inflow: [],
  types: [],
  entrances: [
    { ...door, id: "main", name: "Main", is_open: true },
    { ...door, id: "side", name: "Side", is_open: false },
  ],
  refused: [],
  last_refused: [],
  conflicts: [],
  despite: [],
  devices: [],
  invitations: [],
  settings: { doors_open_at: null, doors_close_at: null, reentry: false },
  ...changes,
});
const entry = (ago: number, entrance_id: string | null, admitted: number, refused = 0) => ({
  minute: minute - ago * MINUTE,
  entrance_id,
  admitted,
  refused,
});

it("counts each minute of the last hour at its entrance, and the rate of the last full one", () => {
  const { lanes, most, rate, from, isEmpty } = inflowOf(
    board({
      inflow: [entry(0, "main", 3), entry(1, "main", 9, 12), entry(59, "main", 4), entry(60, "main", 50)],
    }),
  );
  const [main] = lanes;
  expect(lanes.map(({ name }) => name)).toEqual(["Main"]);
  expect(main?.admitted).toHaveLength(MINUTES_SHOWN);
  expect([main?.admitted[0], main?.admitted[58], main?.admitted[59]]).toEqual([4, 9, 3]);
  expect(main?.total, "without the minute before").toBe(16);
  expect([rate, most, isEmpty]).toEqual([9, 21, false]);
  expect(from).toBe(minute - 59 * MINUTE);
});

it("shows a closed entrance and scans without one only when something happened there", () => {
  const lanes = (inflow: GateBoard["inflow"]) =>
    inflowOf(board({ inflow })).lanes.map(({ name, isClosed }) => [name, isClosed]);
  expect(lanes([])).toEqual([["Main", false]]);
  expect(lanes([entry(5, "side", 0, 1), entry(5, null, 1)])).toEqual([
    ["Main", false],
    ["Side", true],
    ["No entrance, or back office", false],
  ]);
  expect(inflowOf(board({})).isEmpty).toBe(true);
});

it("counts people by tickets and vehicles by their codes", () => {
  const type = { id: "t", name: "T", valid: 10, admitted: 6, inside: 5, to_come: 4 };
  const { people, vehicles } = presenceOf(
    board({
      types: [
        { ...type, kind: "ticket", is_vehicle: false },
        { ...type, kind: "ticket", is_vehicle: false },
        { ...type, kind: "parking", is_vehicle: true },
        { ...type, kind: "camping", is_vehicle: false },
      ],
    }),
  );
  expect([people, vehicles]).toEqual([
    { inside: 10, toCome: 8 },
    { inside: 5, toCome: 4 },
  ]);
});

it("is untouched until a device is there or a scan was made", () => {
  expect(isUntouched(board({}))).toBe(true);
  const totals = { admitted: 0, inside: 0, conflicts: 0, despite: 0, refused: 1, undone: 0 };
  expect(isUntouched(board({ totals }))).toBe(false);
});

it("explains in words why a scan was refused", () => {
  expect(refusalText("unknown", "other_festival")).toBe("Not one of ours (another festival's)");
  expect(refusalText("already_in", null)).toBe("Already in");
  expect(refusalText("unknown", "news")).toBe("Not one of ours");
});

it("shows how long ago a device last reported", () => {
  expect([0, 9_000, 42_000, 200_000, 2 * 3_600_000, 72 * 3_600_000].map(agoText)).toEqual([
    "Now",
    "Now",
    "42 s ago",
    "3 min ago",
    "2 h ago",
    "3 days ago",
  ]);
});

it("shows by how much a device's clock is wrong, and ignores a few seconds", () => {
  expect([null, 20_000, -3 * MINUTE, 125 * MINUTE].map(clockText)).toEqual([
    undefined,
    undefined,
    "Clock 3 min fast",
    "Clock 2 h 5 min slow",
  ]);
});

it("describes what an entrance admits", () => {
  const types = [{ id: "v", name: "VIP" }];
  const doors = { admits: "tickets", ticket_type_ids: null, is_express: false } as const;
  expect(admitsText(doors, types)).toBe("All tickets");
  expect(admitsText({ ...doors, is_express: true }, types)).toBe("VIP tickets");
  expect(admitsText({ ...doors, admits: "both", ticket_type_ids: ["v"] }, types)).toBe("VIP, parking");
  expect(admitsText({ ...doors, admits: "parking" }, types)).toBe("Parking");
  expect(admitsText({ ...doors, ticket_type_ids: [] }, types)).toBe("No ticket type");
});

it("tells a valid invitation from one that has ended or was revoked", () => {
  expect(invitationState({ expires_at: now + 1, revoked_at: null }, now)).toBe("good");
  expect(invitationState({ expires_at: now, revoked_at: null }, now)).toBe("ended");
  expect(invitationState({ expires_at: now + 1, revoked_at: now }, now)).toBe("revoked");
});

it("words the end of an invitation the way people say it", () => {
  expect(untilText(Date.parse("2026-06-28T05:00:00Z"), now)).toBe("tonight, midnight");
  expect(untilText(Date.parse("2026-06-29T05:00:00Z"), now)).toBe("Jun 28, midnight");
  expect([timeOf(now, now), timeOf(now - 86_400_000, now)]).toEqual(["12:30 PM", "Jun 26, 12:30 PM"]);
});

it("does not know how many scans a silent device still holds", () => {
  expect(knownPending({ pending: 0, last_seen_at: now - MINUTE }, now)).toBe(0);
  expect(knownPending({ pending: 0, last_seen_at: now - MINUTE - 1 }, now)).toBeUndefined();
});
