import { expect, it } from "vitest";
import { cardErrors, expiryParts, formatCardNumber, formatCvc, formatExpiry } from "./card-format.ts";

it("groups a card number as it is printed on the card", () => {
  expect(formatCardNumber("4242-4242 42424242")).toBe("4242 4242 4242 4242");
  expect(formatCardNumber("378282246310005")).toBe("3782 822463 10005");
  expect(formatCardNumber("42424")).toBe("4242 4");
  expect(formatCardNumber("card")).toBe("");
  expect(formatCardNumber(" ４２４２－４２４２ 4242 4242 ")).toBe("4242 4242 4242 4242");
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
  const others = [
    "12 / 29",
    "12/2029",
    "12 / 202",
    "2029-12",
    "1/29",
    "1/2029",
    "122029",
    "１２／２９",
    "12 29",
    "12-29",
  ];
  expect(others.map(formatExpiry)).toEqual([
    "12 / 29",
    "12 / 29",
    "12 / 202",
    "12 / 29",
    "01 / 29",
    "01 / 29",
    "12 / 29",
    "12 / 29",
    "12 / 29",
    "12 / 29",
  ]);
  expect(expiryParts("07 / 30")).toEqual({ month: "07", year: "30" });
  expect(expiryParts("07")).toEqual({ month: "07", year: "" });
});

it("keeps four digits of a security code", () => {
  expect(formatCvc("12a345")).toBe("1234");
});

it("reports problems field by field, and none for a plausible card", () => {
  const now = new Date(2025, 5, 27);
  const card = { number: "4242 4242 4242 4242", expiry: "06 / 25", cvc: "123" };
  expect(cardErrors(card, now)).toEqual({});
  expect(cardErrors({ ...card, number: "3782 822463 10005", cvc: "1234" }, now)).toEqual({});
  expect(cardErrors({ number: "", expiry: "", cvc: "" }, now)).toEqual({
    number: "Your card number is incomplete.",
    expiry: "Your card's expiration date is incomplete.",
    cvc: "Your card's security code is incomplete.",
  });
  expect(cardErrors({ number: "4242 4242 4242 4241", expiry: "05 / 25", cvc: "12" }, now)).toEqual({
    number: "Your card number is invalid.",
    expiry: "Your card's expiration date is in the past.",
    cvc: "Your card's security code is incomplete.",
  });
  expect(cardErrors({ ...card, expiry: "13 / 30" }, now)).toEqual({
    expiry: "Your card's expiration date is invalid.",
  });
});
