// Tickets for wallets, opened as the wallets do: Apple's file by its zip, its hashes and its signature, Google's link by its token.
import type { FunctionErrorBody } from "contract/errors";
import { verifyTicketToken } from "contract/tickets/ticket-token";
import { walletsOf } from "contract/tickets/wallets";
import { afterAll, afterEach, expect, it } from "vitest";
import { cartOf } from "../../../../shop/testing/cart.ts";
import { pay, place } from "../../../../shop/testing/carts.ts";
import { openShop } from "../../../../shop/testing/open-shop.ts";
import { makeWalletKeys } from "../../../../shop/testing/wallets.ts";

const { world, shop } = await openShop();
const keys = makeWalletKeys();
afterAll(() => keys.close());
afterEach(() => world.sql("delete from public.rate_limits"));

Object.assign(
  world.wallets,
  walletsOf((name) => keys.settings[name]),
);

async function bought(name: string) {
  const user = await world.newUser();
  const cart = cartOf([shop.vip, 1]);
  const placed = await place(world, user, { ...cart, attendees: [{ ...cart.attendees[0]!, name }] });
  await pay(world, placed);
  await world.call("process-payment", { as: user, body: { paymentIntentId: placed.paymentIntentId } });
  const [ticket] = await world.sql<{ id: string }>(
    "select id from public.tickets where order_id = $1",
    placed.orderId,
  );
  return { user, passId: ticket!.id };
}

const ask = (as: string | undefined, passId: string, wallet: string) =>
  world.call("wallet-pass", { ...(as !== undefined && { as }), body: { passId, wallet } });
const follow = (query: string) => world.respond("wallet-pass", { method: "GET", query: `?${query}` });
const codeOf = async (answer: Response) => ((await answer.json()) as FunctionErrorBody).error.code;

const sizeOf = (png: Buffer) => [png.readUInt32BE(16), png.readUInt32BE(20)];

it("an Apple pass has the fields and pictures Apple requires, matching hashes and a valid signature", async () => {
  const { user, passId } = await bought("Nguyễn 王小明 🎉");
  const { body } = await ask(user, passId, "apple");
  const answer = await follow(body.query);
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/vnd.apple.pkpass"]);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  const files = keys.openPass(Buffer.from(await answer.arrayBuffer()));

  const pass = JSON.parse(files.get("pass.json")!.toString());
  expect(pass).toMatchObject({
    formatVersion: 1,
    passTypeIdentifier: "pass.test",
    teamIdentifier: "TEAM123456",
    organizationName: "Bayou City Social",
    description: "Ticket for Houston Culture Festival",
    serialNumber: passId,
    sharingProhibited: true,
    eventTicket: { primaryFields: [{ value: "Houston Culture Festival" }] },
    barcodes: [{ format: "PKBarcodeFormatQR", messageEncoding: "iso-8859-1" }],
  });
  expect(JSON.stringify(pass.eventTicket)).toContain("Nguyễn 王小明 🎉");
  expect((await verifyTicketToken(pass.barcodes[0].message, world.publicKey))?.ticketId).toBe(passId);
  expect(new Date(pass.expirationDate)).toEqual(new Date("2025-06-27T22:00:00-05:00"));
  const pictures = {
    "icon.png": [29, 29],
    "icon@2x.png": [58, 58],
    "icon@3x.png": [87, 87],
    "logo@2x.png": [100, 100],
    "strip.png": [375, 98],
    "strip@2x.png": [750, 196],
  };
  for (const [name, size] of Object.entries(pictures)) expect(sizeOf(files.get(name)!), name).toEqual(size);
});

it("a Google link has a valid token, with the event and the ticket Google requires, and is never truncated", async () => {
  for (const name of ["Ada", "W".repeat(200)]) {
    const { user, passId } = await bought(name);
    const { body } = await ask(user, passId, "google");
    expect(body.address.split("/").at(-1).length).toBeLessThanOrEqual(1800);
    const payload = await keys.openLink(body.address);
    const {
      eventTicketClasses: [event],
      eventTicketObjects: [ticket],
    } = payload["payload"] as {
      eventTicketClasses: [{ id: string }];
      eventTicketObjects: [{ barcode: { value: string } }];
    };
    expect(payload["typ"]).toBe("savetowallet");
    expect(event).toMatchObject({
      issuerName: "Bayou City Social",
      reviewStatus: "UNDER_REVIEW",
      eventName: { defaultValue: { value: "Houston Culture Festival" } },
    });
    expect(ticket).toMatchObject({
      id: `${event.id}-${passId}-1`,
      classId: event.id,
      state: "ACTIVE",
      barcode: { type: "QR_CODE" },
    });
    expect((await verifyTicketToken(ticket.barcode.value, world.publicKey))?.ticketId).toBe(passId);
  }
});

it("Google gets a new object for a new code and for a new date: it keeps an object that it knows as it was", async () => {
  const { user, passId } = await bought("Ada");
  const object = async () => {
    const { payload } = await keys.openLink((await ask(user, passId, "google")).body.address);
    return (payload as { eventTicketObjects: [{ id: string }] }).eventTicketObjects[0].id;
  };
  const first = await object();
  expect(await object(), "the same ticket, pressed again").toBe(first);
  const admin = await world.newUser();
  await world.sql("insert into public.user_roles (user_id, role) values ($1, 'admin')", admin);
  await world.db.database.transaction({ claims: { role: "authenticated", sub: admin }, headers: {} }, (tx) =>
    tx.query("select public.correct_attendee($1, 'Ada Lee', 'ada@people.test', 'Asked')", [passId]),
  );
  const corrected = await object();
  const move = (from: string, to: string) =>
    world.sql(
      "update public.festival_sections set content = replace(content::text, $1, $2)::jsonb where id = 'facts'",
      from,
      to,
    );
  await move("2025-06-27", "2025-06-28");
  const moved = await object();
  await move("2025-06-28", "2025-06-27");
  expect(new Set([first, corrected, moved]).size).toBe(3);
  expect(await object()).toBe(corrected);
});

it("only the holder gets a link to a wallet, and Apple's link expires with its time and with the code", async () => {
  const { user, passId } = await bought("Ada");
  const stranger = await world.newUser();
  for (const wallet of ["apple", "google"]) {
    expect(await ask(undefined, passId, wallet)).toMatchObject({ status: 401 });
    expect(await ask(stranger, passId, wallet)).toMatchObject({
      status: 404,
      body: { error: { code: "ticket_not_found" } },
    });
  }
  const { query } = (await ask(user, passId, "apple")).body as { query: string };
  const later = new URLSearchParams(query);
  later.set("until", String(Date.now() + 3_600_000));
  for (const bad of [
    later.toString(),
    query.replace(/signature=./, "signature="),
    `pass=${passId}`,
    "pass=1",
    `pass=${"-".repeat(36)}&until=${Date.now() + 60_000}&signature=1`,
  ])
    expect(await codeOf(await follow(bad)), bad).toBe("forbidden");
  expect((await follow(query)).status).toBe(200);
  const shouted = (await ask(user, passId.toUpperCase(), "apple")).body as { query: string };
  expect((await follow(shouted.query)).status).toBe(200);
  const answers = await Promise.all(Array.from({ length: 9 }, async () => (await follow(query)).status));
  expect(answers.toSorted(), "ten files a minute").toEqual([...Array<number>(8).fill(200), 429]);
  await world.sql(
    "update public.tickets set issue_number = issue_number + 1, qr_code_data = null, qr_code_url = null where id = $1",
    passId,
  );
  expect(await codeOf(await follow(query))).toBe("forbidden");
  await world.sql("update public.tickets set voided_at = now() where id = $1", passId);
  expect(await codeOf(await follow(query))).toBe("ticket_not_found");
});

it("a wallet without keys is neither offered nor issued, and incomplete keys are refused by name", async () => {
  const offers = async () => (await world.call("wallet-pass", { method: "GET" })).body;
  expect(await offers()).toEqual({ apple: true, google: true });
  const { user, passId } = await bought("Ada");
  const { apple } = world.wallets;
  world.wallets.apple = undefined;
  expect(await offers()).toEqual({ apple: false, google: true });
  expect(await ask(user, passId, "apple")).toMatchObject({
    status: 404,
    body: { error: { code: "not_found" } },
  });
  world.wallets.apple = apple;
  const half = (values: Record<string, string>) => () => walletsOf((name) => values[name]);
  expect(half({ APPLE_WALLET_TEAM: "T" })).toThrow("APPLE_WALLET_PASS_TYPE, APPLE_WALLET_CERTIFICATE");
  expect(half({ GOOGLE_WALLET_ISSUER: "1", GOOGLE_WALLET_ACCOUNT: "{}" })).toThrow("GOOGLE_WALLET_ACCOUNT");
  expect(half({})()).toEqual({});
});
