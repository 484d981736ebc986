// A transfer through the calls that people make: the mailed link, accepting it with an account or without, the codes and
// pictures before and after, and what a correction mails.
import { createHash } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { cartOf } from "../../../../shop/testing/cart.ts";
import { pay, place } from "../../../../shop/testing/carts.ts";
import { openShop } from "../../../../shop/testing/open-shop.ts";

const { world, shop } = await openShop();
await world.sql(
  "update public.festival set starts_at = now() + interval '60 days', ends_at = now() + interval '61 days'",
);
const admin = await world.newUser();
await world.sql("insert into public.user_roles (user_id, role) values ($1, 'admin')", admin);
beforeEach(async () => {
  world.mails.length = 0;
  await world.sql("update public.ticket_transfers set offered_at = offered_at - interval '25 hours'");
  await world.sql("delete from public.rate_limits");
});

const drain = async () => {
  expect(await world.call("drain-outbox", { as: "service" })).toMatchObject({ body: { failed: 0 } });
};
const as = async (user: string, text: string, ...values: unknown[]) =>
  (
    await world.db.database.transaction({ claims: { role: "authenticated", sub: user }, headers: {} }, (tx) =>
      tx.query(text, values),
    )
  ).rows;
const offer = (user: string, tickets: readonly string[], email = "ben@people.test") =>
  as(user, "select public.offer_transfer($1, 'Ben Diaz', $2) as id", tickets, email).then(
    ([row]) => row!.id as string,
  );
const open = (
  token: string,
  action = "look",
  who: { as?: string; withAccount?: boolean; ip?: string } = {},
) =>
  world.call("ticket-transfer", {
    ...(who.as && { as: who.as }),
    ...(who.ip && { ip: who.ip }),
    body: { token, action, withAccount: who.withAccount ?? false },
  });
const mailTo = (to: string, subject: RegExp) =>
  world.mails.find((mail) => mail.to === to && subject.test(mail.subject));
/** From the newest offer's mail. */
async function mailedToken(to = "ben@people.test"): Promise<string> {
  await drain();
  const mail = world.mails.findLast((one) => one.to === to && /waiting for you/.test(one.subject))!;
  return /http:\/\/shop\.test\/transfer#([0-9a-f]{64})/.exec(mail.text)![1]!;
}
async function bought(units = 1) {
  const user = await world.newUser();
  const placed = await place(world, user, cartOf([shop.general, units]));
  const { latest_charge } = await pay(world, placed);
  await world.call("process-payment", { as: user, body: { paymentIntentId: placed.paymentIntentId } });
  await drain();
  world.mails.length = 0;
  const rows = await world.sql<{ id: string }>(
    "select id from public.tickets where order_id = $1 order by position",
    placed.orderId,
  );
  return {
    user,
    orderId: placed.orderId,
    tickets: rows.map(({ id }) => id),
    charge: String(latest_charge),
  };
}
const generate = (user: string, ticketId: string) =>
  world.call("generate-qr-code", { as: user, body: { ticketId } });

describe("a transfer's link", () => {
  it("appears only in the mail: the database keeps its hash, and the mail's subject contains no name", async () => {
    const { user, tickets } = await bought(2);
    const id = await offer(user, tickets);
    const token = await mailedToken();
    const mail = mailTo("ben@people.test", /waiting for you/)!;
    expect(mail.subject).toMatch(/^2 tickets for .+ are waiting for you$/);
    expect(mail.text).toContain("Bun B. Buyer would like to transfer 2 tickets");
    expect(mail.text).toMatch(/Please accept by \w+ \d+, \d{4}/);
    const [row] = await world.sql(
      "select encode(token_hash, 'hex') as hash from public.ticket_transfers where offer_id = $1 limit 1",
      id,
    );
    expect(row).toEqual({ hash: createHash("sha256").update(token).digest("hex") });
    const [kept] = await world.sql(
      "select count(*)::int as rows from public.outbox where payload::text like '%' || $1 || '%'",
      token,
    );
    expect(kept).toEqual({ rows: 0 });
  });

  it("is the same when its mail has to be sent again", async () => {
    const { user, tickets } = await bought();
    await offer(user, tickets);
    world.breakMail(new Error("the mail server is away"));
    await world.call("drain-outbox", { as: "service" });
    world.breakMail(undefined);
    await world.sql("update public.outbox set next_attempt_at = now() where done_at is null");
    expect(await open(await mailedToken())).toMatchObject({ body: { state: "offered" } });
  });

  it("shows the offer to anybody who opens it, limited for each address", async () => {
    const { user, tickets } = await bought();
    await offer(user, tickets);
    const token = await mailedToken();
    const { body } = await open(token);
    expect(body).toMatchObject({
      state: "offered",
      from_name: "Bun B. Buyer",
      to_name: "Ben Diaz",
      to_email: "b•••@people.test",
      tickets: [{ id: tickets[0], name: "General Admission" }],
    });
    expect(await open("0".repeat(64))).toMatchObject({ status: 200, body: { state: "unknown" } });
    expect(await open("")).toMatchObject({ status: 400 });
    expect(await open(token, "steal")).toMatchObject({ status: 400 });
    for (let call = 0; call < 60; call++) await open("guess", "look", { ip: "192.0.2.99" });
    expect(await open(token, "look", { ip: "192.0.2.99" })).toMatchObject({
      status: 429,
      body: { error: { code: "rate_limited" } },
    });
  });
});

describe("accepting", () => {
  it("with an account moves the ticket there with a new code, and ends the old picture", async () => {
    const { user, tickets } = await bought(2);
    const [ticket] = tickets as [string];
    const old = (await generate(user, ticket)).body.qrCodeUrl;
    expect((await world.fetchQrPicture(old)).status).toBe(200);
    await offer(user, [ticket]);
    const token = await mailedToken();
    const ben = await world.newUser();
    expect(await open(token, "accept", { withAccount: true })).toMatchObject({ status: 401 });
    const accepted = await open(token, "accept", { as: ben, withAccount: true });
    expect(accepted.body).toMatchObject({ state: "accepted" });
    expect(accepted.body.tickets[0].qrCodeUrl).toBeUndefined();
    const fresh = (await generate(ben, ticket)).body.qrCodeUrl;
    await drain();
    expect((await world.fetchQrPicture(old)).status).toBe(404);
    expect((await world.fetchQrPicture(fresh)).status).toBe(200);
    expect(await generate(user, ticket)).toMatchObject({ status: 404 });
    const mail = mailTo("ben@people.test", /^Your ticket for/)!;
    expect(mail.attachments).toHaveLength(1);
    expect(mail.text).toContain("Ben Diaz");
    expect(mail.text).toContain("/festival.ics");
    const told = mailTo(`${user}@people.test`, /was accepted/)!;
    expect(told.text).toContain("Ben Diaz (ben@people.test)");
    expect(told.text).toContain("Your old code no longer works.");
    expect(await open(token, "look", { as: ben })).toMatchObject({ body: { state: "yours" } });
    expect(await open(token)).toMatchObject({ body: { state: "taken" } });
  });

  it("without an account shows the code once, on the page and by mail; then by mail only, three times an hour", async () => {
    const { user, tickets } = await bought();
    await offer(user, tickets);
    const token = await mailedToken();
    const accepted = await open(token, "accept");
    const url = accepted.body.tickets[0].qrCodeUrl;
    expect((await world.fetchQrPicture(url)).status).toBe(200);
    const again = await open(token, "accept");
    expect(again.body).toMatchObject({ state: "kept" });
    expect(again.body.tickets[0].qrCodeUrl).toBeUndefined();
    await drain();
    world.mails.length = 0;
    const sent = [];
    for (let call = 0; call < 4; call++) sent.push((await open(token, "resend")).body.sent);
    await drain();
    expect(sent).toEqual([true, true, true, false]);
    expect(world.mails.map(({ to }) => to)).toEqual(Array.from({ length: 3 }, () => "ben@people.test"));
    expect(world.mails[0]!.attachments).toHaveLength(1);
  });

  it("without an account moves the ticket to the address's account once that is confirmed", async () => {
    const { user, tickets, orderId } = await bought(2);
    await offer(user, tickets, "Eve@people.test");
    await open(await mailedToken("Eve@people.test"), "accept");
    const eve = await world.newUser();
    const other = await world.newUser();
    await world.sql(
      "update auth.users set email = 'eve@people.test', email_confirmed_at = null where id = $1",
      eve,
    );
    await world.sql("update auth.users set email_confirmed_at = now() where id = $1", other);
    const claim = async (who: string) =>
      (await as(who, "select public.claim_kept_tickets() as claimed"))[0]!.claimed as number;
    expect(await claim(eve), "not confirmed").toBe(0);
    expect(await claim(other), "another address").toBe(0);
    await world.sql("update auth.users set email_confirmed_at = now() where id = $1", eve);
    await as(admin, "select public.refund_order($1, array[$2]::uuid[])", orderId, tickets[1]);
    expect(await Promise.all([claim(eve), claim(eve)]).then((n) => n.sort())).toEqual([0, 1]);
    expect(await as(eve, "select id from public.tickets")).toEqual([{ id: tickets[0] }]);
    expect(await as(other, "select id from public.tickets")).toEqual([]);
  });

  it("by an ended session is refused, and nothing changes", async () => {
    const { user, tickets } = await bought();
    await offer(user, tickets);
    const token = await mailedToken();
    const ended = await world.call("ticket-transfer", {
      as: await world.newUser(),
      session: crypto.randomUUID(),
      body: { token, action: "accept", withAccount: true },
    });
    expect(ended).toMatchObject({ status: 401 });
    expect(await open(token)).toMatchObject({ body: { state: "offered" } });
  });

  it("is refused with the reason once the offer has ended", async () => {
    const { user, tickets } = await bought(3);
    const [recalled, refunded, own] = tickets as [string, string, string];
    const first = await offer(user, [recalled]);
    const firstToken = await mailedToken();
    await as(user, "select public.recall_transfer($1)", first);
    expect(await open(firstToken, "accept")).toMatchObject({ body: { state: "recalled" } });
    await offer(user, [refunded]);
    const secondToken = await mailedToken();
    await as(
      admin,
      "select public.refund_order($1, array[$2::uuid])",
      (await orderOf(refunded)).id,
      refunded,
    );
    expect(await open(secondToken, "accept")).toMatchObject({
      body: { state: "expired", because: "refunded" },
    });
    await drain();
    expect(world.mails.filter(({ subject }) => /no longer available/.test(subject))).toHaveLength(2);
    await offer(user, [own]);
    expect(await open(await mailedToken(), "accept", { as: user, withAccount: true })).toMatchObject({
      body: { state: "own" },
    });
  });
});

const orderOf = async (ticket: string) =>
  (
    await world.sql<{ id: string; buyer_email: string }>(
      "select o.id, o.buyer_email from public.orders o join public.tickets t on t.order_id = o.id where t.id = $1",
      ticket,
    )
  )[0]!;

describe("after a transfer", () => {
  it("the order mail has only what the buyer still holds, and a refund's money is returned to the buyer", async () => {
    const { user, orderId, tickets, charge } = await bought(2);
    const [gone, kept] = tickets as [string, string];
    await offer(user, [gone]);
    await open(await mailedToken(), "accept");
    await drain();
    world.mails.length = 0;
    await as(admin, "select public.resend_order_mail($1)", orderId);
    await drain();
    expect(world.mails).toHaveLength(1);
    expect(world.mails[0]!.attachments!.map(({ filename }) => filename)).toEqual([`ticket-${kept}.png`]);

    world.mails.length = 0;
    await as(admin, "select public.refund_order($1, array[$2::uuid])", orderId, gone);
    await drain();
    expect((await world.stripe.charges.retrieve(charge)).amount_refunded).toBe(4500);
    expect(mailTo("ben@people.test", /no longer valid/)).toBeDefined();
    expect(mailTo("buyer@people.test", /Your refund/)).toBeDefined();
  });

  it("a returned ticket is in the buyer's mail again", async () => {
    const { user, orderId, tickets } = await bought();
    const ben = await world.newUser();
    await offer(user, tickets);
    await open(await mailedToken(), "accept", { as: ben, withAccount: true });
    await as(ben, "select public.offer_transfer($1, 'Bun B.', 'bun@people.test')", tickets);
    await open(await mailedToken("bun@people.test"), "accept", { as: user, withAccount: true });
    await drain();
    world.mails.length = 0;
    await as(admin, "select public.resend_order_mail($1)", orderId);
    await drain();
    expect(world.mails[0]!.attachments).toHaveLength(1);
  });
});

describe("a correction", () => {
  it("mails the new code to the right address and notifies the wrong one, without naming the right one", async () => {
    const { user, tickets } = await bought(2);
    const wrong = tickets[1]!;
    const old = (await generate(user, wrong)).body.qrCodeUrl;
    await as(user, "select public.correct_attendee($1, 'Guest Two', 'two@people.test')", wrong);
    await drain();
    const updated = mailTo("two@people.test", /^Your updated ticket for/)!;
    expect(updated.attachments).toHaveLength(1);
    expect(updated.text).toContain("/festival.ics");
    const told = mailTo("guest2@people.test", /no longer valid/)!;
    expect(told.text).toContain("Guest 2");
    expect(told.text).not.toMatch(/Guest Two|two@people/);
    expect((await world.fetchQrPicture(old)).status).toBe(404);
    expect(await generate(user, wrong)).toMatchObject({ body: { success: true } });
  });

  it("by an administrator notifies the buyer, who did not make it; a holder's own notifies nobody else", async () => {
    const correct = async (who: string, reason: string | null) => {
      const { user, tickets } = await bought();
      await as(
        who || user,
        "select public.correct_attendee($1, 'Cleo Fox', 'cleo@people.test', $2)",
        tickets[0],
        reason,
      );
      await drain();
      return mailTo("buyer@people.test", /no longer valid/);
    };
    expect(await correct("", null)).toBeUndefined();
    expect(await correct(admin, "Asked by phone")).toBeDefined();
  });
});
