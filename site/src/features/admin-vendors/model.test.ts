import { expect, it } from "vitest";
import { parseVendorPage, statuses } from "./model.ts";

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
