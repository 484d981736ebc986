// What a subscription to row changes may request, through the official client: columns, every operator, and why it is refused.
import { postgresChangesFilter } from "@supabase/supabase-js";
import { setImmediate } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { alice, person, subscribed, useRealtime, waitFor } from "../../../testing/realtime.ts";
import { createRequestCheck } from "./requests.ts";

const server = await useRealtime();
await server.sql(`
  create table public.acts (id int primary key, name text, stage varchar(20), fee numeric, loud boolean, secret text);
  revoke all on public.acts from anon, authenticated;
  grant select (id, name, stage, fee, loud) on public.acts to anon, authenticated;
  alter publication supabase_realtime add table public.acts;
`);
afterEach(() => void vi.useRealTimers());

/** One channel with a subscription for each request. Each event goes to the lists of the subscriptions that received it. */
async function follow(asked: readonly Record<string, unknown>[], config = {}) {
  const events: any[][] = asked.map(() => []);
  const system: any[] = [];
  const channel = (await server.connect(person(alice))).channel("acts", { config });
  for (const [at, each] of asked.entries()) {
    const request = { event: "*", schema: "public", table: "acts", ...each } as {
      event: "*";
      schema: string;
    };
    channel.on("postgres_changes", request, (change) => events[at]!.push(change));
  }
  channel.on("system", {}, (message) => system.push(message));
  await subscribed(channel);
  await waitFor(() => expect(system).toHaveLength(1));
  return { events, system: system[0], resumed: () => system.length - 1 };
}

const fakeTimeouts = () => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });

/** Joins with a subscription to a table's rows, and collects what the client learns of it. */
async function join(table: string, config = {}) {
  const [states, system]: [string[], any[]] = [[], []];
  (await server.connect(person(alice)))
    .channel("joined", { config })
    .on("postgres_changes", { event: "*", schema: "public", table, filter: "id=gt.0" }, () => {})
    .on("system", {}, (message) => system.push(message))
    .subscribe((state) => states.push(state), 60_000);
  return { states, system };
}

it("every operator decides as PostgreSQL does, plain and negated", async () => {
  const build = postgresChangesFilter;
  const expected = new Map<string | ReturnType<typeof build>, number[]>([
    [build().like("name", "T%s"), [1]],
    [build().not("name", "like", "T%s"), [2]],
    [build().ilike("name", "t%"), [1]],
    [build().match("name", "^Th.*s$"), [1]],
    [build().imatch("stage", "main|side"), [1, 2]],
    [build().not("stage", "imatch", "main"), [2]],
    [build().is("name", null), [3]],
    [build().not("name", "is", null), [1, 2]],
    [build().is("loud", true), [1]],
    [build().is("loud", "unknown"), [3]],
    [build().isDistinct("name", "Suffers, The"), [1, 3]],
    [build().eq("name", "Suffers, The").gt("fee", 9), [2]],
    [build().not("id", "in", [1, 2]), [3]],
    ["  ", [1, 2, 3]],
  ]);
  const { events, resumed } = await follow(
    Array.from(expected.keys(), (filter) => ({ event: "INSERT", filter })),
  );
  // A filter may take 0.15 s, and on a busy machine one that takes longer misses the changes, which the channel is told.
  await waitFor(async () => {
    const told = resumed();
    for (const all of events) all.length = 0;
    await server.sql(`delete from acts; insert into acts values (1, 'The Suffers', 'Main', 1000, true),
      (2, 'Suffers, The', 'side', 10, false), (3, null, null, null, null)`);
    await waitFor(() => expect(events.at(-1)).toHaveLength(3));
    expect(resumed(), "times at which changes were missed").toBe(told);
  });
  const seen = events.map((all) => all.map((change) => change.new.id));
  expect(seen).toEqual([...expected.values()]);
});

it("sends the columns it requests, and the key", async () => {
  const { events } = await follow([{ select: ["name", "fee"] }, { select: ["loud"] }, {}]);
  await server.sql("insert into acts values (11, 'Khruangbin', 'Main', 5, true)");
  await waitFor(() => expect(events.map((all) => all.length)).toEqual([1, 1, 1]));
  expect(events.map(([change]) => change.new)).toEqual([
    { id: 11, name: "Khruangbin", fee: 5 },
    { id: 11, loud: true },
    { id: 11, name: "Khruangbin", stage: "Main", fee: 5, loud: true },
  ]);
});

describe("is refused, in the platform's words,", () => {
  const params = (filters: string, select = "nil") =>
    "Unable to subscribe to changes with given parameters. An exception happened so please check your connect " +
    `parameters: [event: *, schema: public, table: acts, filters: [${filters}], select: ${select}]. Exception: `;
  const raised = "ERROR P0001 (raise_exception) ";

  it.each([
    [
      { select: ["id", "secret"] },
      `${params("", '["id", "secret"]')}${raised}invalid column for select secret`,
    ],
    [
      { select: "id,name" },
      'Error parsing `select` params: expected a list of column name strings, e.g. select: ["col1", "col2"]',
    ],
    [
      { table: "*", select: ["id"] },
      "Column selection is not supported for wildcard subscriptions. Provide an explicit schema and table name.",
    ],
    [
      { filter: "fee=eq.much" },
      `${params('{"fee", "eq", "much", false}')}ERROR 22P02 (invalid_text_representation) invalid input syntax for type numeric: "much"`,
    ],
    [
      { filter: "fee=not.like.1%" },
      `${params('{"fee", "like", "1%", true}')}${raised}operator like is not supported on column fee of type numeric: operator does not exist: numeric ~~ text`,
    ],
    [
      { filter: "id=gt.1,name=match.(" },
      `${params('{"id", "gt", "1", false}, {"name", "match", "(", false}')}${raised}invalid regular expression for match filter: invalid regular expression: parentheses () not balanced`,
    ],
    [
      { filter: "name=is.true" },
      `${params('{"name", "is", "true", false}')}${raised}is true filter requires a boolean column, got text`,
    ],
    [
      { table: "orders_of_old", filter: "id=in.(1,2)" },
      'Unable to subscribe to changes with given parameters. Please check Realtime is enabled for the given connect parameters: [event: *, schema: public, table: orders_of_old, filters: [{"id", "in", "{1,2}", false}], select: nil]',
    ],
  ])("%j", async (request, message) => {
    expect((await follow([request])).system).toMatchObject({ status: "error", message });
  });

  it("for a pattern once those of its network have taken too long", async () => {
    const check = createRequestCheck(server.database.database, { left: () => 0, spend() {} });
    const join = (filter: string) =>
      check(person(alice), { event: "*", schema: "public", table: "acts", filter });
    await join("name=eq.x");
    await expect(join("name=match.x")).rejects.toThrow("Filters of this network take too long to evaluate");
  });

  it("in the reply to a join that waits for it", async () => {
    const wait = { postgres_changes_options: { wait: true } };
    await expect(follow([{ table: "nothing" }], wait)).rejects.toThrow(
      /^RealtimeDisabledForConfiguration: Unable to subscribe to changes with given parameters\. Please check/,
    );
    expect((await follow([{}], wait)).system).toMatchObject({ status: "ok" });
  });

  it("and its client joins again", async () => {
    await server.sql(`create table public.encores (id int primary key);
      grant select on public.encores to authenticated`);
    fakeTimeouts();
    const { states } = await join("encores", { postgres_changes_options: { wait: true } });
    await waitFor(() => expect(states).toEqual(["CHANNEL_ERROR"]));
    await server.sql("alter publication supabase_realtime add table public.encores");
    vi.advanceTimersByTime(1_000);
    await waitFor(() => expect(states).toEqual(["CHANNEL_ERROR", "SUBSCRIBED"]));
  });
});

describe("fails for a moment, as when the database restarts, and is tried again", () => {
  /** The next check of a request's columns fails. */
  const failOnce = () =>
    vi.spyOn(server.database.database, "run").mockRejectedValueOnce(new Error("the database restarts"));

  it("after it was announced", async () => {
    fakeTimeouts();
    failOnce();
    const { system } = await join("acts");
    await waitFor(() => expect(system).toMatchObject([{ status: "error" }]));
    expect(system[0].message).toBe("Unable to subscribe to changes");
    vi.advanceTimersByTime(10_000);
    await waitFor(() => expect(system).toMatchObject([{ status: "error" }, { status: "ok" }]));
  });

  it("while the join waits", async () => {
    fakeTimeouts();
    const check = failOnce();
    const { states, system } = await join("acts", { postgres_changes_options: { wait: true } });
    await waitFor(() => expect(check).toHaveBeenCalledOnce());
    await setImmediate();
    vi.advanceTimersByTime(10_000);
    await waitFor(() => expect(system).toMatchObject([{ status: "ok" }]));
    expect(states).toEqual(["SUBSCRIBED"]);
  });
});
