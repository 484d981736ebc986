// The attacks tried on the shop, by name: each lasts for some seconds from its own addresses, while a visitor and a buyer do their
// business. Prints how long those waited and the server's memory before, during and after.
import { randomUUID } from "node:crypto";
import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "pg";
import { cartOf, type CatalogueItem, GENERAL_ADMISSION } from "../../server/testing/shop/cart.ts";
import { createApi } from "../crash/api.ts";
import type { Answer } from "../promise/shopper.ts";
import type { Festival } from "../support/server/festival.ts";
import { residentMegabytes, startTarget } from "./fire.ts";
import { startHonest, type Waits } from "./honest.ts";
import { account } from "./world.ts";

interface Target {
  readonly festival: Festival;
  readonly database: Client;
  /** The tokens of the attackers' accounts. */
  readonly tokens: readonly string[];
}

/** Sends one request after the other until told to stop; `n` tells the attackers apart. */
type Attack = (target: Target, n: number) => Promise<unknown>;

const ENDLESS = encodeURIComponent("(.+)(.+)(.+)(.+)(.+)\\5\\4\\3\\2\\1\\1\\1z$");
const SLOW = encodeURIComponent(`*${"a*b*".repeat(20)}z*`);
const EXPLODING = `select=id,i:order_items(*,o:orders(*,i:order_items(${Array.from({ length: 90 }, (_, n) => `a${n}:name`).join()})))`;

const ask = ({ festival, tokens }: Target, n: number, path: string, init: RequestInit = {}, token?: string) =>
  fetch(festival.url + path, {
    ...init,
    headers: {
      apikey: festival.status.ANON_KEY!,
      authorization: `Bearer ${token ?? festival.status.ANON_KEY!}`,
      "content-type": "application/json",
      "x-forwarded-for": `10.0.${n % tokens.length}.7`,
      ...init.headers,
    },
    signal: AbortSignal.timeout(30_000),
  }).then(
    (answer) => answer.arrayBuffer(),
    () => undefined,
  );

const ATTACKS: Readonly<Record<string, readonly [attackers: number, Attack]>> = {
  "endless searches": [
    30,
    (target, n) => ask(target, n, `/rest/v1/ticket_types?select=id&description=match.${ENDLESS}`),
  ],
  "slow questions of three accounts from three addresses": [
    12,
    (target, n) =>
      ask(
        target,
        n % 3,
        `/rest/v1/ticket_types?select=id&description=match.${ENDLESS}`,
        {},
        target.tokens[n % 3],
      ),
  ],
  "slow patterns": [
    64,
    (target, n) =>
      ask(target, n, `/rest/v1/ticket_types?select=id&or=(description.ilike.${SLOW},name.ilike.${SLOW})`),
  ],
  "chunked uploads": [16, ({ festival }) => upload(festival, "/storage/v1/object/ticket-qr-codes/flood.bin")],
  "nested bodies": [
    64,
    (target, n) =>
      ask(target, n, n % 2 ? "/auth/v1/token?grant_type=password" : "/rest/v1/rpc/record_visits", {
        method: "POST",
        body: "[".repeat(64 * 1024 - 1),
      }),
  ],
  "sockets, joins and filters": [32, (target, n) => crowdedSocket(target, n)],
  "answers that explode": [
    16,
    (target, n) =>
      ask(target, n, `/rest/v1/orders?${EXPLODING}`, {}, target.tokens[n % target.tokens.length]),
  ],
  "guessed passwords": [
    32,
    (target, n) =>
      ask(target, n, "/auth/v1/token?grant_type=password", {
        method: "POST",
        body: JSON.stringify({ email: `${randomUUID()}@people.test`, password: "a wrong password" }),
      }),
  ],
};

const TOKENS = 10;
const SECONDS = { before: 4, during: 10, after: 4 };

export interface Attacked {
  readonly attack: string;
  /** The longest wait in milliseconds: a visitor's by purpose, and a buyer's for one step of order, payment and tickets. */
  readonly waited: Readonly<Record<"before" | "during" | "after", Readonly<Record<string, number>>>>;
  readonly megabytes: Readonly<Record<"before" | "most" | "after", number>>;
  readonly faults: readonly string[];
}

export async function attackAll(say: (line: string) => void): Promise<readonly Attacked[]> {
  const { festival, database, end } = await startTarget();
  try {
    const accounts = await Promise.all(Array.from({ length: TOKENS }, () => account(festival)));
    await prepare(database, accounts[0]!.id);
    const target = { festival, database, tokens: accounts.map(({ token }) => token) };
    const honest = startHonest({
      url: festival.url,
      anonKey: festival.status.ANON_KEY!,
      ...(await account(festival)),
    });
    const attacked: Attacked[] = [];
    for (const [name, [attackers, attack]] of Object.entries(ATTACKS)) {
      attacked.push(await run(name, attackers, attack, target, honest.waits));
      say(JSON.stringify(attacked.at(-1)));
    }
    await honest.leave();
    return attacked;
  } finally {
    await end();
  }
}

async function run(
  attack: string,
  attackers: number,
  act: Attack,
  target: Target,
  visitorsWaits: () => Promise<Readonly<Record<string, Waits>>>,
): Promise<Attacked> {
  const { pid } = target.festival;
  const faults: string[] = [];
  const phase = async (seconds: number) => {
    await visitorsWaits();
    const bought = buyFor(seconds, target);
    await sleep(seconds * 1000);
    const waits = await visitorsWaits();
    const buyer = await bought;
    faults.push(...Object.values(waits).flatMap(({ refused }) => refused), ...buyer.refused);
    return {
      ...Object.fromEntries(Object.entries(waits).map(([want, { worst }]) => [want, worst])),
      buy: buyer.worst,
    };
  };
  const before = await phase(SECONDS.before);
  const megabytes = { before: residentMegabytes(pid), most: 0, after: 0 };
  const watching = setInterval(() => {
    megabytes.most = Math.max(megabytes.most, residentMegabytes(pid));
  }, 100);
  let goesOn = true;
  const attacking = Array.from({ length: attackers }, async (_, n) => {
    while (goesOn) await act(target, n);
  });
  const during = await phase(SECONDS.during);
  goesOn = false;
  clearInterval(watching);
  await Promise.all(attacking);
  const after = await phase(SECONDS.after);
  megabytes.after = residentMegabytes(pid);
  return { attack, waited: { before, during, after }, megabytes, faults };
}

/** Purchases one after the other, each by a new buyer who has signed in. */
async function buyFor(
  seconds: number,
  { festival, database }: Target,
): Promise<{ worst: number; refused: string[] }> {
  const { rows } = await database.query<CatalogueItem>(GENERAL_ADMISSION);
  const api = createApi(() => festival.status, { reached() {} });
  const refused: string[] = [];
  const took: number[] = [];
  for (const until = performance.now() + seconds * 1000; performance.now() < until;) {
    const who = { email: `${randomUUID()}@buyer.test`, password: "purple slab cruise" };
    await api.addAccount(who);
    const buyer = api.person(who);
    await buyer.call("verify-payment", {}); // signs in
    const step = async (asked: Promise<Answer>) => {
      const started = performance.now();
      const { status, body } = await asked;
      took.push(performance.now() - started);
      if (status !== 200) refused.push(`${status} ${JSON.stringify(body)}`.slice(0, 200));
      return body ?? {};
    };
    const cart = cartOf([rows[0]!, 1]);
    const { paymentIntentId, clientSecret } = await step(
      buyer.call("create-payment-intent", cart, who.email),
    );
    const form = { client_secret: clientSecret, payment_method: "pm_card_visa" };
    await step(buyer.provider(`payment_intents/${paymentIntentId}/confirm`, form));
    await step(buyer.call("process-payment", { paymentIntentId }));
  }
  return { worst: Math.round(Math.max(...took)), refused };
}

/** A text on which patterns are slow, and an account whose orders match themselves. */
async function prepare(database: Client, id: string): Promise<void> {
  await database.query("update public.ticket_types set description = repeat('ab ', 80) || 'z' where is_vip");
  await database.query(
    `with placed as (insert into public.orders (user_id, status, cancel_reason, total_amount, buyer_full_name, buyer_email,
           buyer_phone_number)
         select $1, 'cancelled', 'replaced', 1, 'Greedy', 'a@people.test', '713-555-0100' from generate_series(1, 100) returning id)
     insert into public.order_items (order_id, position, ticket_type_id, name, quantity, unit_price)
       select placed.id, n, (select id from public.ticket_types limit 1), 'Ticket', 1, 1
       from placed, generate_series(1, 20) n`,
    [id],
  );
}

/** 45 MB in chunks, without a key. */
function upload(festival: Festival, path: string): Promise<void> {
  const { hostname, port } = new URL(festival.url);
  return new Promise((done) => {
    const call = request({
      hostname,
      port,
      path,
      method: "POST",
      headers: { "transfer-encoding": "chunked" },
    });
    const chunk = Buffer.alloc(1024 * 1024);
    let sent = 0;
    const send = () => {
      if (sent++ === 45) call.end();
      else if (call.write(chunk)) setImmediate(send);
      else call.once("drain", send);
    };
    call.on("response", (answer) => answer.resume());
    call.on("error", () => {}).on("close", () => done());
    send();
  });
}

/** A hundred joins of twenty filters each, as fast as they can be sent. */
async function crowdedSocket({ festival }: Target, n: number): Promise<void> {
  const key = festival.status.ANON_KEY!;
  const socket = new WebSocket(
    `${festival.url.replace("http", "ws")}/realtime/v1/websocket?vsn=1.0.0&apikey=${key}`,
  );
  const changes = Array.from({ length: 20 }, (_, price) => ({
    event: "*",
    schema: "public",
    table: "ticket_types",
    filter: `price=gt.${price + n}`,
  }));
  await new Promise<void>((done) => {
    socket.addEventListener("open", () => {
      for (let join = 0; join < 100; join++) {
        const payload = { config: { postgres_changes: changes } };
        socket.send(
          JSON.stringify({ topic: `realtime:${n}-${join}`, event: "phx_join", payload, ref: `${join}` }),
        );
      }
    });
    socket.addEventListener("close", () => done());
    setTimeout(() => socket.close(), 2_000);
  });
}
