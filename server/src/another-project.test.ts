// The server knows nothing of this repository's own project: it serves another one's `supabase/` folder, a to-do list, through
// the official client.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { afterAll, beforeAll, expect, it } from "vitest";
import { BRAND } from "../testing/auth.ts";
import { startServer } from "./index.ts";
import { parseServerConfig } from "./platform/config.ts";

const supabase = resolve(import.meta.dirname, "../testing/todo/supabase");
// Not in /dev/shm: Deno opens nothing below /dev.
const folder = mkdtempSync(join(tmpdir(), "todo-server-"));
let server: Awaited<ReturnType<typeof startServer>>;

beforeAll(async () => {
  const config = parseServerConfig({
    PORT: "0",
    DATA_DIR: join(folder, "data"),
    GOTRUE_MAILER_AUTOCONFIRM: "true",
    LOG_LEVEL: "silent",
  });
  server = await startServer(config, async () => ({ project: { supabase }, brand: BRAND }));
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function signedUp(email: string): Promise<SupabaseClient> {
  const client = createClient(server.url, server.keys.anon, {
    auth: { persistSession: false, autoRefreshToken: false },
  });
  const { error } = await client.auth.signUp({ email, password: "swangas and vogues" });
  expect(error).toBeNull();
  return client;
}

it("keeps each person's list to themselves, and counts in SQL", async () => {
  const [ana, ben] = [await signedUp("ana@todo.test"), await signedUp("ben@todo.test")];
  const added = await ana.from("todos").insert({ task: "Water the fig" }).select().single();
  expect(added.data).toMatchObject({ task: "Water the fig", done: false });
  expect((await ben.from("todos").select()).data).toEqual([]);
  expect((await ben.from("todos").delete().eq("id", added.data.id).select()).data).toEqual([]);
  expect((await ana.rpc("count_open")).data).toBe(1);
  const refused = await ana.from("todos").insert({ task: "" });
  expect(refused.error).toMatchObject({ code: "23514" });
});

it("sends changes to their owner alone", async () => {
  const [ana, ben] = [await signedUp("ana2@todo.test"), await signedUp("ben2@todo.test")];
  const heard: Record<string, unknown[]> = { ana: [], ben: [] };
  const joined = ([name, client]: [string, SupabaseClient]) =>
    new Promise<void>((done) => {
      client
        .channel("todos")
        .on("postgres_changes", { event: "INSERT", schema: "public", table: "todos" }, ({ new: row }) =>
          heard[name]!.push(row["task"]),
        )
        // The second notice says that the changes follow from here on.
        .on("system", {}, () => done())
        .subscribe();
    });
  await Promise.all(Object.entries({ ana, ben }).map(joined));
  await ben.from("todos").insert({ task: "Ben's" });
  await ana.from("todos").insert({ task: "Ana's" });
  await expect.poll(() => heard).toEqual({ ana: ["Ana's"], ben: ["Ben's"] });
  await Promise.all([ana.removeAllChannels(), ben.removeAllChannels()]);
});

it("stores files under the project's policies", async () => {
  const [ana, ben] = [await signedUp("ana3@todo.test"), await signedUp("ben3@todo.test")];
  const stored = await ana.storage.from("notes").upload("list.txt", "figs", { contentType: "text/plain" });
  expect(stored.error).toBeNull();
  expect(await (await ana.storage.from("notes").download("list.txt")).data?.text()).toBe("figs");
  expect((await ben.storage.from("notes").download("list.txt")).error).not.toBeNull();
});

it("runs the project's functions in Deno", async () => {
  const ana = await signedUp("ana4@todo.test");
  const greeted = await ana.functions.invoke("greet?name=Ana");
  expect(greeted).toMatchObject({ data: { hello: "Ana" }, error: null });
});

it("is well, has no pages and sends mail to its own mailbox", async () => {
  expect((await fetch(`${server.url}/health`)).status).toBe(200);
  expect((await fetch(`${server.url}/tickets`)).status).toBe(404);
  expect((await fetch(`${server.url}/mailbox/api/messages`)).status).toBe(200);
});
