import { expect, it } from "vitest";
import { parseVendorPage, statuses } from "./model.ts";

it("makes an empty list of a wrong shape", () => {
  const empty = { rows: [], total: 0, exact: true, byStatus: {} };
  for (const answer of [null, [], { rows: [{}], total_count: 1, total_is_exact: true }]) {
    expect(parseVendorPage(answer)).toEqual(empty);
  }
});

it("names the choices as the specification does", () => {
  expect(statuses.map(({ choice, status }) => `${choice} = ${status}`)).toEqual([
    "Pending = pending_review",
    "Reviewing = under_review",
    "Approve = approved",
    "Reject = rejected",
  ]);
});
