// On a busy server, each database answer that a sign-in waits for delays it by a turn of the event loop.
import pg from "pg";
import { expect, it, vi } from "vitest";
import { PASSWORD, useAuth } from "../../../testing/auth.ts";

const auth = await useAuth();

/** How often `work` waits for the database: statements sent before the first answer count as one round trip. */
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

it("waits for the database four times: first look-up, look-up in the transaction, session, commit", async () => {
  const email = "ada@people.test";
  await auth.signedUp(email);
  const signIn = async () => {
    const { status } = await auth.call("POST", "/token?grant_type=password", { email, password: PASSWORD });
    expect(status).toBe(200);
  };
  await signIn();
  expect(await roundTrips(signIn)).toBe(4);
});
