import { expect, it } from "vitest";
import { expiryParts, formatCardNumber, formatCvc, formatExpiry } from "./card-format.ts";

it("groups a card number as it is printed on the card", () => {
  expect(formatCardNumber("4242-4242 42424242")).toBe("4242 4242 4242 4242");
  expect(formatCardNumber("378282246310005")).toBe("3782 822463 10005");
  expect(formatCardNumber("42424")).toBe("4242 4");
  expect(formatCardNumber("card")).toBe("");
});

it("reads an expiry however it is typed", () => {
  expect(["1", "12", "123", "12/30", "12 / 2", "730"].map(formatExpiry)).toEqual([
    "1",
    "12",
    "12 / 3",
    "12 / 30",
    "12 / 2",
    "07 / 30",
  ]);
  expect(expiryParts("07 / 30")).toEqual({ month: "07", year: "30" });
  expect(expiryParts("07")).toEqual({ month: "07", year: "" });
});

it("keeps four digits of a security code", () => {
  expect(formatCvc("12a345")).toBe("1234");
});
