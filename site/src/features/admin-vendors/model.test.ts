import { expect, it } from "vitest";
import { decidedText, decisionMailText, parseVendorPage, statuses } from "./model.ts";

it("throws on a response of another shape, which does not mean that there are no applications", () => {
  const empty = { rows: [], total_count: 0, total_is_exact: true };
  expect(parseVendorPage({ ...empty, by_status: {} })).toEqual({
    rows: [],
    total: 0,
    exact: true,
    byStatus: {},
  });
  for (const answer of [null, [], empty, { ...empty, by_status: {}, rows: [{}] }]) {
    expect(() => parseVendorPage(answer)).toThrow("Failed to fetch vendor applications: unexpected answer");
  }
});

it("names the choices: Pending, Reviewing, Approve, Reject", () => {
  expect(statuses.map(({ choice, status }) => `${choice} = ${status}`)).toEqual([
    "Pending = pending_review",
    "Reviewing = under_review",
    "Approve = approved",
    "Reject = rejected",
  ]);
});

it("says that a decision is mailed, and when it can still be undone", () => {
  expect(decidedText("Smoke", "approved")).toBe(
    "Smoke: Approved. The email goes out in 15 seconds, unless already sent.",
  );
  expect(decidedText("Smoke", "under_review")).toBe("Smoke: Reviewing");
});

it("says what became of the mail", () => {
  const mail = { payload: { status: "rejected" }, done_at: null, dead_at: null };
  expect(decisionMailText(mail)).toBe("Rejected: being sent");
  expect(decisionMailText({ ...mail, done_at: "2025-06-01T20:00:00Z" })).toMatch(/^Rejected: sent Jun/);
  expect(decisionMailText({ ...mail, dead_at: "2025-06-01T20:00:00Z" })).toBe("Rejected: could not be sent");
});
