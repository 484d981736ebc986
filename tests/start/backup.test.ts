// A backup taken while people buy: it starts elsewhere, adds up, and continues selling once it has taken over.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@supabase/supabase-js";
import { Client } from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { claimDataFolder } from "../../server/src/data-folder.ts";
import { cartOf, type CatalogItem, GENERAL_ADMISSION } from "../../shop/testing/cart.ts";
import { createApi } from "../crash/api.ts";
import {
  type Festival,
  removeFolder,
  root,
  startFestival,
  temporaryFolder,
} from "../support/server/festival.ts";
import { prepareFolder } from "../support/server/prepared-data.ts";

const folder = temporaryFolder();
const [sold, kept, restored] = ["sold", "backup", "restored"].map((name) => join(folder, name)) as [
  string,
  string,
  string,
];
let shop: Festival;
let copy: Festival | undefined;

beforeAll(async () => {
  prepareFolder(sold);
  shop = await startFestival({ dataDir: sold });
});
afterAll(async () => {
  await shop?.stop();
  await copy?.stop();
  removeFolder(folder);
});

/** Asynchronous: a blocked process does not notice that the server closed an idle connection, and its next fetch fails. */
const run = (script: string, args: string[], dataDir: string, env: Record<string, string> = {}) =>
  new Promise<{ status: unknown; stdout: string; stderr: string }>((done) => {
    execFile(
      process.execPath,
      [join(root, "scripts", script), ...args],
      { env: { ...process.env, DATA_DIR: dataDir, ...env } },
      (error, stdout, stderr) => done({ status: error ? error.code : 0, stdout, stderr }),
    );
  });

async function ask<T extends object>(festival: Festival, text: string, ...values: unknown[]): Promise<T[]> {
  const client = new Client({ connectionString: festival.status.DB_URL });
  await client.connect();
  try {
    return (await client.query<T>(text, values)).rows;
  } finally {
    await client.end();
  }
}

/** Places an order without paying it, as one buyer. */
async function orderingAt(festival: Festival, email: string) {
  const api = createApi(() => festival.status, { reached() {} });
  const account = { email, password: "swangas and vogues" };
  await api.addAccount(account);
  const person = api.person(account);
  const [item] = await ask<CatalogItem>(festival, GENERAL_ADMISSION);
  const order = (key: string) => person.call("create-payment-intent", cartOf([item!, 1]), key);
  return { person, order };
}

async function buyerOf(festival: Festival, email: string) {
  const { person, order } = await orderingAt(festival, email);
  return async (key: string): Promise<string> => {
    const placed = await order(key);
    if (placed.status !== 200) throw new Error(`not placed: ${JSON.stringify(placed)}`);
    const { paymentIntentId, clientSecret, orderId } = placed.body;
    const form = { client_secret: clientSecret, payment_method: "pm_card_visa" };
    await person.provider(`payment_intents/${paymentIntentId}/confirm`, form);
    const confirmed = await person.call("process-payment", { paymentIntentId });
    if (confirmed.status !== 200) throw new Error(`not confirmed: ${JSON.stringify(confirmed)}`);
    return orderId as string;
  };
}

/** Lets a command do something else first when it calls a function of `node:fs` with a path that ends in `name`. */
function atCall(call: string, name: string, code: string): Record<string, string> {
  const hook = `import fs from "node:fs";
    import { syncBuiltinESMExports } from "node:module";
    const { ${call}: original } = fs;
    fs.${call} = (path, ...rest) => {
      if (String(path).endsWith("${name}")) { ${code} }
      return original(path, ...rest);
    };
    syncBuiltinESMExports();`;
  return { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(hook)}` };
}

/** Uploaded as an administrator does it, and read as a visitor does. */
const PICTURE = readFileSync(join(root, "site/public/favicon.ico"));
const picturesOf = ({ status }: Festival) =>
  createClient(status.API_URL!, status.SERVICE_ROLE_KEY!).storage.from("festival-pictures");
async function pictureIn(festival: Festival): Promise<Buffer> {
  const answer = await fetch(picturesOf(festival).getPublicUrl("logo.webp").data.publicUrl);
  return Buffer.from(await answer.arrayBuffer());
}

/** Waits until the copy makes it due: in the shop it would be sent at once. */
const WAITING_FOR = "waiting@people.test";
const waitingWork = [
  `insert into public.outbox (kind, payload, dedupe_key, next_attempt_at) values
     ('second_steps_mail', '{"email": "${WAITING_FOR}"}', 'of-the-backup', now() + interval '1 day'),
     ('cancel_intent', '{"order_id": "00000000-0000-4000-8000-000000000000", "payment_intent_id": null, "total_cents": 4500}', 'payment', now() + interval '1 day')`,
  `insert into auth.mail_outbox (mail, next_attempt_at, send_until)
   values ('{"to": "${WAITING_FOR}", "subject": "Old", "text": "Old", "html": "Old"}', now() + interval '1 day', now() + interval '2 days')`,
];

it("holds every order acknowledged before it, adds up, and continues selling", async () => {
  const stored = await picturesOf(shop).upload("logo.webp", PICTURE, { contentType: "image/webp" });
  expect(stored.error).toBeNull();
  const buy = await buyerOf(shop, "first@people.test");
  const before = await buy("before-the-backup");
  const buyers = await Promise.all(
    Array.from({ length: 12 }, (_, index) => buyerOf(shop, `rush-${index}@people.test`)),
  );
  for (const statement of waitingWork) await ask(shop, statement);
  let done = false;
  let bought = 0;
  const rush = buyers.map(async (each, index) => {
    for (let order = 0; !done && order < 3; order++, bought++) await each(`during-${index}-${order}`);
  });
  // Once the database is copied, the backup waits until its picture is replaced.
  const [copied, replaced] = [join(folder, "copied"), join(folder, "replaced")];
  const hold = `if (fs.existsSync("${kept}.unfinished/postgres/backup_label")) {
    fs.writeFileSync("${copied}", "");
    while (!fs.existsSync("${replaced}")) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
  }`;
  const backup = run("backup.ts", [kept], sold, atCall("readdirSync", "sold/storage", hold));
  await expect.poll(() => existsSync(copied), { timeout: 60_000 }).toBe(true);
  const other = await picturesOf(shop).update("logo.webp", "another", { contentType: "image/webp" });
  expect(other.error).toBeNull();
  writeFileSync(replaced, "");
  const made = await backup;
  done = true;
  expect(made.stdout).toContain("Backed up");
  await Promise.all(rush);
  expect(bought).toBeGreaterThan(0);
  expect((await run("backup.ts", [kept], sold)).stderr).toContain("already exists");
  const after = await buy("after-the-backup");

  expect((await run("restore.ts", [kept], sold)).stderr).toContain("already runs on the data folder");
  for (const [call, name] of [
    ["copyFileSync", "backup/secrets.json"],
    ["renameSync", "/postgres"],
  ] as const) {
    const broken = await run("restore.ts", [kept], restored, atCall(call, name, "process.exit(9)"));
    expect(broken.status).toBe(9);
    expect(existsSync(join(restored, "postgres"))).toBe(false); // or it would look like a whole one
  }
  const givenUp = join(folder, "given-up");
  const stopped = atCall("copyFileSync", "backup/secrets.json", "process.exit(9)");
  expect((await run("restore.ts", [kept], givenUp, stopped)).status).toBe(9);
  const anothers = join(givenUp, "secrets.json");
  writeFileSync(anothers, "{}");
  expect((await run("restore.ts", [kept], givenUp)).stderr).toContain(`${anothers} already exists`);
  expect((await run("restore.ts", [kept], restored)).status).toBe(0);
  expect((await run("restore.ts", [kept], restored)).stderr).toContain("already exists");
  expect(readFileSync(join(restored, "secrets.json"), "utf8")).toBe(
    readFileSync(join(sold, "secrets.json"), "utf8"),
  );
  for (const name of ["backup.json", "restore.unfinished", "restore.moving"]) {
    expect(existsSync(join(restored, name))).toBe(false);
  }
  copy = await startFestival({ dataDir: restored });
  expect(copy.output()).toContain("until this copy takes over");
  expect(copy.status.ANON_KEY).toBe(shop.status.ANON_KEY);
  const statusOf = async (order: string) =>
    (await ask<{ status: string }>(copy!, "select status from public.orders where id = $1", order))[0]
      ?.status;
  expect(await statusOf(before)).toBe("confirmed");
  expect(await statusOf(after)).toBeUndefined();
  const [books] = await ask<{ off: number }>(
    copy,
    `select count(*)::int as off from public.ticket_types t
     where total_inventory <> current_inventory + held + sold
       or sold <> (select count(*) from public.tickets where ticket_type_id = t.id and voided_at is null)`,
  );
  expect(books).toEqual({ off: 0 });
  expect(await pictureIn(copy)).toEqual(PICTURE);

  // The shop it was made from may be selling the same tickets, and has perhaps sent what waited. So the copy sells and sends nothing
  // until somebody says so.
  const { order } = await orderingAt(copy, "first@people.test");
  expect(await order("sold-from-the-copy")).toMatchObject({
    status: 409,
    body: { error: { code: "sales_closed", message: expect.stringContaining("copy of our shop") } },
  });
  for (const table of ["public.outbox", "auth.mail_outbox"]) {
    await ask(copy, `update ${table} set next_attempt_at = now()`);
  }
  const { API_URL, ANON_KEY, MAIL_URL } = copy.status;
  await ask(copy, "update payments_sandbox.deliveries set delivered_at = null, next_attempt_at = now()");
  const postedEvents = () =>
    ask(copy!, "select from payments_sandbox.deliveries where delivered_at is not null");
  expect((await fetch(`${API_URL}/v1/refunds`)).status, "the sandbox is loaded").toBe(401);
  const signUp = await createClient(API_URL!, ANON_KEY!).auth.signUp({
    email: "newer@people.test",
    password: "swangas and vogues",
  });
  expect(signUp.error).toBeNull();
  await ask(
    copy,
    `insert into public.outbox (kind, payload, dedupe_key)
     values ('second_steps_mail', '{"email": "newer@people.test"}', 'of-the-copy')`,
  );
  const waiting = () =>
    ask(
      copy!,
      `select dedupe_key as work, attempts from public.outbox
       where done_at is null and kind in ('second_steps_mail', 'cancel_intent')
       union all select mail ->> 'to', attempts from auth.mail_outbox order by work`,
    );
  expect((await run("doctor.ts", [], restored)).stdout).toContain("npm run take-over");
  const asked = await run("take-over.ts", [], restored);
  expect([asked.status, asked.stderr]).toEqual([1, expect.stringMatching(/^\d+ emails and 0 refunds wait/)]);
  expect(await waiting(), "nothing was tried").toEqual(
    ["newer@people.test", "of-the-backup", "of-the-copy", "payment", WAITING_FOR].map((work) => ({
      work,
      attempts: 0,
    })),
  );
  expect(await postedEvents()).toEqual([]);
  expect((await run("take-over.ts", ["--drop"], restored)).status).toBe(0);
  await expect.poll(async () => (await postedEvents()).length, { timeout: 20_000 }).toBeGreaterThan(0);
  const mailsTo = async (to: string) => {
    const answer = await fetch(`${MAIL_URL}/api/messages?to=${to}`);
    return ((await answer.json()) as { messages: { subject: string }[] }).messages.length;
  };
  await expect.poll(() => mailsTo("newer@people.test"), { timeout: 20_000 }).toBe(2);
  await expect.poll(waiting).toEqual([]);
  expect(await mailsTo(WAITING_FOR)).toBe(0);
  expect(
    await ask(
      copy,
      "select dedupe_key as work, last_error from public.outbox where dedupe_key in ('of-the-backup', 'payment') order by 1",
    ),
  ).toEqual([
    { work: "of-the-backup", last_error: "left out when this copy took over" },
    { work: "payment", last_error: null },
  ]);
  const buyAgain = await buyerOf(copy, "first@people.test");
  expect(await statusOf(await buyAgain("sold-after-the-take-over"))).toBe("confirmed");
  expect((await run("take-over.ts", ["--send"], restored)).stderr).toContain("already taken over");
});

it("is refused while a server starts, and for a database that is not in the folder", async () => {
  const starting = join(folder, "starting");
  mkdirSync(join(starting, "postgres"), { recursive: true });
  await claimDataFolder(starting);
  const refusal = (env: Record<string, string>) => run("backup.ts", [join(folder, "torn")], starting, env);
  expect((await refusal({})).stderr).toContain("already runs on the data folder");
  expect((await refusal({ DATABASE_URL: "postgresql://elsewhere/shop" })).stderr).toContain(
    "run its pg_dump",
  );
  expect(existsSync(join(folder, "torn"))).toBe(false);
});

it("is refused by a program older than its data", async () => {
  await ask(
    shop,
    "insert into server_migrations.applied (name, hash) values ('supabase/29990101_later.sql', 'x')",
  );
  await shop.stop();
  await expect(startFestival({ dataDir: sold })).rejects.toThrow(
    /newer version .* 29990101_later|29990101_later/s,
  );
});
