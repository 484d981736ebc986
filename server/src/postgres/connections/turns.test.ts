// Whose request gets a connection next, tested without a database.
import { expect, onTestFinished, test, vi } from "vitest";
import { Turns } from "./turns.ts";

const LIMITS = { connections: 2, perAddress: 1, waitMs: 60_000, waiting: { perAddress: 3, inAll: 4 } };

test("addresses take turns, however many requests one of them has sent before", async () => {
  const turns = new Turns({ ...LIMITS, connections: 1 });
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
  expect(served).toEqual(["a", "b", "a", "c", "a"]);
});

test("the queue is limited, for one address and for all", async () => {
  const turns = new Turns(LIMITS);
  const full = expect.objectContaining({ status: 504, code: "PGRST003" });
  const ask = async (address: string) => turns.take(address);
  const inside = await Promise.all([ask("a"), ask("b")]);
  const waiting = [ask("a"), ask("a"), ask("a"), ask("b")];
  await expect(ask("a")).rejects.toEqual(full);
  await expect(ask("c")).rejects.toEqual(full);
  expect(turns.addresses()).toBe(2); // the refused address is not remembered
  for (const end of inside) end();
  for (const one of waiting) (await one)();
  await expect(ask("c")).resolves.toBeTypeOf("function");
});

test("while others wait, slow requests are cut short down to half of the connections, the greediest address first", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const turns = new Turns({ ...LIMITS, connections: 4, perAddress: 3, slowMs: 1_000 });
  const cut: string[] = [];
  const ask = async (address: string) => turns.take(address, undefined, () => cut.push(address));
  const ends = await Promise.all(["a", "b", "b", "b"].map(ask));
  vi.advanceTimersByTime(5_000);
  expect(cut).toEqual([]); // nobody is waiting
  const waiting = ["c", "d", "e"].map(ask);
  expect(cut).toEqual(["b", "b"]);
  ends[1]!();
  ends[2]!();
  const [third, fourth] = await Promise.all(waiting.slice(0, 2));
  vi.advanceTimersByTime(999);
  expect(cut).toEqual(["b", "b"]);
  vi.advanceTimersByTime(2);
  expect(cut).toHaveLength(3);
  third!();
  fourth!();
  await waiting[2];
});

test("every second turn goes to addresses whose last request was quick", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const turns = new Turns({
    ...LIMITS,
    connections: 1,
    waiting: { perAddress: 9, inAll: 99 },
    slowMs: 1_000,
  });
  const served: string[] = [];
  const ask = async (address: string) => {
    const end = await turns.take(address);
    served.push(address);
    return end;
  };
  (await ask("quick"))();
  const slow = await ask("slow");
  vi.advanceTimersByTime(1_000);
  slow();
  served.length = 0;
  const inside = await ask("new");
  const addresses = ["slow", "newer", "newest", "quick", "quick", "quick", "quick"];
  const others = addresses.map(async (address) => (await ask(address))());
  inside();
  await Promise.all(others);
  expect(served).toEqual(["new", "slow", "quick", "newer", "quick", "newest", "quick", "quick"]);
});
