import { expect, it } from "vitest";
import {
  generalParking,
  isChoosable,
  isSoldOut,
  isVip,
  outdated,
  type ParkingPass,
  type TicketType,
} from "./model.ts";

const ticketType = { id: "g", name: "General Admission", price: 45, current_inventory: 3 } as TicketType;
const preferred = {
  id: "pp",
  type_name: "Preferred Parking",
  price: 60,
  current_inventory: 1,
} as ParkingPass;
const general = { id: "p", type_name: "GENERAL parking", price: 25, current_inventory: 1 } as ParkingPass;

it("offers the pass whose name contains general, and none when there is none", () => {
  expect(generalParking([preferred, general])).toBe(general);
  expect(generalParking([preferred])).toBeUndefined();
});

it("is sold out at zero and below", () => {
  expect([1, 0, -1].map((current_inventory) => isSoldOut({ current_inventory }))).toEqual([
    false,
    true,
    true,
  ]);
});

it("knows VIP in any case", () => {
  expect(["VIP", "Super Vip Day", "General"].map((name) => isVip({ name }))).toEqual([true, true, false]);
});

it("ignores quantities below zero, above the stock and in pieces", () => {
  expect([-1, 0, 1.5, 3, 4, Number.NaN].map((quantity) => isChoosable(quantity, 3))).toEqual([
    false,
    true,
    false,
    true,
    false,
    false,
  ]);
});

it("finds the cart's items whose price or name has changed, and leaves those it does not know", () => {
  const items = [
    { id: "g", name: "General Admission", price: 40, quantity: 2 },
    { id: "p", name: "GENERAL parking", price: 25, quantity: 1 },
    { id: "gone", name: "Early Bird", price: 30, quantity: 1 },
  ];
  expect(outdated(items, { ticketTypes: [ticketType], parkingPasses: [general] })).toEqual([
    { id: "g", name: "General Admission", price: 45, quantity: 2, itemData: ticketType },
  ]);
});
