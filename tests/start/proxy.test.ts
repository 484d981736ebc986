// Buyers behind a reverse proxy: each is identified by its own address, and a network's many addresses count as one
// buyer. The proxy is a program of its own, set as one is in production: it appends its peer's address to X-Forwarded-For
// and passes on everything else that a visitor sent.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request as ask, type Server } from "node:http";
import { type AddressInfo, Socket } from "node:net";
import { createProxyServer } from "http-proxy-3";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { WebSocket } from "ws";
import { openMeasuredShop, type MeasuredShop } from "../bench/shop.ts";
import { preparedFolder } from "../support/server/prepared-data.ts";

const STOCK = 4000;
const SOCKETS_PER_ADDRESS = 2;

let shop: MeasuredShop;
let proxy: Server;
let port: number;

beforeAll(async () => {
  const env = {
    TRUSTED_PROXIES: "127.0.0.1, ::1",
    SOCKETS_PER_ADDRESS: String(SOCKETS_PER_ADDRESS),
    MAILBOX: "true",
    PAYMENTS_SANDBOX: "true",
  };
  shop = await openMeasuredShop(env, preparedFolder());
  proxy = await openProxy(shop.festival.url);
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
  const addresses = await addressesOfOrders();
  expect(addresses).toHaveLength(400);
  expect(addresses).not.toContain("6.6.6.6");
});

it("a Forwarded header sent by the visitor makes nobody the proxy", async () => {
  const [buyer] = await shop.newBuyers(1);
  const claim = { forwarded: "for=6.6.6.6;by=127.0.0.1" };
  const answer = await reserve(buyer!.token, 1, { localAddress: "127.0.8.8" }, claim);
  expect(answer.status).toBe(200);
  expect(await addressesOfOrders()).toEqual(["127.0.8.8"]);
});

it("200 carts from the many addresses of one network do not take the stock", async () => {
  const buyers = await shop.newBuyers(200);
  // This machine has no such addresses: the test is a load balancer in front of the proxy, whose address is trusted too.
  const answers = await Promise.all(
    buyers.map(({ token }, n) => {
      const visitor = `2001:db8:0:1:${n.toString(16)}::1`;
      return reserve(token, 20, { localAddress: "127.0.0.1" }, { "x-forwarded-for": visitor });
    }),
  );
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
  expect(await addressesOfOrders()).toEqual(["2001:db8:0:1::"]);
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

it("sockets count for the visitor's address, whatever the visitor claims", async () => {
  const open: WebSocket[] = [];
  try {
    for (const claimed of ["6.6.6.6", "7.7.7.7"]) open.push(await openSocket("127.0.7.1", claimed));
    await expect(openSocket("127.0.7.1", "8.8.8.8")).rejects.toThrow("429");
    open.push(await openSocket("127.0.7.2", "6.6.6.6"));
    const joined = once(open[2]!, "message");
    open[2]!.send(JSON.stringify(["1", "1", "realtime:hall", "phx_join", { config: {} }]));
    expect(JSON.parse(String((await joined)[0]))).toEqual([
      "1",
      "1",
      "realtime:hall",
      "phx_reply",
      { status: "ok", response: { postgres_changes: [] } },
    ]);
  } finally {
    for (const socket of open) socket.terminate();
  }
});

async function openProxy(target: string): Promise<Server> {
  const proxying = createProxyServer({ target, xfwd: true, agent: new Agent({ keepAlive: true }) });
  proxying.on("error", (_error, _request, onward) => {
    if (onward instanceof Socket) onward.destroy();
    else onward.writeHead(502).end();
  });
  const server = createServer((request, response) => proxying.web(request, response));
  server.on("upgrade", (request, socket, head) => proxying.ws(request, socket, head));
  await once(server.listen(0, "127.0.0.1"), "listening");
  return server;
}

async function addressesOfOrders(): Promise<string[]> {
  const { rows } = await shop.sql.query<{ address: string }>(
    "select distinct a.address from public.order_addresses a join public.orders o on o.id = a.order_id",
  );
  return rows.map(({ address }) => address);
}

async function openSocket(localAddress: string, claimed: string): Promise<WebSocket> {
  const url = `ws://127.0.0.1:${port}/realtime/v1/websocket?vsn=2.0.0&apikey=${shop.festival.status.ANON_KEY!}`;
  const socket = new WebSocket(url, { localAddress, headers: { "x-forwarded-for": claimed } });
  await once(socket, "open");
  return socket;
}

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
