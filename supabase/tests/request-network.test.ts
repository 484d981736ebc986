// SQL and the server write a network alike.
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
