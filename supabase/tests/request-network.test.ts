// SQL and the server must write a network alike, so that wrong promo codes in quotes and orders count together.
import { networkAddress } from "contract/network-address";
import { afterAll, beforeAll, expect, it } from "vitest";
import { cloneDatabase, type TestDatabase } from "../../server/testing/database.ts";
import { type Office, openOffice } from "./office.ts";

let db: TestDatabase;
let office: Office;
beforeAll(async () => {
  db = await cloneDatabase();
  office = await openOffice(db);
});
afterAll(() => db?.close());

it.each([
  ["203.0.113.7", "203.0.113.7"],
  ["2001:db8:1:2:a:b:c:d", "2001:db8:1:2::"],
  ["2001:db8::1", "2001:db8::"],
  ["2001:db8:0:10::1", "2001:db8:0:10::"],
  ["2001:0:0:5::", "2001:0:0:5::"],
  ["::1:2", "::"],
])("counts %s as %s", async (address, network) => {
  const headers = { "x-forwarded-for": `6.6.6.6, ${address}` };
  expect(await office.as("anon", "select public.request_network() as network", [], headers)).toEqual([
    { network },
  ]);
  expect(networkAddress(address)).toBe(network);
});

it("counts wrong promo codes of one IPv6 network together", async () => {
  const quote = (number: number) =>
    office.as<{ answer: { error: { code: string } } }>(
      number % 2 ? "buyer" : "other",
      "select public.quote_promo_code($1, $2) as answer",
      [`WRONG-${number}`, JSON.stringify([{ id: crypto.randomUUID(), quantity: 1 }])],
      { "x-forwarded-for": `2001:db8:7:7::${number.toString(16)}` },
    );
  for (let number = 1; number <= 4; number++) await quote(number);
  expect(
    await office.sql(
      "select key, cardinality(hits) as hits from public.rate_limits where key like 'promo-address:%'",
    ),
  ).toEqual([{ key: "promo-address:2001:db8:7:7::", hits: 4 }]);
});
