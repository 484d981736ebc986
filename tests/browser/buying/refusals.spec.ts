// What a hostile program sends to buy for less, more or as somebody else, through the whole server: each request is
// clearly refused and changes nothing.
import { createHmac } from "node:crypto";
import type { SupabaseClient } from "@supabase/supabase-js";
import { type Account, createAccount } from "../../support/shop/accounts.ts";
import { serviceClient, visitorClient, catalog } from "../../support/shop/arrival.ts";
import { buyer } from "../../support/shop/buyer.ts";
import { expect, status, test } from "../../support/fixtures.ts";

const url = (name: string) => `${status().API_URL}/functions/v1/${name}`;

interface OrderBody {
  readonly items: readonly object[];
  readonly totalAmount: number;
  readonly attendees?: readonly object[];
}

/** The body that buys one General Admission ticket, with the given faults. */
const orderBody = (wrong: Partial<OrderBody> = {}) => ({
  items: [{ ...catalog.general, quantity: 1 }],
  attendees: [{ name: "Guest", email: "guest@example.com" }],
  buyerInfo: { ...buyer, email: "guest@example.com" },
  totalAmount: 45,
  ...wrong,
});

const guests = (count: number) => Array.from({ length: count }, () => orderBody().attendees[0]!);

async function signedIn(account: Account): Promise<SupabaseClient> {
  const client = visitorClient();
  const { error } = await client.auth.signInWithPassword(account);
  if (error) throw error;
  return client;
}

async function post(name: string, body: BodyInit, token: string): Promise<{ code: number; text: string }> {
  const answer = await fetch(url(name), {
    method: "POST",
    headers: {
      apikey: status().ANON_KEY!,
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
    },
    body,
  });
  return { code: answer.status, text: await answer.text() };
}

async function tokenOf(client: SupabaseClient): Promise<string> {
  return (await client.auth.getSession()).data.session!.access_token;
}

async function ordersOf(account: Account): Promise<unknown[]> {
  const { data, error } = await serviceClient().from("orders").select("id, status").eq("user_id", account.id);
  if (error) throw error;
  return data;
}

const REFUSED: readonly [what: string, body: object, code: number, says: RegExp][] = [
  [
    "a price of the buyer's own",
    orderBody({ items: [{ ...catalog.general, price: 1, quantity: 1 }], totalAmount: 1 }),
    409,
    /price|total/i,
  ],
  ["a total that is not the sum", orderBody({ totalAmount: 4.5 }), 409, /price|total/i],
  [
    "more tickets than one buyer may have",
    orderBody({ items: [{ ...catalog.vip, quantity: 21 }], attendees: guests(21), totalAmount: 3150 }),
    409,
    /At most 20 tickets per buyer/,
  ],
  [
    "a negative quantity",
    orderBody({ items: [{ ...catalog.general, quantity: -1 }], totalAmount: -45 }),
    400,
    /quantity/,
  ],
  [
    "half a ticket",
    orderBody({ items: [{ ...catalog.general, quantity: 0.5 }], totalAmount: 22.5 }),
    400,
    /quantity/,
  ],
  [
    "two parking passes",
    orderBody({
      items: [
        { ...catalog.general, quantity: 1 },
        { ...catalog.parking, quantity: 2 },
      ],
      totalAmount: 95,
    }),
    409,
    /parking/i,
  ],
  [
    "a ticket that does not exist",
    orderBody({ items: [{ ...catalog.general, id: "11111111-1111-4111-8111-111111111111", quantity: 1 }] }),
    409,
    /.+/,
  ],
];

test("refuses a faulty cart, malformed JSON and a body of 20 MB", async ({ account }) => {
  const token = await tokenOf(await signedIn(account));
  for (const [what, body, code, says] of REFUSED) {
    await test.step(what, async () => {
      const answer = await post("create-payment-intent", JSON.stringify(body), token);
      expect(answer.code, answer.text).toBe(code);
      expect(answer.text).toMatch(says);
    });
  }
  await test.step("malformed JSON", async () => {
    const answer = await post("create-payment-intent", '{"items": [', token);
    expect(answer.code).toBe(400);
    expect(answer.text).toContain("invalid_request");
  });
  await test.step("a body of 20 MB", async () => {
    const answer = await post("create-payment-intent", `"${"x".repeat(20 * 1024 * 1024)}"`, token).catch(
      (error: unknown) => ({ code: 413, text: `the connection was closed while sending: ${String(error)}` }),
    );
    expect(answer.code, answer.text).toBe(413);
    expect((await fetch(`${status().API_URL}/health`)).status).toBe(200);
  });
  expect(await ordersOf(account)).toEqual([]);
});

test("refuses an expired token and a forged one", async ({ account }) => {
  const now = Math.floor(Date.now() / 1000);
  const token = (secret: string, exp: number) => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const claims = { sub: account.id, role: "authenticated", aud: "authenticated", iat: now - 7200, exp };
    const signed = `${part({ alg: "HS256", typ: "JWT" })}.${part(claims)}`;
    return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
  };
  const secret = process.env.FESTIVAL_JWT_SECRET!;
  for (const bad of [token(secret, now - 3600), token("x".repeat(64), now + 3600)]) {
    const answer = await post("create-payment-intent", JSON.stringify(orderBody()), bad);
    expect(answer.code, answer.text).toBe(401);
    const rows = await fetch(`${status().API_URL}/rest/v1/orders?select=id`, {
      headers: { apikey: status().ANON_KEY!, authorization: `Bearer ${bad}` },
    });
    expect(rows.status).toBe(401);
  }
  expect(await ordersOf(account)).toEqual([]);
});

test("neither shows nor pays another account's order", async ({ account }) => {
  const owner = await createAccount(status());
  const held = await post(
    "create-payment-intent",
    JSON.stringify(orderBody()),
    await tokenOf(await signedIn(owner)),
  );
  expect(held.code, held.text).toBe(200);
  const { orderId, paymentIntentId } = JSON.parse(held.text) as { orderId: string; paymentIntentId: string };

  const stranger = await signedIn(account);
  for (const table of ["orders", "order_items", "tickets", "payments"]) {
    const { data, error } = await stranger.from(table).select("*");
    expect({ table, data, error }).toEqual({ table, data: [], error: null });
  }
  const { data: changed } = await stranger
    .from("orders")
    .update({ status: "confirmed" })
    .eq("id", orderId)
    .select();
  expect(changed ?? []).toEqual([]);
  const token = await tokenOf(stranger);
  const theirs = await post("process-payment", JSON.stringify({ paymentIntentId }), token);
  const nobodys = await post(
    "process-payment",
    JSON.stringify({ paymentIntentId: "pi_doesnotexist" }),
    token,
  );
  expect(theirs.code).toBeGreaterThanOrEqual(400);
  expect(theirs).toEqual(nobodys);
  expect(await ordersOf(owner)).toEqual([{ id: orderId, status: "pending" }]);
});
