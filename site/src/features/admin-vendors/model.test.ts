import { expect, it } from "vitest";
import { matching, statuses, type VendorApplication } from "./model.ts";

const application = (booth_name: string, contact_name: string, contact_email: string) =>
  ({ booth_name, contact_name, contact_email }) as VendorApplication;

it("searches booth, contact and email, in any case", () => {
  const smoke = application("Smoke & Oak", "Ana Reyes", "ana@example.com");
  const boots = application("Boots", "Ben Ortiz", "ben@leather.example");
  expect(matching([smoke, boots], "OAK")).toEqual([smoke]);
  expect(matching([smoke, boots], "ortiz")).toEqual([boots]);
  expect(matching([smoke, boots], "leather")).toEqual([boots]);
  expect(matching([smoke, boots], " ")).toEqual([smoke, boots]);
});

it("names the choices as the specification does", () => {
  expect(statuses.map(({ choice, status }) => `${choice} = ${status}`)).toEqual([
    "Pending = pending_review",
    "Reviewing = under_review",
    "Approve = approved",
    "Reject = rejected",
  ]);
});
