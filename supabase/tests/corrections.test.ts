// Correcting whom a ticket admits: which code is valid afterwards, who is told, and each refusal.
import { describe, expect, it } from "vitest";
import { openTransfers } from "./transfer-desk.ts";

const { gate, phone, inDays, buyerOf, ticketRow, offer, tokenOf, accept, look, mails, bought, passedOn } =
  await openTransfers();

describe("a correction", () => {
  const correct = (user: string, ticket: string, name: string, email: string, reason?: string) =>
    gate.call(user, "correct_attendee", [ticket, name, email, reason ?? null]);
  const history = (ticket: string) =>
    gate.sql(
      "select old_name, new_name, old_email, new_email, by_admin, reason from public.attendee_corrections where ticket_id = $1 order by corrected_at",
      ticket,
    );

  it("does not undo another that was made since its form was opened", async () => {
    const { buyer, ticket } = await bought();
    const was = { name: "Guest 1", email: "guest1@people.test" };
    const change = (name: string, email: string) =>
      gate.call(buyer, "correct_attendee", [ticket, name, email, null, JSON.stringify(was)]);
    await change("Guest 1", "right@people.test");
    await expect(change("Guest Uno", "guest1@people.test")).rejects.toThrow(
      "Someone else changed this meanwhile",
    );
    expect(await ticketRow(ticket)).toMatchObject({ attendee_email: "right@people.test", issue_number: 2 });
  });

  it("gives a new code to the right address, voids the old one, and keeps the history", async () => {
    const { buyer, sold, ticket } = await bought();
    await correct(buyer, ticket, " Guest Uno ", "uno@people.test");
    expect(await ticketRow(ticket)).toMatchObject({
      attendee_name: "Guest Uno",
      attendee_email: "uno@people.test",
      user_id: buyer,
      issue_number: 2,
      transferred_issue: null,
    });
    expect(await mails(sold.order)).toEqual([
      "replaced_mail guest1@people.test",
      "ticket_mail uno@people.test",
    ]);
    expect(await phone.scan({ code_id: ticket, issue_number: 1 })).toMatchObject([
      { result: "old_code", person: { name: "Guest Uno" } },
    ]);
    expect(await history(ticket)).toEqual([
      {
        old_name: "Guest 1",
        new_name: "Guest Uno",
        old_email: "guest1@people.test",
        new_email: "uno@people.test",
        by_admin: false,
        reason: null,
      },
    ]);
    expect((await phone.search("uno@people.test")).map(({ id }) => id)).toContain(ticket);
  });

  it("mails one address at most ten times a day", async () => {
    const { buyer, sold } = await bought(11);
    const [last, ...others] = sold.tickets as [string, ...string[]];
    for (const ticket of others) await correct(buyer, ticket, "Guest", "stranger@people.test");
    await expect(correct(buyer, last, "Guest", "Stranger@people.test")).rejects.toMatchObject({
      code: "PT429",
    });
  });

  it("is made at most three times by the holder, and not of offered, scanned, void, foreign or unchanged tickets", async () => {
    const { buyer, sold } = await bought(4);
    const [often, offered, scanned, void_] = sold.tickets as [string, string, string, string];
    for (const name of ["A", "B", "C"]) await correct(buyer, often, name, "guest1@people.test");
    const refusal = (ticket: string, user = buyer, name = "New Name") =>
      correct(user, ticket, name, "guest1@people.test").catch(({ code, message }) => `${code} ${message}`);
    expect(await refusal(often)).toMatch(/^23514 .*three times/);
    await offer(buyer, [offered]);
    expect(await refusal(offered)).toMatch(/^23514 .*Cancel the offer/);
    await phone.scan({ code_id: scanned });
    expect(await refusal(scanned)).toMatch(/^23514 .*scanned/);
    await gate.sql("select public.take_back($1, array[$2::uuid], null)", sold.order, void_);
    expect(await refusal(void_)).toMatch(/^23514 .*refunded/);
    expect(await refusal(often, await gate.newUser())).toMatch(/^PT404/);
    const [one] = (await bought()).sold.tickets as [string];
    const owner = (await ticketRow(one)).user_id as string;
    expect(await refusal(one, owner, "Guest 1")).toMatch(/^23514 Nothing has changed/);
    expect(await refusal(one, owner, "")).toMatch(/^22023 Name is required/);
  });

  it("cannot be a disguised transfer once transfers have closed, not even in two steps", async () => {
    const { buyer, ticket } = await bought();
    await inDays(13);
    await expect(correct(buyer, ticket, "Zed Other", "zed@people.test")).rejects.toMatchObject({
      code: "23514",
      message: expect.stringMatching(/is a transfer/),
    });
    await correct(buyer, ticket, "Guest One", "guest1@people.test");
    await expect(correct(buyer, ticket, "Guest One", "zed@people.test")).rejects.toMatchObject({
      message: expect.stringMatching(/is a transfer/),
    });
    await correct(buyer, ticket, "GUEST 1", "guest.1@people.test");
    await inDays(-1);
    await expect(correct(buyer, ticket, "Guest 1", "guest.1@people.test")).rejects.toMatchObject({
      message: expect.stringMatching(/could be changed until/),
    });
    await inDays(60);
  });

  it("ends the link of a holder without an account: their code is dead, and the ticket somebody else's", async () => {
    const { ticket, token } = await passedOn(null);
    const ben = await gate.newUser();
    await gate.sql("update auth.users set email = 'ben@people.test' where id = $1", ben);
    await correct(gate.admin, ticket, "Cleo Fox", "cleo@people.test", "Asked by phone");
    expect(await look(token)).toMatchObject({ state: "gone" });
    expect(await accept(token, ben)).toMatchObject({ state: "gone" });
    expect(await ticketRow(ticket)).toMatchObject({ user_id: null, attendee_email: "cleo@people.test" });
    const [again] = await gate.sql("select public.resend_transfer($1) as answer", token);
    expect(again!.answer).toMatchObject({ state: "gone", sent: false });
    await gate.sql("update auth.users set email = null where id = $1", ben);
  });

  it("by an administrator is news to all who had the code: the person named, the holder and the buyer", async () => {
    const { buyer, sold, ticket } = await bought();
    await gate.sql("update auth.users set email = 'holder@people.test' where id = $1", buyer);
    await gate.sql("update public.orders set buyer_email = 'Buyer@people.test' where id = $1", sold.order);
    const told = async (name: string, email: string) => {
      const before = (await mails(sold.order)).length;
      await correct(gate.admin, ticket, name, email, "Asked by phone");
      return (await mails(sold.order)).slice(before).toSorted();
    };
    expect(await told("Cleo Fox", "cleo@people.test")).toEqual([
      "replaced_mail Buyer@people.test",
      "replaced_mail guest1@people.test",
      "replaced_mail holder@people.test",
      "ticket_mail cleo@people.test",
    ]);
    expect(await told("Cleo Fox", "buyer@people.test")).toEqual([
      "replaced_mail cleo@people.test",
      "replaced_mail holder@people.test",
      "ticket_mail buyer@people.test",
    ]);
    const ben = await gate.newUser();
    await gate.sql("update auth.users set email = 'ben@people.test' where id = $1", ben);
    await accept(await tokenOf(await offer(buyer, [ticket])), ben);
    expect(await told("Ben Dias", "ben@people.test"), "the buyer never had this code").toEqual([
      "ticket_mail ben@people.test",
    ]);
    await gate.sql("update auth.users set email = null where id = any ($1)", [buyer, ben]);
  });

  it("is made by an administrator at any time, with a reason that the audit log keeps", async () => {
    const { ticket, sold } = await bought();
    await inDays(-1);
    for (const name of ["One", "Two", "Three", "Four"])
      await correct(gate.admin, ticket, name, "new@people.test", "Asked by phone");
    await inDays(60);
    expect(await ticketRow(ticket)).toMatchObject({ attendee_name: "Four", issue_number: 5 });
    expect((await history(ticket)).at(-1)).toMatchObject({ by_admin: true, reason: "Asked by phone" });
    const audit = await gate.sql(
      "select admin_user_id, old_values, new_values from public.audit_logs where table_name = 'tickets' and record_id = $1 order by created_at",
      ticket,
    );
    expect(audit).toHaveLength(4);
    expect(audit[0]).toMatchObject({
      admin_user_id: gate.admin,
      old_values: { name: "Guest 1" },
      new_values: { name: "One", reason: "Asked by phone", order_id: sold.order },
    });
    const { email } = (await gate.sql("select email from auth.users where id = $1", gate.admin))[0]!;
    expect(await gate.call(gate.admin, "get_order_actors", [sold.order])).toEqual({ [gate.admin]: email });
    const refusal = (user: string, reason: string) =>
      correct(user, ticket, "Five", "new@people.test", reason).catch(({ code }) => code);
    expect(await refusal(gate.admin, " ")).toBe("22023");
    expect(await refusal(gate.admin, "x".repeat(201))).toBe("22023");
    expect(await refusal(await buyerOf(sold), "I say so")).toBe("42501");
  });
});
