import { expect, it } from "vitest";
import { returnPath } from "./return-path.ts";

it("returns to a path of the site, with its query", () => {
  expect(returnPath({ from: "/order-confirmation?orderId=1" })).toBe("/order-confirmation?orderId=1");
});

it.each([
  undefined,
  null,
  "/checkout",
  {},
  { from: 1 },
  { from: "https://elsewhere.example" },
  { from: "//elsewhere.example" },
  { from: "/\\elsewhere.example" },
])("returns nowhere else: %j", (state) => {
  expect(returnPath(state)).toBeUndefined();
});
