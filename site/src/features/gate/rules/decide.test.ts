import type { GateEntrance } from "contract/gate";
import { describe, expect, it } from "vitest";
import { type BookRow, type Books, decide } from "./decide.ts";

const entrance = (id: string, rest: Partial<GateEntrance> = {}): GateEntrance => ({
  id,
  name: id,
  admits: "tickets",
  ticket_type_ids: null,
  is_express: false,
  is_open: true,
  ...rest,
});
const entrances = [
  entrance("Main"),
  entrance("Express", { is_express: true }),
  entrance("Parking", { admits: "parking" }),
  entrance("Shut", { is_open: false }),
];
const types = [
  { id: "general", name: "General", kind: "ticket", is_vip: false, is_vehicle: false },
  { id: "vip", name: "VIP", kind: "ticket", is_vip: true, is_vehicle: false },
  { id: "lot", name: "General Parking", kind: "parking", is_vip: false, is_vehicle: true },
];
const row = (rest: Partial<BookRow> = {}): BookRow => ({
  id: "0000-code-ana",
  kind: "ticket",
  type_id: "general",
  issue_number: 2,
  is_void: false,
  admitted_at: null,
  entrance_id: null,
  name: "Ana",
  email: "ana@example.com",
  order: "0abc1234",
  plate: null,
  ...rest,
});
const books = (known: BookRow | undefined, rest: Partial<Books> = {}): Books => ({
  row: (id) => (known?.id === id ? known : undefined),
  ofOrder: () => [],
  types,
  entrances,
  entranceId: "Main",
  settings: { doors_open_at: null, doors_close_at: null, reentry: false },
  ...rest,
});
const look = {
  action: "in" as const,
  codeId: "0000-code-ana",
  issueNumber: 2 as number | null,
  typeId: "general",
};
const NOW = 1_000_000;

describe("deciding from the list", () => {
  it("reports that a former holder's code was passed on, but not to whom, and whose a corrected one is", () => {
    const passedOn = row({ issue_number: 4, transferred_issue: 3, name: "Ben", type_id: "vip" });
    const permit = row({ id: "p", kind: "parking", type_id: "lot", is_included: true });
    const said = (issueNumber: number) =>
      decide({ ...look, issueNumber }, books(passedOn, { ofOrder: () => [passedOn, permit] }), NOW);
    expect(said(2)).toMatchObject({ result: "old_code", detail: "transferred", person: { name: "" } });
    expect(said(3)).toMatchObject({ result: "old_code", person: { name: "Ben" } });
    expect(said(3)).not.toHaveProperty("detail");
    // Parking stays with the buyer.
    expect(said(4)).toMatchObject({
      result: "admitted",
      person: { name: "Ben", is_vip: true, includes_parking: false },
    });
  });

  it("admits a code that is newer than the list, without a name or parking that may be the former holder's", () => {
    const known = row({ type_id: "vip" });
    const permit = row({ id: "p", kind: "parking", type_id: "lot", is_included: true });
    const ofOrder = () => [known, permit];
    const newer = { ...look, issueNumber: 3 };
    expect(decide(newer, books(known, { ofOrder }), NOW)).toMatchObject({
      result: "admitted",
      person: { name: "", is_vip: true, includes_parking: false },
    });
    expect(decide(newer, books(row({ admitted_at: 5 })), NOW)).toMatchObject({
      result: "already_in",
      person: { name: "" },
    });
    expect(decide(newer, books(row({ is_void: true })), NOW).result).toBe("void");
  });

  it("admits a person who has not come in", () => {
    expect(decide(look, books(row()), NOW)).toMatchObject({
      result: "admitted",
      person: { name: "Ana", type: "General", code: "0000-cod" },
    });
  });

  it.each([
    ["void", row({ is_void: true, admitted_at: 5 }), {}],
    ["old_code", row({ issue_number: 3, admitted_at: 5 }), {}],
    ["already_in", row({ admitted_at: 5, entrance_id: "Express" }), { doors_open_at: NOW + 1 }],
    ["not_today", row({ type_id: "lot", kind: "parking" }), { doors_open_at: NOW + 1 }],
    ["not_today", row(), { doors_close_at: NOW }],
    ["wrong_entrance", row({ type_id: "lot", kind: "parking" }), {}],
  ] as const)("refuses as %s, the most serious reason first", (result, known, doors) => {
    const settings = { doors_open_at: null, doors_close_at: null, reentry: false, ...doors };
    expect(decide(look, books(known, { settings }), NOW).result).toBe(result);
  });

  it("refuses a person who went out unless re-entry is on", () => {
    const outside = row({ last_in_at: 5, entrance_id: "Main" });
    const settings = { doors_open_at: null, doors_close_at: null, reentry: true };
    expect(decide(look, books(outside, { settings }), NOW).result).toBe("admitted");
    expect(decide(look, books(outside), NOW)).toMatchObject({
      result: "already_in",
      first: { at: 5, entrance: "Main" },
    });
    expect(decide({ ...look, action: "out" }, books(outside), NOW).result).toBe("not_inside");
  });

  it("shows when and where someone came in", () => {
    const known = row({ admitted_at: 5, entrance_id: "Express", device: "Phone 3" });
    expect(decide(look, books(known), NOW).first).toEqual({ at: 5, entrance: "Express", device: "Phone 3" });
  });

  it("names the open entrances that admit a type", () => {
    const known = row({ type_id: "vip" });
    expect(decide(look, books(known, { entranceId: "Parking" }), NOW)).toMatchObject({
      result: "wrong_entrance",
      entrances: ["Main", "Express"],
    });
    expect(decide(look, books(row(), { entranceId: "Express" }), NOW).entrances).toEqual(["Main"]);
  });

  it("reports its own entrance as closed to a person who is not in yet", () => {
    expect(decide(look, books(row(), { entranceId: "Shut" }), NOW).result).toBe("closed");
    expect(decide(look, books(row({ admitted_at: 5 }), { entranceId: "Shut" }), NOW).result).toBe(
      "already_in",
    );
  });

  it("admits no one to a cancelled festival, and lets people out", () => {
    const settings = { doors_open_at: null, doors_close_at: null, reentry: false, is_cancelled: true };
    expect(decide(look, books(row(), { settings }), NOW)).toMatchObject({
      result: "closed",
      detail: "cancelled",
    });
    expect(decide(look, books(row({ is_void: true }), { settings }), NOW).result).toBe("void");
    const inside = books(row({ admitted_at: 5 }), { settings });
    expect(decide({ ...look, action: "out" }, inside, NOW).result).toBe("let_out");
  });

  describe("parking that comes with VIP", () => {
    const vip = (id: string, rest: Partial<BookRow> = {}) => row({ id, type_id: "vip", ...rest });
    const permit = (rest: Partial<BookRow> = {}) =>
      row({ id: "p", kind: "parking", type_id: "lot", is_included: true, ...rest });
    /** The tickets that show it. */
    const shownOn = (...rows: BookRow[]) =>
      rows
        .filter((known) => {
          const ofOrder = () => rows;
          return decide({ ...look, codeId: known.id }, books(known, { ofOrder }), NOW).person
            ?.includes_parking;
        })
        .map(({ id }) => id);

    it("is shown on the first of the order's valid VIP tickets that was not passed on", () => {
      expect(shownOn(permit(), vip("b"), vip("c"), row({ id: "a" }))).toEqual(["b"]);
      expect(shownOn(permit(), vip("b", { is_void: true }), vip("d"), vip("c"))).toEqual(["c"]);
      expect(shownOn(permit(), vip("b", { transferred_issue: 2 }), vip("c"))).toEqual(["c"]);
    });

    it("is not a pass that was paid for, nor one that was refunded since", () => {
      expect(shownOn(permit({ is_included: false }), vip("b"))).toEqual([]);
      expect(shownOn(permit({ is_void: true }), vip("b"))).toEqual([]);
      expect(shownOn(vip("b"))).toEqual([]);
    });
  });

  it("admits a signed code that was sold after the list was made, by its type", () => {
    expect(decide(look, books(undefined), NOW)).toMatchObject({ result: "admitted", person: { name: "" } });
    expect(decide({ ...look, typeId: "lot" }, books(undefined), NOW).result).toBe("wrong_entrance");
  });

  it("does not require an issue number of a person found by name", () => {
    expect(decide({ ...look, issueNumber: null }, books(row()), NOW).result).toBe("admitted");
  });

  it("lets out people who are in, and no one else", () => {
    const out = { ...look, action: "out" as const };
    expect(decide(out, books(row({ admitted_at: 5 })), NOW).result).toBe("let_out");
    expect(decide(out, books(row()), NOW).result).toBe("not_inside");
  });
});
