// Permits and their codes, the keys that sign them, and the invitations that bring phones to the gate.
import { importTicketKey, type TicketKeyJwk, verifyTicketToken } from "contract/tickets/ticket-token";
import { readRedeemedGateInvitation } from "contract/gate";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cartOf } from "../../../../shop/testing/cart.ts";
import { pay, place, readCatalog } from "../../../../shop/testing/carts.ts";
import { openWorld, type World } from "../../../../shop/testing/world.ts";

let world: World;
let shop: Awaited<ReturnType<typeof readCatalog>>;
beforeAll(async () => {
  world = await openWorld();
  shop = await readCatalog(world);
});
afterAll(() => world?.close());

async function soldVip() {
  const user = await world.newUser();
  const placed = await place(world, user, cartOf([shop.vip, 1], [shop.preferred, 1]));
  await pay(world, placed);
  await world.call("process-payment", { as: user, body: { paymentIntentId: placed.paymentIntentId } });
  const permits = await world.sql<{ id: string; product_id: string }>(
    "select id, product_id from public.entry_codes where kind = 'parking' and order_id = $1",
    placed.orderId,
  );
  const [ticket] = await world.sql<{ id: string }>(
    "select id from public.tickets where order_id = $1",
    placed.orderId,
  );
  return { user, orderId: placed.orderId, permits, ticket: ticket!.id };
}
const rowOf = async (id: string) =>
  (await world.sql("select * from public.entry_codes where id = $1", id))[0]!;

describe("a parking permit", () => {
  it("is made for each pass, bought or included, and gets its own signed code", async () => {
    const { user, permits } = await soldVip();
    expect(permits.map((permit) => permit.product_id).toSorted()).toEqual(
      [shop.parking.id, shop.preferred.id].toSorted(),
    );
    const { id, product_id } = permits[0]!;
    expect(await world.call("generate-qr-code", { as: user, body: { ticketId: id } })).toMatchObject({
      body: { success: true },
    });
    expect(await verifyTicketToken((await rowOf(id)).qr_code_data, world.publicKey)).toMatchObject({
      ticketId: id,
      typeMark: product_id.slice(-8),
      issueNumber: 1,
    });
    const stranger = await world.newUser();
    expect(await world.call("generate-qr-code", { as: stranger, body: { ticketId: id } })).toMatchObject({
      status: 404,
    });
  });

  it("is in the buyer's mail with its code", async () => {
    const { orderId, permits } = await soldVip();
    await world.call("drain-outbox", { as: "service" });
    const mail = world.mails.find(({ subject }) => subject.includes(orderId.slice(0, 8)));
    for (const { id } of permits) {
      expect(mail?.attachments?.map(({ filename }) => filename)).toContain(`parking-${id}.png`);
      expect(mail?.text).toContain(`(parking pass ${id.slice(0, 8)})`);
    }
  });

  it("loses its code and picture with its refund", async () => {
    const { user, orderId, permits } = await soldVip();
    for (const { id } of permits) await world.call("generate-qr-code", { as: user, body: { ticketId: id } });
    await world.sql("select public.take_back($1, null, null)", orderId);
    await world.call("drain-outbox", { as: "service" });
    for (const { id } of permits) {
      expect(await rowOf(id)).toMatchObject({ qr_code_data: null, qr_code_url: null, issue_number: 2 });
      expect(await world.sql("select from storage.objects where name like $1", `${id}/%`)).toEqual([]);
      expect(await world.call("generate-qr-code", { as: user, body: { ticketId: id } })).toMatchObject({
        body: { error: { code: "ticket_refunded" } },
      });
    }
  });
});

describe("a rotated key", () => {
  it("signs every code drawn from then on, and sold codes stay valid", async () => {
    const { user, ticket, permits } = await soldVip();
    await world.call("generate-qr-code", { as: user, body: { ticketId: ticket } });
    const rotated = await openWorld({ beside: world });
    await rotated.call("generate-qr-code", { as: user, body: { ticketId: permits[0]!.id } });
    await rotated.close();
    const keys = await world.sql<{ id: string; public_jwk: TicketKeyJwk }>(
      "select id, public_jwk from public.entry_keys",
    );
    expect(keys).toHaveLength(2);
    const codes = await world.sql<{ qr_code_data: string }>(
      "select qr_code_data from public.entry_codes where id in ($1, $2)",
      ticket,
      permits[0]!.id,
    );
    for (const { qr_code_data } of codes) {
      const read = await Promise.all(
        keys.map(async ({ public_jwk }) =>
          verifyTicketToken(qr_code_data, await importTicketKey(public_jwk)),
        ),
      );
      expect(read.filter((claims) => claims !== null)).toHaveLength(1);
    }
  });
});

describe("redeem-gate-invitation", () => {
  const invite = async (expiry: string, revoked: string | null = null, phones = 2) => {
    const token = crypto.randomUUID();
    await world.sql(
      `insert into public.gate_invitations (token_hash, label, expires_at, revoked_at, phones)
        values (sha256($1::text::bytea), 'Volunteers', now() + $2::interval, now() + $3::interval, $4)`,
      token,
      expiry,
      revoked,
      phones,
    );
    return token;
  };
  const redeem = (token: string, phone: string = crypto.randomUUID(), ip?: string) =>
    world.call("redeem-gate-invitation", { body: { token, phone }, ...(ip && { ip }) });

  it("makes an account with the role gate until the invitation ends, for each phone", async () => {
    const token = await invite("1 hour");
    const [first, second] = [await redeem(token), await redeem(token)].map(({ body }) =>
      readRedeemedGateInvitation(body),
    );
    expect(first!.token_hash).not.toBe(second!.token_hash);
    const { status, body } = await world.signInByToken(first!.token_hash);
    expect(status).toBe(200);
    expect(await world.signInByToken(first!.token_hash)).toMatchObject({
      body: { error_code: "otp_expired" },
    });
    const [role] = await world.sql(
      `select r.role, r.expires_at = i.expires_at as ends_with_it from public.user_roles r
        join public.gate_invitations i on i.id = r.invitation_id join auth.users u on u.id = r.user_id where u.email = $1`,
      body.user.email,
    );
    expect(role).toEqual({ role: "gate", ends_with_it: true });
    expect(body.user.app_metadata, "auth changes nothing of it").toMatchObject({ unchangeable: true });
  });

  it("serves as many phones as the invitation is for, whichever come first", async () => {
    const token = await invite("1 hour", null, 1);
    const count = "select count(*) from auth.users";
    const [before] = await world.sql<{ count: string }>(count);
    const answers = await Promise.all([redeem(token), redeem(token), redeem(token)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404]);
    expect(await redeem(token)).toMatchObject({
      status: 404,
      body: { error: { message: "This invitation has no phones left. Ask for a new one." } },
    });
    expect(Number((await world.sql<{ count: string }>(count))[0]!.count)).toBe(Number(before!.count) + 1);
  });

  it("signs in a phone that lost the answer, with the account it has, and no other phone", async () => {
    const token = await invite("1 hour", null, 1);
    const phone = crypto.randomUUID();
    // Two concurrent requests: one of them finds what the other created.
    const [lost] = await Promise.all([redeem(token, phone), redeem(token, phone)]);
    expect(lost.status).toBe(200);
    const again = readRedeemedGateInvitation((await redeem(token, phone)).body);
    expect(await world.signInByToken(again.token_hash)).toMatchObject({ status: 200 });
    expect(await redeem(token), "another phone").toMatchObject({ status: 404 });
    expect(await redeem(await invite("1 hour"), phone), "another invitation").toMatchObject({ status: 200 });
    const accounts = await world.sql(
      "select r.user_id from public.user_roles r join public.gate_invitations i on i.id = r.invitation_id where i.token_hash = sha256($1::text::bytea)",
      token,
    );
    expect(accounts).toHaveLength(1);
  });

  it("keeps the place of a phone whose account is gone for that phone alone", async () => {
    const token = await invite("1 hour", null, 1);
    const phone = crypto.randomUUID();
    const { token_hash } = readRedeemedGateInvitation((await redeem(token, phone)).body);
    const { body } = await world.signInByToken(token_hash);
    await world.sql("delete from auth.users where id = $1", body.user.id);
    expect(await redeem(token), "another phone").toMatchObject({ status: 404 });
    expect(await redeem(token, phone)).toMatchObject({ status: 200 });
  });

  it("refuses unknown, ended and revoked invitations alike, and leaves no account", async () => {
    const count = "select count(*) from auth.users";
    const before = await world.sql(count);
    const answers = [
      await redeem("unknown"),
      await redeem(await invite("-1 second")),
      await redeem(await invite("1 hour", "0")),
    ];
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject({ status: 404, body: { error: { code: "not_found" } } });
    expect(await world.sql(count)).toEqual(before);
  });

  it("is limited for an address", async () => {
    const answers = await Promise.all(
      Array.from({ length: 70 }, () => redeem("guess", undefined, "198.51.100.9")),
    );
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(10);
  });
});
