// Nobody learns from an answer, or from the time it takes, whether an address has an account. Times cannot be compared in a
// test, so these tests compare the work: everything that depends on the address happens within the even wait.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Database } from "../../postgres/database.ts";
import type { Executor, ServiceDatabase } from "../../postgres/executor.ts";
import { createHashingThreads } from "../passwords/hashing-threads.ts";
import { PASSWORD, startAuth, type TestAuth } from "../../../testing/auth.ts";
import { createEvenAnswers, type EvenAnswers } from "./even-answers.ts";

/** The work before and after the even wait, and the wait itself. */
let work: string[] = [];
let waiting = false;
const note = (what: string) => {
  // Mails are sent after the answer.
  if (!waiting && !what.includes("mail_outbox")) work.push(what);
};

const evenly: EvenAnswers = async (task) => {
  note("waits");
  waiting = true;
  try {
    return await task();
  } finally {
    waiting = false;
  }
};

const threads = createHashingThreads({ size: 1 });
const watchedThreads: typeof threads = {
  close: () => threads.close(),
  run(job, from) {
    note("hashes");
    return threads.run(job, from);
  },
};

const watchedExecutor = (executor: Executor): Executor => ({
  query(text, values) {
    note(text);
    return executor.query(text, values);
  },
  run(statement) {
    note(statement.text);
    return executor.run(statement);
  },
});
const watchedService = (service: ServiceDatabase): ServiceDatabase => ({
  ...watchedExecutor(service),
  transaction: (task) => service.transaction((tx) => task(watchedExecutor(tx))),
});
const watched = (database: Database): Database => ({
  ...database,
  asService: (why) => watchedService(database.asService(why)),
});

let auth: TestAuth;
beforeAll(async () => {
  auth = await startAuth({}, { evenly, threads: watchedThreads }, watched);
  // The first unknown address creates the decoy hash that all of them are compared with.
  await auth.call("POST", "/token?grant_type=password", { email: "first@example.com", password: PASSWORD });
});
afterAll(() => auth.close());
beforeEach(() => auth.advance(61));

/** The answer without the caller's own values, and the work outside the wait. */
async function seen(method: string, path: string, body: { email: string }, token?: string) {
  work = [];
  const answer = await auth.call(method, path, body, token);
  return { status: answer.status, members: Object.keys(answer.body), work: [...work] };
}

describe("a known and an unknown address cost the same outside the even wait, by", () => {
  it.each([
    ["recovering a password", "/recover", {}, []],
    ["resending a confirmation", "/resend", { type: "signup" }, []],
    ["resending an address change", "/resend", { type: "email_change" }, []],
    ["signing up", "/signup", { password: PASSWORD }, ["hashes"]],
    ["requesting a code", "/otp", {}, []],
    ["requesting a link", "/magiclink", {}, []],
  ] as const)("%s", async (_, path, body, first) => {
    const name = `${path.slice(1)}-${Object.values(body).join("").replaceAll(/\W/g, "")}`;
    const known = `known-${name}@example.com`;
    const unconfirmed = `unconfirmed-${name}@example.com`;
    const mover = await auth.signedUp(known);
    await auth.call("PUT", "/user", { email: `moved-${name}@example.com` }, mover.access_token);
    await auth.call("POST", "/signup", { email: unconfirmed, password: PASSWORD });
    auth.advance(61);
    const unknown = await seen("POST", path, { ...body, email: `unknown-${name}@example.com` });
    expect(unknown).toMatchObject({ status: 200, work: [...first, "waits"] });
    expect(await seen("POST", path, { ...body, email: known })).toEqual(unknown);
    expect(await seen("POST", path, { ...body, email: unconfirmed })).toEqual(unknown);
    // Within the minute both are refused, after the same wait.
    const refused = await seen("POST", path, { ...body, email: known });
    expect(refused).toMatchObject({ status: 429, work: [...first, "waits"] });
  });

  it("changing one's address", async () => {
    await auth.signedUp("taken@example.com");
    const change = async (from: string, email: string) => {
      const { access_token } = await auth.signedUp(from);
      return seen("PUT", "/user", { email }, access_token);
    };
    const unknown = await change("mover-1@example.com", "free@example.com");
    expect(unknown.status).toBe(200);
    expect(unknown.work.at(-1)).toBe("waits");
    expect(await change("mover-2@example.com", "taken@example.com")).toEqual(unknown);
  });
});

it("a wrong password costs the same queries and one hash, whether or not the address has an account", async () => {
  await auth.signedUp("guessed@example.com");
  const guess = (email: string) => ({ email, password: "a guess" });
  const unknown = await seen("POST", "/token?grant_type=password", guess("nobody@example.com"));
  expect(unknown.status).toBe(400);
  expect(unknown.work.filter((one) => one === "hashes")).toHaveLength(1);
  expect(await seen("POST", "/token?grant_type=password", guess("guessed@example.com"))).toEqual(unknown);
});

describe("an even answer", () => {
  it("waits for the full time, and so does a refusal", async () => {
    const wait = Promise.withResolvers<void>();
    const waits: number[] = [];
    const evenAnswer = createEvenAnswers(100, (milliseconds) => {
      waits.push(milliseconds);
      return wait.promise;
    });
    const settled: unknown[] = [];
    const settle = (outcome: unknown) => settled.push(outcome);
    const answers = [
      evenAnswer(() => Promise.resolve("answered")).then(settle),
      evenAnswer(() => Promise.reject(new Error("refused"))).catch((error: Error) => settle(error.message)),
    ];
    await new Promise(setImmediate);
    expect([settled, waits]).toEqual([[], [100, 100]]);
    wait.resolve();
    await Promise.all(answers);
    expect(settled).toEqual(["answered", "refused"]);
  });

  it("takes longer when the work does", async () => {
    const done = Promise.withResolvers<string>();
    const answer = createEvenAnswers(100, () => Promise.resolve())(() => done.promise);
    done.resolve("late");
    expect(await answer).toBe("late");
  });
});
