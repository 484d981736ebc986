// Who is with the database next, without a database.
import { expect, test } from "vitest";
import { createTurns } from "./turns.ts";

const LIMITS = { connections: 2, perAddress: 1, waitMs: 60_000, waiting: { perAddress: 3, inAll: 4 } };

test("addresses take turns, however many requests one of them has sent before", async () => {
  const turns = createTurns({ ...LIMITS, connections: 1 });
  const served: string[] = [];
  const ask = async (address: string) => {
    const end = await turns.take(address);
    served.push(address);
    return end;
  };
  const first = await ask("a");
  const others = ["a", "a", "b", "c"].map(async (address) => (await ask(address))());
  first();
  await Promise.all(others);
  expect(served).toEqual(["a", "b", "c", "a", "a"]);
});

test("a line has an end, for one address and for all", async () => {
  const turns = createTurns(LIMITS);
  const full = expect.objectContaining({ status: 504, code: "PGRST003" });
  const ask = async (address: string) => turns.take(address);
  const inside = await Promise.all([ask("a"), ask("b")]);
  const waiting = [ask("a"), ask("a"), ask("a"), ask("b")];
  await expect(ask("a")).rejects.toEqual(full);
  await expect(ask("c")).rejects.toEqual(full);
  expect(turns.addresses()).toBe(2); // the one refused at the door is not remembered
  for (const end of inside) end();
  for (const one of waiting) (await one)();
  await expect(ask("c")).resolves.toBeTypeOf("function");
});
