// One attacker against a running shop, with what one machine can send. The shop keeps selling to everybody else.
import { existsSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { Client } from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { cartOf, type CatalogItem, GENERAL_ADMISSION } from "../../shop/testing/cart.ts";
import { type Api, createApi } from "../crash/api.ts";
import { ENDLESS } from "../hostile/attacks/queries.ts";
import { type Festival, removeFolder, startFestival } from "../support/server/festival.ts";
import { preparedFolder } from "../support/server/prepared-data.ts";

let festival: Festival;
let database: Client;
let api: Api;
let cart: object;

beforeAll(async () => {
  festival = await startFestival({ dataDir: preparedFolder() });
  database = new Client({ connectionString: festival.status.DB_URL });
  await database.connect();
  api = createApi(() => festival.status, { reached() {} });
  const { rows } = await database.query<CatalogItem>(GENERAL_ADMISSION);
  cart = cartOf([rows[0]!, 2]);
  await buy("first@people.test"); // everything is loaded
});
afterAll(async () => {
  await database?.end();
  await festival?.stop();
  if (festival) removeFolder(festival.dataDir);
});

const rest = (path: string, token = festival.status.ANON_KEY!) =>
  fetch(`${festival.url}/rest/v1/${path}`, {
    headers: { apikey: festival.status.ANON_KEY!, authorization: `Bearer ${token}` },
  });

/** From the sign-in to the tickets. */
async function buy(email: string): Promise<void> {
  const account = { email, password: "purple slab cruise" };
  expect((await api.addAccount(account)).status).toBe(200);
  const buyer = api.person(account);
  const placed = await buyer.call("create-payment-intent", cart, `key-of-${email}`);
  expect(placed).toMatchObject({ status: 200 });
  const { paymentIntentId, clientSecret } = placed.body;
  const form = { client_secret: clientSecret, payment_method: "pm_card_visa" };
  expect((await buyer.provider(`payment_intents/${paymentIntentId}/confirm`, form)).status).toBe(200);
  expect(await buyer.call("process-payment", { paymentIntentId })).toMatchObject({ status: 200 });
}

it("ten endless searches delay neither /health nor a purchase, and end", async () => {
  await database.query(ENDLESS);
  let ended = 0;
  const searches = Array.from({ length: 10 }, async () => {
    const answer = await rest("ticket_types?select=id&endless=is.true");
    ended++;
    return ((await answer.json()) as { code?: string }).code;
  });
  await expect.poll(endlessUnderWay).toBeGreaterThan(0);
  expect((await fetch(`${festival.url}/health`)).status).toBe(200);
  await buy("beside@people.test");
  expect(ended).toBeLessThan(10);
  // Cancelled by their role's timeout, or refused while the others ran.
  expect(new Set(await Promise.all(searches))).toEqual(new Set(["57014"]));
  // A backend reports that it is idle only after its answer.
  await expect.poll(endlessUnderWay).toBe(0);
});

it("an answer of hundreds of megabytes is refused, and the process continues", async () => {
  const account = { email: "greedy@people.test", password: "purple slab cruise" };
  expect((await api.addAccount(account)).status).toBe(200);
  await database.query(
    `with buyer as (select id from auth.users where email = $1),
       placed as (insert into public.orders (user_id, status, cancel_reason, total_amount, buyer_full_name, buyer_email,
           buyer_phone_number)
         select id, 'cancelled', 'replaced', 1, 'Greedy', $1, '713-555-0100' from buyer, generate_series(1, 100) returning id)
     insert into public.order_items (order_id, position, product_id, kind, name, quantity, unit_price)
       select placed.id, n, (select id from public.ticket_types limit 1), 'ticket', 'Ticket', 1, 1
       from placed, generate_series(1, 20) n`,
    [account.email],
  );
  const { access_token: token } = (await (
    await fetch(`${festival.url}/auth/v1/token?grant_type=password`, {
      method: "POST",
      headers: { apikey: festival.status.ANON_KEY!, "content-type": "application/json" },
      body: JSON.stringify(account),
    })
  ).json()) as { access_token: string };
  const columns = Array.from({ length: 90 }, (_, n) => `a${n}:name`).join();
  const answer = await rest(`orders?select=id,i:order_items(*,o:orders(*,i:order_items(${columns})))`, token);
  expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([413, "54000"]);
  await buy("after@people.test");
});

it("sixteen uploads that nobody allowed are refused before they are read", async () => {
  const before = residentMegabytes();
  let most = 0;
  const refusals = await Promise.all(
    Array.from({ length: 16 }, (_, n) =>
      upload(`/storage/v1/object/vendor-pictures/flood-${n}.bin`, () => {
        most = Math.max(most, residentMegabytes());
      }),
    ),
  );
  // storage-api reports 403 in the body of a 400. A connection that is cut may lose its answer.
  const answered = refusals.map(({ refusal }) => refusal).filter((refusal) => refusal !== undefined);
  expect(new Set(answered)).toEqual(new Set(["403"]));
  // No more than the buffers of its connection.
  expect(Math.max(...refusals.map(({ sent }) => sent))).toBeLessThan(UPLOAD_MEGABYTES / 2);
  expect(existsSync(join(festival.dataDir, "storage")), "a file was stored").toBe(false);
  expect(most - before).toBeLessThan(200);
  await buy("meanwhile@people.test");
});

async function endlessUnderWay(): Promise<number> {
  const { rows } = await database.query(
    "select count(*)::int as n from pg_stat_activity where state = 'active' and query like '%ticket_types%endless%' and pid <> pg_backend_pid()",
  );
  return rows[0].n as number;
}

function residentMegabytes(): number {
  const status = readFileSync(`/proc/${festival.pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024;
}

const UPLOAD_MEGABYTES = 45;

interface Refused {
  /** Undefined where the connection was cut. */
  readonly refusal: string | undefined;
  /** Megabytes sent until the answer arrived. */
  readonly sent: number;
}

/** In chunks, as a visitor. */
function upload(path: string, watch: () => void): Promise<Refused> {
  const { hostname, port } = new URL(festival.url);
  return new Promise((done) => {
    const call = request({
      hostname,
      port,
      path,
      method: "POST",
      headers: { "transfer-encoding": "chunked", authorization: `Bearer ${festival.status.ANON_KEY}` },
    });
    const chunk = Buffer.alloc(1024 * 1024);
    let sent = 0;
    const send = () => {
      watch();
      if (sent === UPLOAD_MEGABYTES) return void call.end();
      sent++;
      if (call.write(chunk)) setImmediate(send);
      else call.once("drain", send);
    };
    call.on("response", async (answer) => {
      const until = sent;
      const body = (await json(answer)) as { statusCode?: string };
      done({ refusal: body.statusCode, sent: until });
    });
    call.on("error", () => done({ refusal: undefined, sent }));
    send();
  });
}
