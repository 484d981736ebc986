// Buyers behind a reverse proxy: each is identified by its own address, and a network's many addresses count as one
// buyer.
import { randomUUID } from "node:crypto";
import { type IncomingMessage, createServer, request as ask, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { openMeasuredShop, type MeasuredShop } from "../bench/shop.ts";
import { preparedFolder } from "../support/server/prepared-data.ts";

const STOCK = 4000;

let shop: MeasuredShop;
let proxy: Server;
let port: number;

beforeAll(async () => {
  const env = { TRUSTED_PROXIES: "127.0.0.1, ::1", MAILBOX: "true", PAYMENTS_SANDBOX: "true" };
  shop = await openMeasuredShop(env, preparedFolder());
  const festival = new URL(shop.festival.url);
  // What a proxy does: forwards all headers, and appends its peer's address. `Seen-As` represents an IPv6 peer.
  proxy = createServer((incoming, outgoing) => {
    const { "seen-as": seenAs, "x-forwarded-for": before, ...headers } = incoming.headers;
    const peer = String(seenAs ?? incoming.socket.remoteAddress);
    const onward = ask(
      {
        host: "127.0.0.1",
        port: festival.port,
        path: incoming.url,
        method: incoming.method,
        headers: { ...headers, "x-forwarded-for": before ? `${String(before)}, ${peer}` : peer },
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(outgoing);
      },
    );
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((ready) => proxy.listen(0, "127.0.0.1", ready));
  ({ port } = proxy.address() as AddressInfo);
});
afterAll(async () => {
  proxy?.close();
  proxy?.closeAllConnections();
  await shop?.close();
});

beforeEach(async () => {
  await shop.sql.query(
    `update public.shop_settings set max_tickets_per_buyer = default, max_orders_per_buyer = default,
       max_orders_per_address = default, address_hold_share = default`,
  );
  await shop.sql.query("delete from public.orders");
  await shop.sql.query(
    "update public.ticket_types set held = 0, sold = 0, total_inventory = $1, current_inventory = $1 where id = $2",
    [STOCK, shop.ticketType.id],
  );
});

it("400 buyers with their own addresses all get their tickets, whatever one of them claims", async () => {
  const buyers = await shop.newBuyers(400);
  // Few at once: a slow machine would open the waiting room, which other tests cover.
  const answers: { status: number; body: string }[] = [];
  const waiting = buyers.entries();
  const buyOneByOne = async () => {
    for (const [n, { token }] of waiting) {
      const localAddress = `127.0.${1 + (n >> 7)}.${1 + (n & 127)}`;
      answers.push(await reserve(token, 1, { localAddress }, { "x-forwarded-for": "6.6.6.6" }));
    }
  };
  await Promise.all(Array.from({ length: 8 }, buyOneByOne));
  expect(answers).toHaveLength(400);
  expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  const { rows } = await shop.sql.query(
    "select count(distinct address)::int as addresses, bool_or(address = '6.6.6.6') as fooled from public.order_addresses",
  );
  expect(rows[0]).toEqual({ addresses: 400, fooled: false });
});

it("a Forwarded header sent by the visitor makes nobody the proxy", async () => {
  const [buyer] = await shop.newBuyers(1);
  const claim = { forwarded: "for=6.6.6.6;by=127.0.0.1" };
  const answer = await reserve(buyer!.token, 1, { localAddress: "127.0.8.8" }, claim);
  expect(answer.status).toBe(200);
  const { rows } = await shop.sql.query(
    "select a.address from public.order_addresses a join public.orders o on o.id = a.order_id where o.user_id = $1",
    [buyer!.id],
  );
  expect(rows).toEqual([{ address: "127.0.8.8" }]);
});

it("200 carts from the many addresses of one network do not take the stock", async () => {
  const buyers = await shop.newBuyers(200);
  const answers = await Promise.all(
    buyers.map(({ token }, n) => reserve(token, 20, {}, { "seen-as": `2001:db8:0:1:${n.toString(16)}::1` })),
  );
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
  const { rows } = await shop.sql.query(
    "select current_inventory as left from public.ticket_types where id = $1",
    [shop.ticketType.id],
  );
  expect(rows[0].left).toBeGreaterThan(STOCK * 0.9);
  const [honest] = await shop.newBuyers(1);
  // On a slow machine the crowd may have opened the waiting room; then it takes until their turn.
  await expect
    .poll(async () => (await reserve(honest!.token, 2, { localAddress: "127.0.9.9" })).status, {
      timeout: 60_000,
    })
    .toBe(200);
});

function reserve(
  token: string,
  quantity: number,
  connection: { localAddress?: string } = {},
  headers: Record<string, string> = {},
): Promise<{ status: number; body: string }> {
  const { id, name, price } = shop.ticketType;
  const person = { name: "Bun B. Buyer", email: "bun@example.com" };
  const body = JSON.stringify({
    items: [{ id, name, price, quantity, type: "ticket" }],
    attendees: Array.from({ length: quantity }, () => person),
    buyerInfo: { ...person, phone: "713-555-0100" },
    totalAmount: price * quantity,
  });
  return new Promise((done, fail) => {
    const call = ask(
      {
        host: "127.0.0.1",
        port,
        agent: false,
        ...connection,
        method: "POST",
        path: "/functions/v1/create-payment-intent",
        headers: {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
          "idempotency-key": randomUUID(),
          authorization: `Bearer ${token}`,
          ...headers,
        },
      },
      (answer: IncomingMessage) => {
        let text = "";
        answer.on("data", (chunk: Buffer) => (text += chunk));
        answer.on("end", () => done({ status: answer.statusCode!, body: text }));
      },
    );
    call.on("error", fail);
    call.end(body);
  });
}
