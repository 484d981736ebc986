// Passing tickets on: who holds each ticket afterwards, which code is valid, and each refusal.
import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { untilWaitingOn } from "../../server/testing/waiting.ts";
import { openTransfers } from "./transfer-desk.ts";

const {
  db,
  gate,
  phone,
  inDays,
  ticketRow,
  offer,
  recall,
  tokenOf,
  accept,
  look,
  withMail,
  claim,
  states,
  mails,
  seenBy,
  bought,
  passedOn,
} = await openTransfers();

describe("an accepted transfer", () => {
  it("gives the ticket to the account, with a new code and name, and ends the giver's view of it", async () => {
    const { sold, buyer, ticket } = await bought(2);
    const ben = await gate.newUser();
    await gate.sql(
      "update public.tickets set qr_code_data = 'old', qr_code_url = 'http://x/qr-picture?key=old' where id = $1",
      ticket,
    );
    const before = await phone.list();
    const token = await tokenOf(await offer(buyer, [ticket]));
    expect(await ticketRow(ticket), "until then nothing changes").toMatchObject({
      user_id: buyer,
      issue_number: 1,
      qr_code_data: "old",
    });
    expect(await accept(token, ben)).toMatchObject({
      state: "accepted",
      tickets: [{ id: ticket, name: "General Admission" }],
    });
    expect(await ticketRow(ticket)).toMatchObject({
      user_id: ben,
      attendee_name: "Ben Diaz",
      attendee_email: "ben@people.test",
      issue_number: 2,
      transferred_issue: 2,
      qr_code_data: null,
      qr_code_url: null,
    });
    expect([await seenBy(buyer, ticket), await seenBy(ben, ticket)]).toEqual([0, 1]);
    expect(await mails(sold.order)).toEqual([
      "transfer_mail:offered ben@people.test",
      "replaced_mail guest1@people.test",
      "ticket_mail ben@people.test",
      expect.stringMatching(/^transfer_mail:accepted .+@people\.test$/),
    ]);

    // The gates' lists follow, and neither they nor the server reveal the new holder to the giver. A change is in them once every
    // older transaction on the machine has ended.
    const listed = async () => (await phone.list(before.upto)).rows.find(({ id }) => id === ticket);
    await expect.poll(listed).toMatchObject({ issue_number: 2, transferred_issue: 2, name: "Ben Diaz" });
    expect(await phone.scan({ code_id: ticket, issue_number: 1 })).toMatchObject([
      { result: "old_code", detail: "transferred", person: { name: "" } },
    ]);
    expect(await phone.scan({ code_id: ticket, issue_number: 2 })).toMatchObject([
      { result: "admitted", person: { name: "Ben Diaz" } },
    ]);
  });

  it("is found by the new name at the gate, whoever changes it", async () => {
    const { ticket } = await passedOn(null);
    const found = async (name: string) => (await phone.search(name)).some(({ id }) => id === ticket);
    expect(await found("diaz")).toBe(true);
    await gate.sql("update public.tickets set attendee_name = 'Xochitl Vane' where id = $1", ticket);
    expect([await found("xochitl"), await found("diaz")]).toEqual([true, false]);
  });

  it("without an account belongs to the address, and moves only to an account of that address", async () => {
    const { ticket, token } = await passedOn(null);
    expect(await ticketRow(ticket)).toMatchObject({ user_id: null, issue_number: 2 });
    const stranger = await gate.newUser();
    const ben = await gate.newUser();
    await gate.sql("update auth.users set email = 'Ben@people.test' where id = $1", ben);
    expect(await accept(token)).toMatchObject({ state: "kept", to_email: "b•••@people.test" });
    expect(await accept(token, stranger)).toMatchObject({ state: "kept", is_own_mail: false });
    expect(await ticketRow(ticket)).toMatchObject({ user_id: null });
    expect(await accept(token, ben)).toMatchObject({ state: "accepted" });
    expect(await ticketRow(ticket), "the mailed code stays good").toMatchObject({
      user_id: ben,
      issue_number: 2,
    });
    expect(await look(token, ben)).toMatchObject({ state: "yours" });
    expect(await look(token)).toMatchObject({ state: "taken" });
    await gate.sql("update auth.users set email = null where id = $1", ben);
  });

  it("stays with the last recipient when the account that passed it on is deleted and made anew", async () => {
    const abe = await gate.newUser();
    const { buyer, ticket } = await bought();
    await accept(await tokenOf(await offer(buyer, [ticket], "abe@people.test", "Abe Lee")), abe);
    await accept(await tokenOf(await offer(abe, [ticket], "cleo@people.test", "Cleo Fox")));
    await gate.sql("delete from auth.users where id = $1", abe);
    expect(await claim("abe@people.test")).toBe(0);
    expect(await claim("cleo@people.test")).toBe(1);
  });

  it.each([
    ["accepted it", "una@people.test", (token: string, user: string) => accept(token, user)],
    [
      "claimed it later",
      "dos@people.test",
      (token: string) => accept(token).then(() => claim("dos@people.test")),
    ],
    [
      "opened its link later",
      "tres@people.test",
      (token: string, user: string) =>
        accept(token).then(() => withMail(user, "tres@people.test", () => accept(token, user))),
    ],
  ])("goes back to nobody when the account that %s is deleted", async (_, address, take) => {
    const { buyer, ticket } = await bought();
    const token = await tokenOf(await offer(buyer, [ticket], address));
    await take(token, await gate.newUser());
    const { user_id: holder } = await ticketRow(ticket);
    expect(holder).not.toBeNull();
    await gate.sql("delete from auth.users where id = $1", holder);
    expect(await look(token)).toMatchObject({ state: "taken" });
    expect(await claim(address)).toBe(0);
    const anew = await gate.newUser();
    expect(await withMail(anew, address, () => accept(token, anew))).toMatchObject({ state: "taken" });
    expect(await ticketRow(ticket)).toMatchObject({ user_id: null });
  });

  it("can be passed on by its recipient; each sees their own part of the way, without the token", async () => {
    const ben = await gate.newUser();
    const cid = await gate.newUser();
    const { buyer, ticket, token } = await passedOn(ben);
    const second = await tokenOf(await offer(ben, [ticket], "cid@people.test", "Cid Ono"));
    expect(await look(second)).toMatchObject({ from_name: "Ben Diaz" });
    await expect(offer(buyer, [ticket], "eve@people.test")).rejects.toMatchObject({ code: "PT404" });
    expect(await accept(second, cid)).toMatchObject({ state: "accepted" });
    expect(await ticketRow(ticket)).toMatchObject({ user_id: cid, issue_number: 3 });
    expect(await look(token)).toMatchObject({ state: "gone" });
    const seen = (user: string) =>
      db.database.transaction({ claims: { role: "authenticated", sub: user }, headers: {} }, async (tx) => {
        const { rows } = await tx.query(
          "select to_name from public.ticket_transfers where ticket_id = $1 order by offered_at",
          [ticket],
        );
        return rows.map(({ to_name }) => to_name);
      });
    expect(await seen(buyer)).toEqual(["Ben Diaz"]);
    expect(await seen(ben)).toEqual(["Ben Diaz", "Cid Ono"]);
    expect(await seen(cid)).toEqual(["Cid Ono"]);
    await expect(
      db.database.transaction({ claims: { role: "authenticated", sub: ben }, headers: {} }, (tx) =>
        tx.query("select token_hash from public.ticket_transfers"),
      ),
    ).rejects.toMatchObject({ code: "42501" });
  });

  it("is made once when two accept at the same moment", async () => {
    const { buyer, ticket } = await bought();
    const token = await tokenOf(await offer(buyer, [ticket]));
    const users = await Promise.all([gate.newUser(), gate.newUser(), gate.newUser()]);
    const answers = await Promise.all(users.map((user) => accept(token, user)));
    expect(answers.map(({ state }) => state).toSorted()).toEqual(["accepted", "taken", "taken"]);
    expect(await ticketRow(ticket)).toMatchObject({ issue_number: 2 });
  });

  it("leaves stock, totals, limits and money unchanged", async () => {
    const books = () =>
      gate.sql(`select (select json_agg(t order by id) from (select id, current_inventory, held, sold from public.ticket_types) t) as stock,
        (select json_agg(s order by product_id) from public.sales_totals() s) as totals, (select sum(amount) from public.payments) as paid,
        (select count(*) from public.tickets) as tickets, (select sum(ticket_count) from public.orders) as counted`);
    const { buyer, sold } = await bought(3);
    const before = await books();
    const token = await tokenOf(await offer(buyer, sold.tickets));
    await accept(token, await gate.newUser());
    expect(await books()).toEqual(before);
  });

  it("is voided with its refund, and its holder is notified", async () => {
    const { sold, ticket, token } = await passedOn(await gate.newUser(), 2);
    await gate.sql("select public.take_back($1, array[$2::uuid], null)", sold.order, ticket);
    expect(await ticketRow(ticket)).toMatchObject({ issue_number: 3, qr_code_data: null });
    expect(await mails(sold.order)).toContain("void_mail ben@people.test");
    expect(await look(token)).toMatchObject({ state: "gone" });
  });
});

describe("an offer", () => {
  it("can be recalled until it is accepted, and its link then shows that", async () => {
    const { buyer, sold, ticket } = await bought(2);
    const first = await offer(buyer, sold.tickets);
    const token = await tokenOf(first);
    expect(await look(token)).toMatchObject({
      state: "offered",
      tickets: [{ name: "General Admission" }, { name: "General Admission" }],
    });
    expect(await look(token, buyer)).toMatchObject({ state: "own" });
    expect(await accept(token, buyer)).toMatchObject({ state: "own" });
    await expect(recall(await gate.newUser(), first)).rejects.toMatchObject({ code: "PT404" });
    await recall(buyer, first);
    expect(await states(first)).toEqual(["recalled", "recalled"]);
    expect(await accept(token)).toMatchObject({ state: "recalled" });
    await expect(recall(buyer, first)).rejects.toMatchObject({
      code: "PT409",
      message: expect.stringMatching(/already canceled the offer/),
    });
    expect(await mails(sold.order)).toContain("transfer_mail:withdrawn ben@people.test");

    const second = await offer(buyer, [ticket]);
    expect(await accept(await tokenOf(second), await gate.newUser())).toMatchObject({ state: "accepted" });
    await expect(recall(buyer, second)).rejects.toMatchObject({
      code: "PT409",
      message: expect.stringMatching(/already been accepted/),
    });
    expect(await look("another token")).toEqual({ state: "unknown" });
    expect(await accept("")).toEqual({ state: "unknown" });
  });

  it("recalled before its mail went out leaves no mail and no link", async () => {
    const { buyer, sold, ticket } = await bought();
    const made = await offer(buyer, [ticket]);
    await recall(buyer, made);
    expect(await gate.sql("select public.arm_transfer($1, 'late') as armed", made)).toEqual([
      { armed: false },
    ]);
    expect(await look("late")).toEqual({ state: "unknown" });
    expect((await mails(sold.order)).filter((mail) => mail.includes("withdrawn"))).toEqual([]);
  });

  it("ends when the ticket is refunded or scanned", async () => {
    const { buyer, sold } = await bought(3);
    const [refunded, scanned, rest] = sold.tickets as [string, string, string];
    const made = await offer(buyer, [refunded, scanned, rest]);
    const token = await tokenOf(made);
    await gate.sql("select public.take_back($1, array[$2::uuid], null)", sold.order, refunded);
    await phone.scan({ code_id: scanned });
    expect((await states(made)).toSorted()).toEqual(["expired: refunded", "expired: scanned", "offered"]);
    expect(await mails(sold.order)).toContain("transfer_mail:withdrawn ben@people.test");
    expect(await accept(token), "what is left of it").toMatchObject({
      state: "accepted",
      tickets: [{ id: rest }],
    });
    expect(await ticketRow(scanned)).toMatchObject({ user_id: buyer, issue_number: 1 });
  });

  it("ends when transfers close, and notifies its maker once", async () => {
    const { buyer, sold, ticket } = await bought();
    const made = await offer(buyer, [ticket]);
    const token = await tokenOf(made);
    await inDays(13);
    expect(await look(token)).toMatchObject({ state: "closed" });
    expect(await accept(token, await gate.newUser())).toMatchObject({ state: "closed" });
    expect(await states(made)).toEqual(["offered"]);
    await gate.sql("select public.clean_up()");
    await gate.sql("select public.clean_up()");
    expect(await states(made)).toEqual(["expired: not_accepted"]);
    await inDays(60);
    expect(await accept(token)).toMatchObject({ state: "expired", because: "not_accepted" });
    expect((await mails(sold.order)).filter((mail) => mail.includes("expired"))).toHaveLength(1);
  });

  it("waits for a refund under way, and finds the ticket void", async () => {
    const { buyer, sold, ticket } = await bought();
    const service = db.database.asService("the test refunds slowly");
    const [offering] = await service.transaction(async (tx) => {
      await tx.query("select from public.orders where id = $1 for update", [sold.order]);
      const waiting = offer(buyer, [ticket]);
      waiting.catch(() => {});
      await untilWaitingOn(service)(1);
      await tx.query("select public.take_back($1, null, null)", [sold.order]);
      return [waiting];
    });
    await expect(offering).rejects.toMatchObject({
      code: "23514",
      message: expect.stringMatching(/refunded/),
    });
  });

  it("waits for a change of the festival's date, and keeps the new deadline", async () => {
    const { buyer, ticket } = await bought();
    const service = db.database.asService("the test announces slowly");
    const [offering] = await service.transaction(async (tx) => {
      await tx.query("select pg_advisory_xact_lock(hashtextextended('festival change', 0))");
      const waiting = offer(buyer, [ticket]);
      waiting.catch(() => {});
      await untilWaitingOn(service)(1);
      await tx.query(
        "update public.festival set starts_at = now() + interval '1 day', ends_at = now() + interval '2 days'",
      );
      return [waiting];
    });
    await expect(offering).rejects.toThrow(/^Tickets could be transferred until/);
    await inDays(60);
  });

  it.each([
    ["to oneself", {}, { email: "BUYER@people.test" }, "23514", /your own address/],
    ["without a name", {}, { name: "  " }, "22023", /Name is required/],
    ["without an address", {}, { email: "ben" }, "22023", /Valid email/],
    ["with a second address", {}, { email: "1,victim@people.test" }, "22023", /Valid email/],
    ["after the deadline", { days: 13 }, {}, "23514", /could be transferred until/],
    ["after the day", { days: -2 }, {}, "23514", /festival is over/],
    ["of a scanned ticket", { scanned: true }, {}, "23514", /scanned at the gate/],
    ["of a void ticket", { refunded: true }, {}, "23514", /refunded/],
    ["of somebody else's ticket", { stranger: true }, {}, "PT404", /among yours/],
  ] as const)("%s is refused with a clear word", async (_what, state, to, code, message) => {
    const { buyer, sold, ticket } = await bought(2);
    const set = state as { days?: number; scanned?: boolean; refunded?: boolean; stranger?: boolean };
    const { email, name } = { email: "ben@people.test", name: "Ben Diaz", ...to };
    if (set.scanned) await phone.scan({ code_id: ticket });
    if (set.refunded)
      await gate.sql("select public.take_back($1, array[$2::uuid], null)", sold.order, ticket);
    if (set.days !== undefined) await inDays(set.days);
    const refused = offer(set.stranger ? await gate.newUser() : buyer, [ticket], email, name);
    await expect(refused).rejects.toMatchObject({ code, message });
    await inDays(60);
  });

  it("is refused for a ticket named twice, no ticket, unknown tickets and tickets of two orders", async () => {
    const one = await bought(2);
    const other = await bought();
    await gate.sql("update public.tickets set user_id = $1 where id = $2", one.buyer, other.ticket);
    await offer(one.buyer, [one.ticket]);
    const refusal = (tickets: readonly string[]) => offer(one.buyer, tickets).catch(({ code }) => code);
    expect(await refusal(one.sold.tickets)).toBe("PT409");
    expect(await refusal([])).toBe("22023");
    expect(await refusal([one.sold.tickets[1]!, other.ticket])).toBe("22023");
    expect(await refusal([one.sold.tickets[1]!, randomUUID()])).toBe("PT404");
  });

  it("is limited per ticket, account and address", async () => {
    const { buyer, ticket } = await bought();
    for (let round = 0; round < 3; round++)
      await recall(buyer, await offer(buyer, [ticket], `r@people.test`));
    await expect(offer(buyer, [ticket])).rejects.toMatchObject({
      code: "PT429",
      message: expect.stringMatching(/3 times a day/),
    });
    await gate.sql("delete from public.ticket_transfers where ticket_id = $1", ticket);

    const fill = (user: string | null, email: string, count: number) =>
      gate.sql(
        `insert into public.ticket_transfers (offer_id, ticket_id, order_id, ticket_name, from_user_id, from_name, from_attendee, to_name,
            to_email, state, ended_at)
          select gen_random_uuid(), t.id, t.order_id, 'x', $1, 'x', 'x', 'x', $2, 'recalled', now()
          from public.tickets t, generate_series(1, $3) where t.id = (select id from public.tickets where id <> $4 limit 1)`,
        user,
        email,
        count,
        ticket,
      );
    await fill(null, "VICTIM@people.test", 10);
    await expect(offer(buyer, [ticket], "victim@people.test")).rejects.toMatchObject({
      code: "PT429",
      message: expect.stringMatching(/This address/),
    });
    await withMail(buyer, "before@people.test", () =>
      gate.sql(
        "select public.consume_person_limit('offers', $1, 30, 86400) from generate_series(1, 30)",
        buyer,
      ),
    );
    await expect(offer(buyer, [ticket])).rejects.toMatchObject({
      code: "PT429",
      message: expect.stringMatching(/30 times/),
    });
  });
});
