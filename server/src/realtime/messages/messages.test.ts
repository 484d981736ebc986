// Broadcasts that SQL sends, as official clients receive them.
import type { SupabaseClient } from "@supabase/supabase-js";
import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { alice, bob, person, sign, subscribed, useRealtime, waitFor } from "../../../testing/realtime.ts";
import { removeOld } from "./upkeep.ts";

const server = await useRealtime();
await server.sql(`
  create policy "People hear their own topics, and see who is in the hall" on realtime.messages for select to authenticated
    using (realtime.topic() like current_setting('request.jwt.claims')::json->>'sub' || ':%'
      or (realtime.topic() = 'hall' and extension = 'presence'));
  create policy "People write to their own topics" on realtime.messages for insert to authenticated
    with check (realtime.topic() like current_setting('request.jwt.claims')::json->>'sub' || ':%');
  create table public.boards (id int primary key, name text);
  create function public.tell_of_boards() returns trigger language plpgsql as $$
  begin
    perform realtime.broadcast_changes('${alice}:boards', tg_op, tg_op, tg_table_name, tg_table_schema, new, old);
    return null;
  end $$;
  create trigger tell_of_boards after insert or update or delete on public.boards
    for each row execute function public.tell_of_boards();
`);
afterEach(async () => {
  await server.disconnectAll();
  await server.sql("delete from realtime.messages");
});

/** Joins, and resolves once broadcasts from SQL arrive. */
async function hear(
  topic: string,
  options: { private?: boolean; version?: string; as?: string; replay?: any; through?: SupabaseClient } = {},
) {
  const { private: isPrivate = true, version, as = alice, replay } = options;
  const heard: any[] = [];
  const system: any[] = [];
  const client = options.through ?? (await server.connect(person(as), version));
  const config = { private: isPrivate, broadcast: { replication_ready: true, ...(replay && { replay }) } };
  const channel = client
    .channel(topic, { config })
    .on("broadcast", { event: "*" }, (message) => heard.push(message))
    .on("system", {}, (message) => system.push(message));
  await subscribed(channel);
  await waitFor(() => expect(system).toHaveLength(1));
  return { heard, system };
}

const send = (text: string, event: string, topic: string) =>
  server.sql("select realtime.send($1::jsonb, $2, $3, true)", [JSON.stringify({ text }), event, topic]);

describe.each(["1.0.0", "2.0.0"])("realtime.send, protocol %s", (version) => {
  it("reaches listeners with its id, in order, after a message that confirms the connection", async () => {
    const { heard, system } = await hear(`${alice}:news`, { version });
    const elsewhere = await hear(`${alice}:news`, { version, private: false });
    expect(system).toEqual([
      {
        extension: "system",
        status: "ok",
        message: "Replication connection established",
        channel: `${alice}:news`,
      },
    ]);
    await server.sql(
      `select realtime.send(jsonb_build_object('n', n), 'count', '${alice}:news') from generate_series(1, 150) n`,
    );
    await send("ends", "last", `${alice}:news`);
    await waitFor(() => expect(heard).toHaveLength(151));
    expect(heard.slice(0, 150).map(({ payload }) => payload.n)).toEqual(
      Array.from({ length: 150 }, (_, n) => n + 1),
    );
    const { rows } = await server.sql("select id, payload from realtime.messages where event = 'last'");
    const stored = rows[0]!;
    expect(stored.payload).toEqual({ text: "ends", id: stored.id });
    expect(heard[150]).toEqual({
      ...{ type: "broadcast", event: "last", payload: stored.payload, meta: { id: stored.id } },
    });
    expect(elsewhere.heard).toEqual([]);
  });
});

describe("SQL", () => {
  it("sends to a public topic, keeps an id that is given, and carries bytes", async () => {
    const [open, bytes] = [
      await hear("square", { private: false }),
      await hear(`${alice}:bytes`, { version: "2.0.0" }),
    ];
    await server.sql(`select realtime.send('{"id": "mine"}', 'e', 'square', false)`);
    await server.sql(`select realtime.send_binary('\\x01ff00', 'raw', '${alice}:bytes')`);
    await waitFor(() => expect([open.heard.length, bytes.heard.length]).toEqual([1, 1]));
    expect(open.heard[0].payload).toEqual({ id: "mine" });
    expect(Buffer.from(bytes.heard[0].payload)).toEqual(Buffer.from([1, 255, 0]));
  });

  it("broadcasts changed rows from a trigger, and refuses other operations", async () => {
    const { heard } = await hear(`${alice}:boards`);
    await server.sql("insert into boards values (1, 'surf')");
    await server.sql("update boards set name = 'snow' where id = 1");
    await server.sql("delete from boards");
    await waitFor(() => expect(heard).toHaveLength(3));
    const rows = { table: "boards", schema: "public" };
    expect(heard.map(({ payload: { id: _, ...payload } }) => payload)).toEqual([
      { ...rows, operation: "INSERT", record: { id: 1, name: "surf" }, old_record: null },
      { ...rows, operation: "UPDATE", record: { id: 1, name: "snow" }, old_record: { id: 1, name: "surf" } },
      { ...rows, operation: "DELETE", record: null, old_record: { id: 1, name: "snow" } },
    ]);
    const change = (operation: string, level: string) =>
      server.sql(`select realtime.broadcast_changes('t', 'e', '${operation}', 'boards', 'public', null::boards,
        null::boards, '${level}')`);
    await expect(change("TRUNCATE", "ROW")).rejects.toThrow(
      "Failed to process the row: Unexpected operation type: TRUNCATE",
    );
    await expect(change("INSERT", "STATEMENT")).rejects.toThrow("for each row, not for each statement");
  });

  it("sends nothing that is rolled back, and a message that cannot be stored fails no transaction", async () => {
    const { heard } = await hear(`${alice}:news`);
    await server
      .transaction(async (tx) => {
        await tx.query(`select realtime.send('{}', 'undone', '${alice}:news')`);
        throw new Error("undo");
      })
      .catch(() => {});
    await server.sql("select realtime.send('{}', 'untold', null)"); // no topic
    await send("heard", "told", `${alice}:news`);
    await waitFor(() => expect(heard.map(({ event }) => event)).toEqual(["told"]));
  });

  it("sends as a user only what the policies let the user write", async () => {
    const { heard } = await hear(`${alice}:news`);
    for (const sub of [bob, alice]) {
      await server.transaction(async (tx) => {
        await tx.query(
          "select set_config('role', 'authenticated', true), set_config('request.jwt.claims', $1, true)",
          [JSON.stringify(person(sub))],
        );
        await tx.query(`select realtime.send('{}', $1, '${alice}:news')`, [sub]);
      });
    }
    await waitFor(() => expect(heard.map(({ event }) => event)).toEqual([alice]));
  });
});

describe("replay", () => {
  const topic = `${alice}:past`;

  it.each(["1.0.0", "2.0.0"])(
    "first sends the last messages since a given time, marked as replayed, protocol %s",
    async (version) => {
      const { heard: before } = await hear(topic);
      for (const text of ["a", "b", "c", "d"]) await send(text, "old", topic);
      await waitFor(() => expect(before).toHaveLength(4)); // one that reaches the server late is new to those who joined meanwhile
      await server.sql(
        `update realtime.messages set inserted_at = inserted_at - interval '1 hour' where payload ->> 'text' = 'a'`,
      );
      await server.sql(`select realtime.send('{"text": "public"}', 'old', '${topic}', false)`);
      const since = Date.now() - 60_000;
      const { heard } = await hear(topic, { version, replay: { since, limit: 2 } });
      await send("e", "new", topic);
      await waitFor(() => expect(heard).toHaveLength(3));
      expect(heard.map(({ payload, meta }) => [payload.text, meta.replayed])).toEqual([
        ["c", true],
        ["d", true],
        ["e", undefined],
      ]);
      expect(heard[0].meta.id).toBe(heard[0].payload.id);
      const all = await hear(topic, { version, replay: { since, limit: 100 } });
      await waitFor(() => expect(all.heard.map(({ payload }) => payload.text)).toEqual(["b", "c", "d", "e"]));
    },
  );

  it("is refused with invalid params and without the right to read", async () => {
    const join = async (name: string, replay: any) =>
      subscribed(
        (await server.connect(person(alice))).channel(name, {
          config: { private: true, broadcast: { replay } },
        }),
      );
    for (const replay of [{ since: "yesterday" }, { since: 1e300 }, { since: 1, limit: 1.5 }]) {
      await expect(join(topic, replay)).rejects.toThrow(
        "UnableToReplayMessages: Replay params are not valid",
      );
    }
    await expect(join("hall", { since: 1 })).rejects.toThrow(
      "Unauthorized: You do not have permissions to read from this Channel topic: hall",
    );
  });
});

it("refuses a replay on a public channel, which the official client never requests", async () => {
  const socket = new WebSocket(`${server.socketUrl}?vsn=2.0.0&apikey=${server.anonKey}`);
  await once(socket, "open");
  const config = { broadcast: { replay: { since: 1 } } };
  socket.send(JSON.stringify(["1", "1", "realtime:square", "phx_join", { config }]));
  const [answer] = await once(socket, "message");
  expect(JSON.parse(String(answer))[4]).toEqual({
    status: "error",
    response: { reason: "UnableToReplayMessages: Replay is not allowed for public channels" },
  });
  socket.terminate();
});

it("deletes messages after three days", async () => {
  await server.sql(`insert into realtime.messages (topic, extension, event, inserted_at)
    select 't', 'broadcast', n::text, now() at time zone 'utc' - interval '73 hours' from generate_series(1, 5) n`);
  await send("young", "e", "t");
  await removeOld(server.database.database);
  expect((await server.sql("select event from realtime.messages")).rows).toEqual([{ event: "e" }]);
});

describe("a private channel", () => {
  it("receives no broadcasts where its policies allow only presence", async () => {
    const client = await server.connect(person(alice));
    const heard: any[] = [];
    const hall = client
      .channel("hall", {
        config: { private: true, presence: { key: "me" }, broadcast: { replication_ready: true } },
      })
      .on("broadcast", { event: "*" }, (message) => heard.push(message))
      .on("presence", { event: "sync" }, () => heard.push("sync"));
    await subscribed(hall);
    await send("hidden", "e", "hall");
    const { heard: own } = await hear(`${alice}:news`);
    await send("seen", "e", `${alice}:news`);
    await waitFor(() => expect(own).toHaveLength(1));
    expect(heard).toEqual(["sync"]);
    expect(await hall.track({ at: "door" })).toBe("error"); // no policy lets it write
  });

  it("ends when a new token may no longer read it, and continues when it may", async () => {
    const { client, renew } = await server.connectRenewing(sign(person(alice)));
    const { heard, system } = await hear(`${alice}:news`, { through: client });
    await renew(sign({ ...person(alice), exp: Math.floor(Date.now() / 1000) + 60 }));
    await renew("sb_publishable_key");
    await send("still", "e", `${alice}:news`);
    await waitFor(() => expect(heard).toHaveLength(1));
    await renew(sign(person(bob)));
    await waitFor(() => expect(system).toHaveLength(2));
    expect(system[1]).toMatchObject({
      status: "error",
      message: `You do not have permissions to read from this Channel topic: ${alice}:news`,
    });
  });
});
