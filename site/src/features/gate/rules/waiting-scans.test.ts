import type { GateScan } from "contract/gate";
import { expect, it } from "vitest";
import { admissionsOf, nextPage, noticeOf, pageSizeAfter, type QueuedScan } from "./waiting-scans.ts";

const entry = (seq: number, code_id: string | null = `code ${seq}`): QueuedScan => ({
  seq,
  scan: { id: `scan ${seq}`, code_id, at: seq } as GateScan,
});
const ids = (page: readonly QueuedScan[]) => page.map(({ seq }) => seq);

it("sends the oldest first, as many as the network carries", () => {
  const queue = [entry(1), entry(2), entry(3)];
  expect(ids(nextPage(queue, new Set(), 2))).toEqual([1, 2]);
});

it("skips what was left behind, and keeps the order of scans of one code", () => {
  const queue = [entry(1, "ana"), entry(2, null), entry(3, "ben"), entry(4, "ana"), entry(5, null)];
  expect(ids(nextPage(queue, new Set(["scan 1", "scan 2"]), 2))).toEqual([3, 5]);
});

it("sends less over a failing network, but never nothing, and more once it recovers", () => {
  expect(pageSizeAfter(100, true)).toBe(200);
  expect(pageSizeAfter(400, true)).toBe(500);
  expect(pageSizeAfter(100, false)).toBe(25);
  expect(pageSizeAfter(10, false)).toBe(10);
});

it("creates a notice for a conflict and for an admission against the rules, and for nothing else", () => {
  const about = { name: "Ana", here: "Main, Phone 1" };
  const notice = (answer: object) =>
    noticeOf(entry(1), { id: "scan 1", result: "admitted", ...answer }, about);
  expect(notice({})).toBeUndefined();
  expect(notice({ conflict: true })).toMatchObject({ id: "scan 1", name: "Ana" });
  expect(notice({ despite: "void" })).toMatchObject({ here: "Main, Phone 1" });
  expect(notice({ result: "unknown", detail: "not_recorded" })).toMatchObject({ name: "Ana" });
  expect(notice({ result: "unknown", detail: "forged" })).toBeUndefined();
});

it("lists the places of a conflict by time, whichever was sent first", () => {
  const places = (firstAt: number) =>
    admissionsOf({
      ...noticeOf(
        entry(1),
        {
          id: "scan 1",
          result: "admitted",
          conflict: true,
          at: 50,
          first: { at: firstAt, entrance: "North", device: null },
        },
        { name: "Ana", here: "Main, Phone 1" },
      )!,
    }).map(({ where }) => where);
  expect(places(20)).toEqual(["North", "Main, Phone 1"]);
  expect(places(80)).toEqual(["Main, Phone 1", "North"]);
});
