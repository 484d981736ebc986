// Every query ends, either at its role's timeout or when its client leaves. None keeps others from the database.
import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { cloneDatabase } from "../../testing/database.ts";
import { openRest } from "../../testing/rest.ts";
import type { ServiceContext } from "../platform/http/context.ts";
import { departureOf } from "../platform/http/departure.ts";
import { CALLERS, contextOf } from "../../testing/conformance/sides.ts";

const { db, rest, sql } = await openRest(
  `create function wait(seconds float8) returns int language plpgsql stable as
    $$ begin perform pg_sleep(seconds); return 1; end $$;
  create table taken (id int primary key);
  insert into taken values (1);
  grant all on taken to authenticated;
  do $$ begin execute format('alter role authenticated in database %I set lock_timeout = 20', current_database()); end $$`,
  {},
  { sizes: { requests: 4, service: 2 }, perAddress: 2, waitMs: 200 },
);

interface Asking extends Partial<ServiceContext> {
  readonly as?: keyof typeof CALLERS;
}

const ask = (path: string, { as = "anon", ...context }: Asking = {}, init: RequestInit = {}) =>
  rest.fetch(new Request(`http://localhost${path}`, init), { ...contextOf(CALLERS[as]), ...context });

const wait = (seconds: number, context?: Asking) => ask(`/rpc/wait?seconds=${seconds}`, context);

/** Statements of requests running right now. A cancelled one still counts briefly after its error has arrived. */
const running = async () =>
  (
    await sql(`select from pg_stat_activity where datname = current_database() and state = 'active'
      and query like '%pgrst_call%' and pid <> pg_backend_pid()`)
  ).rows.length;

/** A response in progress, which the client may abandon. */
function visitor() {
  const outgoing = Object.assign(new EventEmitter(), { destroyed: false, writableFinished: false });
  return {
    departure: departureOf(outgoing),
    leave() {
      outgoing.destroyed = true;
      outgoing.emit("close");
    },
  };
}

describe("a statement", () => {
  it("ends when its role's timeout expires, as the operator last set it", async () => {
    await sql(
      `do $$ begin execute format('alter role anon in database %I set statement_timeout = 30', current_database()); end $$`,
    );
    db.database.forgetRoleSettings();
    const answer = await wait(60);
    expect([answer.status, await answer.json()]).toMatchObject([422, { code: "57014" }]);
    await sql(`do $$ begin execute format('alter role anon in database %I set statement_timeout = 0', current_database()); end $$;
      notify pgrst, 'reload config'`);
    await expect.poll(async () => (await wait(0.05)).status).toBe(200);
  });

  it("has three seconds as a visitor and eight as a buyer or the service by default", async () => {
    const fresh = await cloneDatabase();
    const timeouts = async (role: string) =>
      (
        await fresh.database.run(
          { claims: { role } },
          { text: "select current_setting('statement_timeout') as s, current_setting('lock_timeout') as l" },
        )
      ).rows[0];
    expect(await timeouts("anon")).toEqual({ s: "3s", l: "3s" });
    expect(await timeouts("authenticated")).toEqual({ s: "8s", l: "8s" });
    expect(await timeouts("service_role")).toEqual({ s: "8s", l: "8s" });
    await fresh.close();
  });

  it("does not wait for a lock forever", async () => {
    await db.database.asService("the test holds a row").transaction(async (tx) => {
      await tx.query("select from taken for update");
      const init = { method: "PATCH", body: '{"id":2}', headers: { "content-type": "application/json" } };
      const answer = await ask("/taken?id=eq.1", { as: "alice" }, init);
      expect([answer.status, await answer.json()]).toMatchObject([422, { code: "55P03" }]);
    });
  });

  it("is cancelled when its client goes, and its connection serves the next", async () => {
    const { departure, leave } = visitor();
    const answer = wait(60, { departure });
    await expect.poll(running).toBe(1);
    leave();
    expect((await answer).status).toBe(499);
    await expect.poll(running).toBe(0);
    const others = await Promise.all([1, 2, 3, 4].map((n) => wait(0, { ip: `192.0.2.${n}` })));
    expect(others.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });
});

describe("a quick statement", () => {
  it("finishes normally when its client goes, and leaves its connection open", async () => {
    const own = await cloneDatabase({ sizes: { requests: 1, service: 2 } });
    const owner = own.database.asService("the test holds a row");
    await owner.query("create table held (id int); insert into held values (1); grant all on held to anon");
    const anon = { claims: { role: "anon" } };
    const connection = async () =>
      (await own.database.run(anon, { text: "select pg_backend_pid() as pid" })).rows[0]!.pid;
    const before = await connection();
    const { departure, leave } = visitor();
    let answer: Promise<unknown> | undefined;
    await owner.transaction(async (tx) => {
      await tx.query("select from held for update");
      answer = own.database.run({ ...anon, departure }, { text: "update held set id = 2" });
      const waits = () =>
        owner.query("select from pg_stat_activity where pid = $1 and wait_event_type = 'Lock'", [before]);
      await expect.poll(async () => (await waits()).rows.length).toBe(1);
      leave();
    });
    await answer;
    expect(await connection()).toBe(before);
    await own.close();
  });
});

describe("the connections", () => {
  it("are not all used by one address: others are served alongside its slow queries", async () => {
    const slow = [visitor(), visitor(), visitor(), visitor()];
    const answers = slow.map(({ departure }) => wait(60, { ip: "192.0.2.66", departure }));
    await expect.poll(running).toBe(2);
    expect((await wait(0, { ip: "192.0.2.1" })).status).toBe(200);
    const [third, fourth] = await Promise.all(answers.slice(2));
    expect([third?.status, fourth?.status]).toEqual([504, 504]);
    for (const { leave } of slow) leave();
    await Promise.all(answers);
  });

  it("are not all used by one account on several addresses: others on these addresses are served alongside it", async () => {
    const addresses = ["192.0.2.61", "192.0.2.62", "192.0.2.63"];
    const slow = addresses.map((ip) => ({ ip, ...visitor() }));
    const answers = slow.map(({ ip, departure }) => wait(60, { as: "alice", ip, departure }));
    await expect.poll(running).toBe(2);
    const bob = { role: "authenticated", sub: "22222222-2222-4222-8222-222222222222" };
    for (const ip of [...addresses, "192.0.2.1"]) {
      expect((await wait(0, { claims: bob, ip })).status).toBe(200);
      expect((await wait(0, { ip })).status).toBe(200);
    }
    await expect.poll(running).toBe(2);
    for (const { leave } of slow) leave();
    await Promise.all(answers);
    expect((await wait(0, { as: "alice" })).status).toBe(200);
  });

  it("answer 504 PGRST003 when all are taken, but not to the server itself", async () => {
    const slow = Array.from({ length: 4 }, visitor);
    const answers = slow.map(({ departure }, n) => wait(60, { ip: `192.0.2.${n % 2}`, departure }));
    await expect.poll(running).toBe(4);
    const refused = await wait(0, { ip: "192.0.2.77" });
    expect(refused.status).toBe(504);
    expect(await refused.json()).toEqual({
      code: "PGRST003",
      message: "Timed out acquiring connection from connection pool.",
      details: null,
      hint: null,
    });
    expect((await wait(0, { as: "service" })).status).toBe(200);
    expect((await wait(0, { reserved: true })).status).toBe(200);
    for (const { leave } of slow) leave();
    await Promise.all(answers);
    expect((await wait(0)).status).toBe(200);
  });

  it("are not waited for by a client that has gone", async () => {
    const slow = [visitor(), visitor()];
    const answers = slow.map(({ departure }) => wait(60, { ip: "192.0.2.66", departure }));
    await expect.poll(running).toBe(2);
    const { departure, leave } = visitor();
    const third = wait(60, { ip: "192.0.2.66", departure });
    leave();
    expect((await third).status).toBe(499);
    for (const one of slow) one.leave();
    await Promise.all(answers);
    await expect.poll(running).toBe(0);
  });

  it("change hands when slow queries of several addresses hold more than half of them and others wait", async () => {
    const own = await cloneDatabase({
      sizes: { requests: 4, service: 2 },
      perAddress: 2,
      waitMs: 60_000,
      slowMs: 50,
    });
    const scope = (address: string) => ({ claims: { role: "anon" }, address });
    const sleep = (address: string, seconds: number) =>
      own.database.run(scope(address), { text: "select pg_sleep($1)", values: [seconds] }).then(
        () => "answered",
        (error: { code?: string; status?: number }) => [error.status, error.code],
      );
    const ended: unknown[] = [];
    const slow = ["192.0.2.1", "192.0.2.1", "192.0.2.2", "192.0.2.2"].map(async (address) =>
      ended.push(await sleep(address, 2)),
    );
    expect(await Promise.all([sleep("192.0.2.3", 0), sleep("192.0.2.4", 0)])).toEqual([
      "answered",
      "answered",
    ]);
    // The first connection released may serve both waiting requests. Then no other query is cut short.
    expect(ended[0]).toEqual([504, "PGRST003"]);
    await Promise.all(slow);
    expect(ended.filter((end) => end === "answered").length).toBeGreaterThanOrEqual(2);
    await own.close();
  });
});
