import { expect, it } from "vitest";
import { createOffers, type Offer } from "./offers.ts";

const vip: Offer = { name: "VIP", price: 150, available: true };
const settled = () => new Promise((done) => setImmediate(done));

it("asks again only after a while, tells of a change, and keeps what it knows when asking fails", async () => {
  let time = 0;
  let asked = 0;
  let changes = 0;
  let answer: () => Promise<readonly Offer[]> = async () => [vip];
  const offers = createOffers({
    read: () => (asked++, answer()),
    onChange: () => changes++,
    now: () => time,
  });
  expect(offers.current()).toEqual([]);
  await settled();
  expect(offers.current()).toEqual([vip]);
  expect([asked, changes]).toEqual([1, 1]);

  time = 15_000;
  offers.current();
  await settled();
  expect([asked, changes]).toEqual([2, 1]);

  time = 30_000;
  answer = () => Promise.reject(new Error("no database"));
  offers.current();
  await settled();
  expect(offers.current()).toEqual([vip]);

  time = 45_000;
  answer = async () => [{ ...vip, available: false }];
  offers.current();
  await settled();
  expect([offers.current()[0]!.available, changes]).toEqual([false, 2]);
});
