import bcrypt from "bcrypt";
import { afterEach, expect, it } from "vitest";
import { createHashingThreads, type HashingThreads } from "./hashing-threads.ts";

let threads: HashingThreads;
afterEach(() => threads.close());

const turn = (ip: string, account = "ada@people.test") => ({ ip, account });
const HERE = turn("here");
const work = { password: "swangas and vogues", cost: 4 };

it("hashes and compares as bcrypt does", async () => {
  threads = createHashingThreads({ size: 2 });
  const { hash } = (await threads.run(work, HERE)) as { hash: string };
  expect(await bcrypt.compare(work.password, hash)).toBe(true);
  expect(await threads.run({ password: work.password, hash }, HERE)).toEqual({ equal: true });
  expect(await threads.run({ password: "candy paint", hash }, HERE)).toEqual({ equal: false });
});

it("lets one sign-in pass before the rest of a network that sends many", async () => {
  threads = createHashingThreads({ size: 1 });
  const done: string[] = [];
  const run = (from: string) => threads.run(work, turn(from)).then(() => done.push(from));
  await Promise.all([...Array.from({ length: 64 }, () => run("rush")), run("honest")]);
  expect(done).toHaveLength(65);
  // One is running and one was sent ahead.
  expect(done.indexOf("honest")).toBe(2);
});

it("lets it pass after at most one job from each of several networks that send many", async () => {
  threads = createHashingThreads({ size: 1 });
  const done: string[] = [];
  const run = (from: string) => threads.run(work, turn(from)).then(() => done.push(from));
  const rush = ["one", "two", "three"].flatMap((from) => Array.from({ length: 30 }, () => run(from)));
  await Promise.all([...rush, run("honest")]);
  // Two that the thread already has, and one round of the networks that came first.
  expect(done.indexOf("honest")).toBeLessThanOrEqual(5);
});

it("lets it pass after at most one job from all guessing networks together", async () => {
  threads = createHashingThreads({ size: 1, isGuessing: (network) => network.startsWith("guesser") });
  const done: string[] = [];
  const run = (from: string) => threads.run(work, turn(from)).then(() => done.push(from));
  const rush = Array.from({ length: 96 }, (_, at) => run(`guesser ${at % 32}`));
  await Promise.all([...rush, run("honest"), run("another")]);
  expect(done).toHaveLength(98);
  // Two that the thread already has, and one in between.
  expect(done.indexOf("honest")).toBeLessThanOrEqual(3);
  expect(done.indexOf("another")).toBeLessThanOrEqual(5);
});

it("gives guessing networks no more than their turn, and whatever capacity is left", async () => {
  threads = createHashingThreads({ size: 1, isGuessing: (network) => network.startsWith("guesser") });
  const done: string[] = [];
  const run = (from: string) => threads.run(work, turn(from)).then(() => done.push(from));
  const crowd = Array.from({ length: 20 }, (_, at) => run(`honest ${at}`));
  const guesses = Array.from({ length: 10 }, (_, at) => run(`guesser ${at % 2}`));
  await Promise.all([...crowd, ...guesses]);
  expect(done.slice(0, 20).every((from) => from.startsWith("honest"))).toBe(true);
  expect(done).toHaveLength(30);
});

it("lets one account pass ahead of a rush for another account in the same network", async () => {
  threads = createHashingThreads({ size: 1 });
  const done: string[] = [];
  const run = (account: string) => threads.run(work, turn("office", account)).then(() => done.push(account));
  const rush = Array.from({ length: 64 }, () => run("rushed"));
  await Promise.all([...rush, run("honest"), run("another")]);
  expect(done).toHaveLength(66);
  // One is running and one was sent ahead.
  expect(done.indexOf("honest")).toBe(2);
  expect(done.indexOf("another")).toBeLessThanOrEqual(4);
});

it("refuses the account with the most waiting in its network when too much waits", async () => {
  threads = createHashingThreads({ size: 1, mostWaiting: 10 });
  const rush = Array.from({ length: 20 }, () => threads.run(work, turn("office", "rushed")));
  const honest = ["one", "another"].map((account) => threads.run(work, turn("office", account)));
  const outcomes = await Promise.allSettled([...honest, ...rush]);
  expect(outcomes.slice(0, 2).map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
  const refused = outcomes.filter((outcome) => outcome.status === "rejected");
  expect(refused).toHaveLength(10);
  for (const { reason } of refused) expect(reason).toMatchObject({ status: 429, retryAfter: 5 });
});

it("refuses the network with the most waiting when too much waits", async () => {
  threads = createHashingThreads({ size: 1, mostWaiting: 10 });
  const rush = Array.from({ length: 20 }, () => threads.run(work, turn("rush")));
  const honest = [threads.run(work, turn("one")), threads.run(work, turn("another"))];
  const outcomes = await Promise.allSettled([...honest, ...rush]);
  expect(outcomes.slice(0, 2).map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
  const refused = outcomes.filter((outcome) => outcome.status === "rejected");
  // Of 22, ten wait, one is running and one was sent ahead.
  expect(refused).toHaveLength(10);
  for (const { reason } of refused) expect(reason).toMatchObject({ code: "over_request_rate_limit" });
});

it("refuses the newcomer when each network has one waiting, and serves all others", async () => {
  threads = createHashingThreads({ size: 1, mostWaiting: 10 });
  const many = Array.from({ length: 14 }, (_, at) => threads.run(work, turn(`network ${at}`)));
  const outcomes = await Promise.allSettled(many);
  expect(outcomes.map(({ status }) => status)).toEqual([
    ...Array(12).fill("fulfilled"),
    ...Array(2).fill("rejected"),
  ]);
  expect(await threads.run(work, turn("later"))).toHaveProperty("hash");
});

it("refuses those whose turn comes too late, and spends no time on them", async () => {
  threads = createHashingThreads({ size: 1, longestWaitMs: 20 });
  const slow = { password: work.password, cost: 11 };
  const outcomes = await Promise.allSettled([
    ...[slow, slow].map((first) => threads.run(first, HERE)),
    ...Array.from({ length: 8 }, (_, at) => threads.run(work, turn(`network ${at}`))),
  ]);
  expect(outcomes.slice(0, 2).map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
  const late = outcomes.slice(2).map((outcome) => (outcome as PromiseRejectedResult).reason);
  for (const reason of late) expect(reason).toMatchObject({ status: 429, retryAfter: 5 });
  expect(await threads.run(work, turn("later"))).toHaveProperty("hash");
});

it("loses only the job that killed a thread, not the one sent ahead to it", async () => {
  threads = createHashingThreads({ size: 1 });
  const broken = { password: undefined as unknown as string, cost: 4 };
  const [died, ...served] = await Promise.allSettled([
    threads.run(broken, HERE),
    threads.run(work, HERE),
    threads.run(work, HERE),
  ]);
  expect(died).toMatchObject({ status: "rejected", reason: { message: expect.stringContaining("data") } });
  expect(served.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
});

it("sends a job to an idle thread before it queues one at a busy thread", async () => {
  threads = createHashingThreads({ size: 2 });
  const slow = { password: work.password, cost: 12 };
  const done: string[] = [];
  await Promise.all([
    threads.run(slow, HERE).then(() => done.push("slow")),
    threads.run(work, HERE).then(() => done.push("quick")),
  ]);
  expect(done).toEqual(["quick", "slow"]);
});
