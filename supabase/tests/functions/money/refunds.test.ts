// What a refund changes: codes, stock, parking, limits, mails and money, seen through the calls that people
// make.
import { verifyTicketToken } from "contract/tickets/ticket-token";
import { describe, expect, it } from "vitest";
import { cartOf } from "../../../../shop/testing/cart.ts";
import { statusOf } from "../../../../shop/testing/carts.ts";
import { openRefunds } from "./refund-desk.ts";

const { world, shop, admin, drain, refundMailOf, as, refund, bought } = await openRefunds();

const stock = () =>
  world.sql(`select name, current_inventory, held, sold from public.ticket_types
    union all select type_name, current_inventory, held, sold from public.parking_passes order by 1`);
const generate = (user: string, ticketId: string) =>
  world.call("generate-qr-code", { as: user, body: { ticketId } });

describe("a refunded ticket", () => {
  it("has no code, no picture and no mail, and its old code is void", async () => {
    const { user, orderId, tickets } = await bought([shop.general, 2]);
    const [void_, valid] = tickets as [string, string];
    const url = (await generate(user, void_)).body.qrCodeUrl;
    const [before] = await world.sql("select * from public.tickets where id = $1", void_);
    expect((await world.fetchQrPicture(url)).status).toBe(200);

    expect(await refund(orderId, { tickets: [void_] })).toEqual({ refunded_cents: 4500 });
    expect(await drain()).toMatchObject({ body: { failed: 0 } });
    const [after] = await world.sql("select * from public.tickets where id = $1", void_);
    expect(after).toMatchObject({ issue_number: 2, qr_code_data: null, qr_code_url: null });
    expect(after!.voided_at).not.toBeNull();
    const claims = await verifyTicketToken(before!.qr_code_data, world.publicKey);
    expect(claims!.issueNumber).toBeLessThan(after!.issue_number);
    expect((await world.fetchQrPicture(url)).status).toBe(404);

    expect(await generate(user, void_)).toMatchObject({
      status: 409,
      body: { error: { code: "ticket_refunded" } },
    });
    expect(await generate(user, valid)).toMatchObject({ body: { success: true } });
    await expect(
      world.sql("update public.tickets set checked_in_at = now() + interval '1 s' where id = $1", void_),
    ).rejects.toThrow("entry_codes_void_stays_out");
  });

  it("is left out of the order mail, which shows what was refunded", async () => {
    const { orderId, tickets } = await bought([shop.general, 2], [shop.preferred, 1]);
    await refund(orderId, { tickets: [tickets[1]!] });
    await drain();
    const guests = world.mails.filter(({ to }) => to === "guest2@people.test");
    expect(guests.map(({ subject }) => subject)).toEqual([expect.stringContaining("no longer valid")]);
    const refunded = refundMailOf(orderId);
    expect(refunded.text).toContain("1 x General Admission");
    expect(refunded.text).toContain("$45.00");

    world.mails.length = 0;
    await as(admin, "select public.resend_order_mail($1)", orderId);
    await drain();
    expect(world.mails).toHaveLength(1);
    // One ticket and its parking permit.
    expect(world.mails[0]!.attachments).toHaveLength(2);
    expect(world.mails[0]!.text).toContain("2 x General Admission (1 refunded)");
    expect(world.mails[0]!.text).toContain("-$45.00");
    expect(world.mails[0]!.text).toContain("Total after refunds");
  });

  it("does not count toward the buyer's limit", async () => {
    const { user, orderId, tickets } = await bought([shop.general, 20]);
    const more = () => world.call("create-payment-intent", { as: user, body: cartOf([shop.general, 2]) });
    await refund(orderId, { tickets: tickets.slice(0, 1) });
    expect(await more()).toMatchObject({ status: 409, body: { error: { code: "too_many_units" } } });
    await refund(orderId, { tickets: tickets.slice(1, 2) });
    const [row] = await as(user, "select public.get_ticket_allowance() as answer");
    expect(row!.answer).toMatchObject({ bought: 18, remaining: 2 });
    expect(await more()).toMatchObject({ status: 200 });
  });

  it("is not expected at the gate", async () => {
    const { orderId, tickets } = await bought([shop.general, 3]);
    const [in_, out, last] = tickets as [string, string, string];
    const scan = (id: string) =>
      world.sql("update public.tickets set checked_in_at = now() where id = $1", id);
    await scan(in_);
    await refund(orderId, { tickets: [out] });
    expect(await statusOf(world, orderId)).toBe("confirmed");
    await refund(orderId, { tickets: [last] });
    expect(await statusOf(world, orderId)).toBe("completed");
  });

  it("cannot be refunded twice, nor one of another order", async () => {
    const [one, other] = [await bought([shop.general, 2]), await bought([shop.general, 1])];
    await refund(one.orderId, { tickets: [one.tickets[0]!] });
    for (const tickets of [[one.tickets[0]!], one.tickets, [other.tickets[0]!], []]) {
      await expect(refund(one.orderId, { tickets })).rejects.toThrow("that are not refunded yet");
    }
  });
});

describe("attendees whose tickets became void", () => {
  const voidMails = () =>
    world.mails
      .filter(({ subject }) => subject.includes("no longer valid"))
      .map(({ to, subject }) => [to, subject]);

  it("are notified once each, of what they lost and not of money", async () => {
    const { orderId, tickets } = await bought([shop.general, 4]);
    await world.sql(
      "update public.tickets set attendee_email = 'Guest2@people.test' where id = any ($1)",
      tickets.slice(2, 3),
    );
    await drain();
    world.mails.length = 0;
    await refund(orderId, { tickets: tickets.slice(0, 3) });
    await drain();
    await drain();
    expect(voidMails()).toEqual([["guest2@people.test", expect.stringContaining("Your tickets for")]]);
    const { html, text } = world.mails.find(({ to }) => to === "guest2@people.test")!;
    for (const id of tickets.slice(1, 3)) {
      expect(text).toContain(`Ticket ${id.slice(0, 8)}`);
      expect(html).toContain(`Ticket ${id.slice(0, 8)}`);
    }
    for (const id of [tickets[0]!, tickets[3]!]) expect(text).not.toContain(id.slice(0, 8));
    expect(text).not.toContain("$");

    world.mails.length = 0;
    await refund(orderId);
    await drain();
    expect(voidMails()).toEqual([["guest4@people.test", expect.stringContaining("is no longer valid")]]);
  });

  it("are notified with the refund or not at all", async () => {
    const { orderId } = await bought([shop.general, 2]);
    const written = () =>
      world.sql(
        "select payload ->> 'email' as email from public.outbox where kind = 'void_mail' and payload ->> 'order_id' = $1",
        orderId,
      );
    await expect(
      world.db.database.asService("the test takes back and gives up").transaction(async (tx) => {
        await tx.query("select public.take_back($1, null, null)", [orderId]);
        throw new Error("given up");
      }),
    ).rejects.toThrow("given up");
    expect(await written()).toEqual([]);
    await refund(orderId);
    expect(await written()).toEqual([{ email: "guest2@people.test" }]);
  });
});

describe("the whole order", () => {
  it("ends with its last ticket, and its parking is refunded with it", async () => {
    const before = await stock();
    const { orderId, tickets, givenBack } = await bought([shop.general, 2], [shop.preferred, 1]);
    await refund(orderId, { tickets: [tickets[0]!] });
    expect(await statusOf(world, orderId)).toBe("confirmed");
    expect(await refund(orderId, { tickets: [tickets[1]!] })).toEqual({ refunded_cents: 10_500 });
    expect(
      await world.sql("select status, cancel_reason, ticket_count from public.orders where id = $1", orderId),
    ).toEqual([{ status: "cancelled", cancel_reason: "refunded", ticket_count: 0 }]);
    expect(await stock()).toEqual(before);
    await drain();
    expect(await givenBack()).toBe(15_000);
    await expect(as(admin, "select public.resend_order_mail($1)", orderId)).rejects.toThrow(
      "Only a paid order",
    );
    await expect(refund(orderId)).rejects.toThrow("Only a paid order");
  });

  it("refunds what is left of it", async () => {
    const { orderId, tickets, parking, givenBack } = await bought([shop.general, 2], [shop.parking, 1]);
    await refund(orderId, { tickets: [tickets[0]!], parking: [parking[0]!.id] });
    expect(await refund(orderId)).toEqual({ refunded_cents: 4500 });
    await drain();
    expect(await givenBack()).toBe(11_500);
    const rows = await world.sql("select items, amount from public.refunds where order_id = $1", orderId);
    const items = rows.flatMap(({ items }) => items as { name: string; quantity: number }[]);
    expect(items.map(({ name, quantity }) => `${quantity} ${name}`).sort()).toEqual([
      "1 General Admission",
      "1 General Admission",
      "1 General Parking",
    ]);
    expect(rows.reduce((sum, { amount }) => sum + Number(amount), 0)).toBe(115);
  });
});

describe("parking", () => {
  it("included with VIP goes back on sale with the last VIP ticket", async () => {
    const before = await stock();
    const { orderId, tickets } = await bought([shop.vip, 2], [shop.general, 1]);
    const withParking = (await stock()).find(({ name }) => name === "General Parking")!;
    await refund(orderId, { tickets: [tickets[0]!] });
    expect((await stock()).find(({ name }) => name === "General Parking")).toEqual(withParking);
    expect(await refund(orderId, { tickets: [tickets[1]!] })).toEqual({ refunded_cents: 15_000 });
    expect((await stock()).filter(({ name }) => name !== "General Admission")).toEqual(
      before.filter(({ name }) => name !== "General Admission"),
    );
    expect(await statusOf(world, orderId)).toBe("confirmed");
  });

  it("included with VIP stays while a ticket bought as VIP does, whatever its type is called since", async () => {
    const { orderId, tickets } = await bought([shop.vip, 2]);
    const general = async () => (await stock()).find(({ name }) => name === "General Parking")!;
    const withParking = await general();
    const call = (name: string) =>
      world.sql("update public.ticket_types set name = $1 where id = $2", name, shop.vip.id);
    await call("Purple Room");
    try {
      await refund(orderId, { tickets: [tickets[0]!] });
      expect(await general()).toEqual(withParking);
    } finally {
      await call(shop.vip.name);
    }
    await refund(orderId);
    expect(await general()).not.toEqual(withParking);
  });

  it("that was bought can be refunded separately, once; included parking cannot", async () => {
    const before = await stock();
    const { orderId, parking, givenBack } = await bought([shop.vip, 1], [shop.preferred, 1]);
    const paid = parking.find(({ included }) => !included)!;
    const free = parking.find(({ included }) => included)!;
    expect(await refund(orderId, { parking: [paid.id] })).toEqual({ refunded_cents: 6000 });
    for (const id of [paid.id, free.id]) {
      await expect(refund(orderId, { parking: [id] })).rejects.toThrow("that are not refunded yet");
    }
    const name = "Preferred Parking";
    expect((await stock()).find((row) => row.name === name)).toEqual(before.find((row) => row.name === name));
    expect(await statusOf(world, orderId)).toBe("confirmed");
    await drain();
    expect(await givenBack()).toBe(6000);
    const mail = refundMailOf(orderId);
    expect(mail.text).toContain("Preferred Parking");
    expect(mail.text).not.toContain("codes");
    expect(await world.sql("select status from public.payments where order_id = $1", orderId)).toEqual([
      { status: "partially_refunded" },
    ]);
  });
});

it("shows how much the provider has actually refunded", async () => {
  const { orderId, tickets } = await bought([shop.general, 2]);
  await refund(orderId, { tickets: [tickets[0]!] });
  await refund(orderId, { tickets: [tickets[1]!] });
  const refunds = await world.sql<{ id: string }>(
    "select id from public.refunds where order_id = $1",
    orderId,
  );
  const payment = async () =>
    (await world.sql("select status from public.payments where order_id = $1", orderId))[0]!.status;
  const mark = (index: number, status: string) =>
    world.sql("select public.mark_refund($1, null, $2)", refunds[index]!.id, status);
  await mark(0, "succeeded");
  expect(await payment()).toBe("refund_pending");
  await mark(1, "failed");
  expect(await payment()).toBe("partially_refunded");
  expect(
    await world.sql(
      "select count(succeeded_at)::integer as told from public.refunds where order_id = $1",
      orderId,
    ),
  ).toEqual([{ told: 1 }]);
});

it("is asked for in full view of an open dispute: the list of orders marks it until it has ended", async () => {
  const { orderId } = await bought([shop.general, 1]);
  const note = (status: string) =>
    world.sql(
      `select public.note_dispute('dp_listed', payment_intent_id, 4500, 'usd', 'fraudulent', $2, now() + interval '7 days', now(), now())
       from public.payments where order_id = $1`,
      orderId,
      status,
    );
  const isMarked = async () => {
    const [row] = (await as(admin, "select public.get_recent_orders(100) as page")) as {
      page: { orders: { id: string; is_disputed: boolean }[] };
    }[];
    return row!.page.orders.find(({ id }) => id === orderId)!.is_disputed;
  };
  expect(await isMarked()).toBe(false);
  await note("needs_response");
  expect(await isMarked()).toBe(true);
  await note("won");
  expect(await isMarked()).toBe(false);
});
