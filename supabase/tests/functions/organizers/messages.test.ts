// An organizer's message: whom it reaches, once each, whatever fails in between, and what bounces.
import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import type { Mail } from "contract/mail";
import { cartOf, type CatalogItem } from "../../../../shop/testing/cart.ts";
import { pay, place } from "../../../../shop/testing/carts.ts";
import { openShop } from "../../../../shop/testing/open-shop.ts";

const { world, shop } = await openShop();
const admin = await world.newUser();
await world.sql("insert into public.user_roles (user_id, role) values ($1, 'admin')", admin);
const drain = () => world.call("drain-outbox", { as: "service", query: "?lane=bulk" });
const dueNow = () => world.sql("update public.outbox set next_attempt_at = now() where done_at is null");

interface Audience {
  people: "buyers" | "attendees" | "everybody";
  type_ids: readonly string[];
  state: "valid" | "not_in" | "in" | "refunded";
}
const everybody: Audience = { people: "attendees", type_ids: [], state: "valid" };

const as = async (user: string, text: string, ...values: unknown[]) =>
  (
    await world.db.database.transaction({ claims: { role: "authenticated", sub: user }, headers: {} }, (tx) =>
      tx.query(text, values),
    )
  ).rows[0]?.answer;
const send = (id: string, audience: Audience = everybody, body = "Doors open at nine.\n\nSee you there.") =>
  as(admin, "select public.send_message($1, 'Doors', $2, $3) as answer", id, body, audience);
const reached = async (audience: Audience) =>
  (await as(admin, "select public.preview_message_audience($1) as answer", audience)) as {
    recipients: number;
    examples: string[];
  };
const states = async (id: string) =>
  Object.fromEntries(
    (
      await world.sql<{ state: string; number: string }>(
        "select state, count(*) as number from public.message_recipients where message_id = $1 group by 1",
        id,
      )
    ).map(({ state, number }) => [state, Number(number)]),
  );

async function bought(...lines: readonly (readonly [CatalogItem, number])[]) {
  const user = await world.newUser();
  const placed = await place(world, user, cartOf(...lines));
  await pay(world, placed);
  await world.call("process-payment", { as: user, body: { paymentIntentId: placed.paymentIntentId } });
  return placed.orderId;
}

/** What nodemailer reports when the mail server refuses an address. */
const refusal = () =>
  Object.assign(new Error("Can't send mail - all recipients were rejected: 550 5.1.1 No such user"), {
    code: "EENVELOPE",
    responseCode: 550,
  });

/** Seventy people hold tickets of one order; the order itself is not what is tested here. */
const crowd = await bought([shop.general, 1]);
await world.sql(
  `insert into public.tickets (order_id, order_item_id, ticket_type_id, position, attendee_name, attendee_email)
   select t.order_id, t.order_item_id, t.ticket_type_id, n + 1, 'Fan ' || n, 'fan' || n || '@people.test'
   from public.tickets t, generate_series(1, 69) as n where t.order_id = $1`,
  crowd,
);

beforeEach(async () => {
  world.breakMail(undefined);
  world.mails.length = 0;
  await world.sql("update public.outbox set done_at = now() where done_at is null");
});

async function drainAll() {
  for (let turn = 0; turn < 10; turn++) if ((await drain()).body.done === 0) return;
}

describe("who is reached", () => {
  it("is decided by person, type and state", async () => {
    const order = await bought([shop.vip, 2], [shop.preferred, 1]);
    const vip = { people: "attendees", type_ids: [shop.vip.id], state: "valid" } as const;
    expect(await reached(vip)).toEqual({
      recipients: 2,
      opted_out: 0,
      examples: ["buyer@people.test", "guest2@people.test"],
    });
    expect((await reached({ ...vip, people: "buyers" })).recipients).toBe(1);
    expect((await reached({ ...vip, type_ids: [shop.preferred.id], people: "buyers" })).recipients).toBe(1);
    // A permit names no attendee.
    expect((await reached({ ...vip, type_ids: [shop.preferred.id] })).recipients).toBe(0);
    await world.sql(
      "update public.tickets set checked_in_at = now() where order_id = $1 and attendee_name = 'Guest 2'",
      order,
    );
    expect(await reached({ ...vip, state: "in" })).toMatchObject({ examples: ["guest2@people.test"] });
    expect(await reached({ ...vip, state: "not_in" })).toMatchObject({ examples: ["buyer@people.test"] });
    expect((await reached({ ...vip, state: "refunded" })).recipients).toBe(0);
    await world.sql("select public.take_back($1, null, null)", order);
    expect((await reached({ ...vip, state: "refunded" })).recipients).toBe(2);
    expect((await reached(vip)).recipients).toBe(0);
  });

  it("counts no guest of a comp among the buyers, but among everybody who may park", async () => {
    const guests = JSON.stringify([{ name: "Gail Guest", email: "gail@people.test" }]);
    const issue = "select public.issue_comps($1, 'Crew', $2, $3) as answer";
    await as(admin, issue, randomUUID(), shop.vip.id, guests);
    const of = (people: Audience["people"], type: CatalogItem) =>
      reached({ people, type_ids: [type.id], state: "valid" }).then(({ examples }) => examples);
    expect(await of("attendees", shop.vip)).toEqual(["gail@people.test"]);
    expect(await of("buyers", shop.vip)).toEqual([]);
    expect(await of("everybody", shop.parking)).toEqual(["gail@people.test"]);
    const revoke =
      "select public.revoke_comp(id, 'Test') as answer from public.orders where buyer_email = $1";
    await as(admin, revoke, "gail@people.test");
  });

  it("is greeted by the buyer's name or, where it is not clear whose the address is, by none", async () => {
    const [youth] = await world.sql<CatalogItem>(
      "select id, name, price::float, 'ticket' as type from public.ticket_types where name like 'Youth%'",
    );
    const family = await bought([youth!, 4]);
    await world.sql(
      "update public.tickets set attendee_email = 'Buyer@people.test', created_at = now() + interval '1 s' where order_id = $1",
      family,
    );
    const seller = await world.newUser();
    await world.sql(
      "insert into public.user_roles (user_id, role, sells_at_door) values ($1, 'gate', true)",
      seller,
    );
    await as(seller, "select public.open_till(0) as answer");
    const items = JSON.stringify([{ type: "ticket", id: youth!.id, quantity: 1 }]);
    const sale = "select public.sell_at_door(gen_random_uuid(), $1, 'card', $2) as answer";
    const { order_id: door } = await as(seller, sale, items, youth!.price * 100);
    await as(seller, "select public.mail_door_sale($1, 'walkin@people.test') as answer", door);
    const greetings = async (people: Audience["people"]) => {
      world.mails.length = 0;
      await send(randomUUID(), { people, type_ids: [youth!.id], state: "valid" });
      await drainAll();
      return Object.fromEntries(
        world.mails.map(({ to, text }) => [to.toLowerCase(), /Hello [^,]*/.exec(text)?.[0] ?? ""]),
      );
    };
    const byBuyer = { "buyer@people.test": "Hello Bun B. Buyer", "walkin@people.test": "" };
    expect(await greetings("everybody")).toEqual(byBuyer);
    expect(await greetings("buyers")).toEqual(byBuyer);
    expect(await greetings("attendees")).toEqual({ ...byBuyer, "buyer@people.test": "" });
    for (const order of [family, door]) await world.sql("select public.take_back($1, null, null)", order);
  });

  it("is not revealed to other accounts", async () => {
    const stranger = await world.newUser();
    for (const call of [
      "send_message(gen_random_uuid(), 'a', 'b', $1)",
      "preview_message_audience($1)",
      "list_messages($1::jsonb ->> 'x')",
    ]) {
      await expect(as(stranger, `select public.${call}`, everybody)).rejects.toMatchObject({ code: "42501" });
    }
  });

  it.each([
    ["no subject", "select public.send_message(gen_random_uuid(), ' ', 'b', $1)", everybody, "22023"],
    [
      "a subject of two lines",
      "select public.send_message(gen_random_uuid(), e'a\\nBcc: x', 'b', $1)",
      everybody,
      "22023",
    ],
    ["no text", "select public.send_message(gen_random_uuid(), 'a', e' \\n', $1)", everybody, "22023"],
    [
      "other people",
      "select public.send_message(gen_random_uuid(), 'a', 'b', $1)",
      { people: "all" },
      "22023",
    ],
    [
      "nobody",
      "select public.send_message(gen_random_uuid(), 'a', 'b', $1)",
      { ...everybody, type_ids: [randomUUID()] },
      "23514",
    ],
  ])("refuses %s", async (_what, call, audience, code) => {
    await expect(as(admin, call, audience)).rejects.toMatchObject({ code });
  });
});

describe("a message", () => {
  it("goes to each address once, although one bounces and the mail server fails in between", async () => {
    const id = randomUUID();
    expect(await send(id)).toBe(70);
    expect(await send(id), "sent again after a lost answer").toBe(70);
    for (const corrected of [
      () => send(id, everybody, "Doors open at ten."),
      () => send(id, { ...everybody, people: "buyers" }),
    ])
      await expect(corrected()).rejects.toMatchObject({
        code: "PT409",
        message: expect.stringContaining("without your latest changes"),
      });
    let mails = 0;
    world.breakMail((mail: Mail) => {
      if (mail.to === "fan13@people.test") return refusal();
      mails += 1;
      return mails > 30 && mails < 40 ? new Error("421 try later") : undefined;
    });
    await drain();
    expect((await states(id)).waiting).toBe(9);
    await dueNow();
    await drainAll();
    expect(await states(id)).toEqual({ sent: 69, bounced: 1 });
    const addresses = world.mails.map(({ to }) => to);
    expect(addresses).toHaveLength(69);
    expect(new Set(addresses).size).toBe(69);
    expect(world.mails.find(({ to }) => to === "fan1@people.test")).toMatchObject({
      subject: "Doors",
      text: expect.stringContaining("Hello Fan 1,\n\nDoors open at nine.\n\nSee you there."),
    });
    expect(await as(admin, "select public.list_message_bounces($1) as answer", id)).toMatchObject([
      { email: "fan13@people.test", problem: expect.stringContaining("550 5.1.1") },
    ]);
  });

  it("stops, resumes, and retries what bounced", async () => {
    const id = randomUUID();
    await send(id);
    world.breakMail((mail: Mail) => (mail.to === "fan1@people.test" ? refusal() : undefined));
    await world.call("drain-outbox", { as: "service", query: "?lane=mail" });
    await as(admin, "select public.stop_message($1)", id);
    await drainAll();
    expect(await states(id)).toEqual({ waiting: 70 });
    await as(admin, "select public.resume_message($1)", id);
    await drainAll();
    expect(await states(id)).toEqual({ sent: 69, bounced: 1 });
    world.breakMail(undefined);
    await as(admin, "select public.resume_message($1, true)", id);
    await drainAll();
    expect(await states(id)).toEqual({ sent: 70 });
    expect(world.mails).toHaveLength(70);
  });

  it("resumes after a drainer died, and is not sent twice while one is alive", async () => {
    const id = randomUUID();
    await send(id);
    const claim = "select count(*) as claimed from public.claim_message_mails($1, 0)";
    expect(await world.sql(claim, id)).toEqual([{ claimed: "20" }]);
    await expect(world.sql(claim, id)).rejects.toMatchObject({ code: "PT409" });
    await drain();
    expect(world.mails).toHaveLength(50);
    await world.sql(
      "update public.message_recipients set changed_at = now() - interval '11 minutes' where state = 'sending'",
    );
    await dueNow();
    await drainAll();
    expect(await states(id)).toEqual({ sent: 70 });
    expect(world.mails).toHaveLength(70);
  });

  it("reaches its writer first as a test", async () => {
    await as(admin, "select public.send_message_test('Doors', 'Soon.')");
    await world.call("drain-outbox", { as: "service", query: "?lane=mail" });
    expect(world.mails).toMatchObject([{ to: `${admin}@people.test`, subject: "Doors" }]);
    expect(world.mails[0]!.text).toContain("Soon.");
    expect(world.mails[0]!.text).not.toContain("Hello");
  });

  it("is no test without a subject and a text", async () => {
    for (const [subject, body] of [
      [null, "Soon."],
      ["Doors", null],
      [" ", "Soon."],
      ["Doors", "x".repeat(5001)],
    ])
      await expect(as(admin, "select public.send_message_test($1, $2)", subject, body)).rejects.toThrow(
        /^Enter a /,
      );
  });
});

describe("a delivery report", () => {
  const report = (recipient: string, action = "failed") =>
    [
      "From: MAILER-DAEMON@mail.test",
      "To: tickets@festival.example",
      "Subject: Undelivered Mail Returned to Sender",
      "MIME-Version: 1.0",
      'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
      "",
      "--b",
      "Content-Type: text/plain",
      "",
      "I'm sorry to have to inform you.",
      "",
      "--b",
      "Content-Type: message/delivery-status",
      "",
      "Reporting-MTA: dns; mail.test",
      "Arrival-Date: Sun, 22 Nov 2026 10:00:00 +0000",
      "",
      `Final-Recipient: rfc822; ${recipient}`,
      `Action: ${action}`,
      "Status: 5.2.2",
      "Diagnostic-Code: smtp; 552 5.2.2 The mailbox",
      "    is full",
      "",
      "--b--",
      "",
    ].join("\r\n");
  const deliver = (body: string, secret = "a-secret-of-the-mail-server") =>
    world.call("mail-bounces", { body, headers: { "x-bounce-secret": secret } });

  it("marks the address and the message it received", async () => {
    const id = randomUUID();
    await send(id);
    await drainAll();
    expect(await deliver(report("FAN2@people.test"))).toEqual({ status: 200, body: { bounced: 1 } });
    expect(await states(id)).toEqual({ sent: 69, bounced: 1 });
    expect(
      await world.sql("select reason from public.mail_bounces where email = 'fan2@people.test'"),
    ).toEqual([{ reason: "552 5.2.2 The mailbox is full" }]);
  });

  it("of a delay, or an invalid one, changes nothing", async () => {
    expect(await deliver(report("fan3@people.test", "delayed"))).toMatchObject({ body: { bounced: 0 } });
    expect(await deliver("Subject: Hello\r\n\r\nHello")).toMatchObject({ body: { bounced: 0 } });
    expect(await world.sql("select from public.mail_bounces where email = 'fan3@people.test'")).toEqual([]);
  });

  it("needs the mail server's secret", async () => {
    expect(await deliver(report("fan4@people.test"), "guessed")).toMatchObject({ status: 403 });
    expect(await world.sql("select from public.mail_bounces where email = 'fan4@people.test'")).toEqual([]);
  });
});

describe("a refused order mail", () => {
  it("marks the address, and is retried", async () => {
    const order = await bought([shop.general, 1]);
    world.breakMail(refusal());
    await world.call("drain-outbox", { as: "service", query: "?lane=mail" });
    expect(
      await world.sql("select email from public.mail_bounces where email = 'buyer@people.test'"),
    ).toHaveLength(1);
    world.breakMail(undefined);
    await dueNow();
    await world.call("drain-outbox", { as: "service", query: "?lane=mail" });
    expect(world.mails.map(({ to }) => to)).toEqual(["buyer@people.test"]);
    expect(world.mails[0]!.subject).toContain(order.slice(0, 8));
  });
});
