import { expect, it } from "vitest";
import { pathBackTo, returnPath } from "./return-path.ts";

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

it("leads back to the address, but after a logout carries no payment to whoever signs in next", () => {
  const left = { userLeft: true };
  expect(pathBackTo({ pathname: "/order", search: "?id=1" }, left)).toBe("/order?id=1");
  const search = "?payment_intent=pi_1&payment_intent_client_secret=pi_1_secret_x&redirect_status=succeeded";
  const back = { pathname: "/dashboard", search };
  expect(pathBackTo(back, left)).toBe("/dashboard");
  expect(pathBackTo(back, { userLeft: false })).toBe(`/dashboard${search}`);
});
