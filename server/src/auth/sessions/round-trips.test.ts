// A busy server answers a sign-in a turn of the event loop later for each answer of the database that it waits for.
import pg from "pg";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { PASSWORD, startAuth, type TestAuth } from "../../../testing/auth.ts";

let auth: TestAuth;
beforeAll(async () => {
  auth = await startAuth();
});
afterAll(() => auth?.close());

/** How often `work` had to wait for the database: statements sent before the first answer are one round trip. */
async function roundTrips(work: () => Promise<unknown>): Promise<number> {
  const ask = pg.Client.prototype.query as (...asked: unknown[]) => unknown;
  let [trips, underWay] = [0, 0];
  const spy = vi.spyOn(pg.Client.prototype, "query").mockImplementation(function (
    this: pg.Client,
    ...asked: unknown[]
  ) {
    if (underWay++ === 0) trips++;
    const answer = ask.apply(this, asked) as Promise<unknown>;
    void answer.then(
      () => underWay--,
      () => underWay--,
    );
    return answer;
  });
  await work();
  spy.mockRestore();
  return trips;
}

it("waits for the database four times: what is known, what is known now, the session and its commit", async () => {
  const email = "ada@people.test";
  await auth.signedUp(email);
  const signIn = async () => {
    const { status } = await auth.call("POST", "/token?grant_type=password", { email, password: PASSWORD });
    expect(status).toBe(200);
  };
  await signIn();
  expect(await roundTrips(signIn)).toBe(4);
});
