// Comps, what the organizers add to an order, and the list of attendees, which shows every channel.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cloneDatabase, type TestDatabase } from "../../server/testing/database.ts";
import { faultsInBooks } from "../../tests/simulator/books.ts";
import { openOffice, type Office } from "./office.ts";

type Row = Record<string, any>;

let db: TestDatabase;
let office: Office;
let vip: string;
beforeAll(async () => {
  db = await cloneDatabase();
  office = await openOffice(db);
  // The office's own rows would count too.
  await office.sql("delete from public.comps");
  await office.sql("delete from public.guest_lists");
  await office.sql("delete from public.till_payments");
  const [type] = await office.sql("select id from public.ticket_types where is_vip");
  vip = type?.id as string;
});
afterAll(() => db?.close());

const admin = async (call: string, ...values: unknown[]): Promise<any> =>
  (await office.as("admin", `select public.${call} as answer`, values))[0]?.answer;
const refusal = (attempt: Promise<unknown>): Promise<{ code: string; message: string }> =>
  attempt.then(
    () => ({ code: "", message: "done" }),
    ({ code, message }) => ({ code, message }),
  );
const guest = (name: string) => ({ name, email: `${name.toLowerCase()}@guests.test` });
const issue = (
  guests: object[],
  { key, reason = "Press", type = vip }: { key?: string; reason?: string; type?: string } = {},
) => admin("issue_comps($1, $2, $3, $4)", key ?? randomUUID(), reason, type, JSON.stringify(guests));
const stock = async () =>
  (
    await office.sql("select current_inventory as left, sold from public.ticket_types where id = $1", vip)
  )[0] as Row;
const orderOf = async (email: string) =>
  (
    await office.sql(
      "select id from public.orders where buyer_email = $1 order by created_at desc limit 1",
      email,
    )
  )[0]?.id as string;
// The office writes a permit and refunds by hand, so its own order is left out of the check.
const books = async () =>
  (await faultsInBooks(async (text) => office.sql(text) as never, false)).filter((fault) =>
    /comp|guest|till|sold/.test(fault),
  );

describe("comps", () => {
  it("are refused once the festival is cancelled", async () => {
    await office.sql("update public.festival set status = 'cancelled'");
    expect((await refusal(issue([guest("Ida")]))).message).toContain("The festival is canceled");
    await office.sql("update public.festival set status = 'planned'");
    await office.sql("update public.shop_settings set on_sale = true");
  });

  it("give each guest a free order with a mailed code, counted apart from sales", async () => {
    const before = await stock();
    expect(await issue([guest("Zoe"), { name: " Ben ", email: " ben@guests.test " }])).toEqual({
      issued: 2,
      replayed: false,
    });
    expect(await stock()).toEqual({ left: before.left - 2, sold: before.sold + 2 });
    const rows = await office.sql(
      `select o.buyer_full_name as name, o.total_amount::float as total, o.user_id, t.attendee_email as email, l.reason,
         (select count(*)::int from public.entry_codes p where p.order_id = o.id and kind = 'parking') as permits,
         (select count(*)::int from public.outbox x where x.payload ->> 'order_id' = o.id::text and kind = 'order_mail') as mails
       from public.comps c join public.orders o on o.id = c.order_id join public.tickets t on t.order_id = o.id
         join public.guest_lists l on l.id = c.guest_list_id order by 1`,
    );
    const free = { total: 0, user_id: null, reason: "Press", permits: 1, mails: 1 };
    expect(rows).toEqual([
      { name: "Ben", email: "ben@guests.test", ...free },
      { name: "Zoe", email: "zoe@guests.test", ...free },
    ]);
    const sales = await admin("get_sales_overview()");
    expect(sales).toMatchObject({ total_revenue: 45, total_tickets: 1, total_parking: 0 });
    expect(sales.products).toContainEqual({
      kind: "parking",
      name: "General Parking",
      sold: 0,
      comps: 2,
      revenue: 0,
    });
    expect((await admin("list_comps(p_search => 'ZOË')")).total_count).toBe(1);
    expect(await admin("list_comps()")).toMatchObject({
      ...{ total_count: 2, parking_given: 2 },
      rows: [
        { name: "Zoe", includes_parking: true }, // as pasted
        { name: "Ben", includes_parking: true },
      ],
    });
    const { tickets } = await admin("get_inventory_status()");
    expect(tickets.filter(({ included_parking }: Row) => included_parking !== null)).toHaveLength(1);
    expect(tickets.find(({ id }: Row) => id === vip)).toMatchObject({
      included_parking: "General Parking",
      comps: 2,
      revenue: 0,
      sold: before.sold + 2,
    });
    const [log] = await office.sql(
      "select new_values from public.audit_logs where table_name = 'guest_lists' order by created_at desc limit 1",
    );
    expect(log?.new_values).toMatchObject({ reason: "Press", guests: 2 });
    expect(await books()).toEqual([]);
  });

  it("go to no name that holds an address", async () => {
    expect(await refusal(issue([{ name: "Ana R a@x.test; Ben L", email: "b@x.test" }]))).toMatchObject({
      code: "22023",
    });
  });

  it("beyond the stock are refused as a whole, with the number left", async () => {
    const before = await stock();
    await office.sql(
      "update public.ticket_types set current_inventory = 2, total_inventory = 2 + held + sold where id = $1",
      vip,
    );
    expect(await refusal(issue([guest("One"), guest("Two"), guest("Three")]))).toEqual({
      code: "PT409",
      message: "Only 2 left of VIP.",
    });
    expect(await orderOf("one@guests.test")).toBeUndefined();
    await office.sql(
      "update public.ticket_types set current_inventory = $2, total_inventory = $2 + held + sold where id = $1",
      vip,
      before.left,
    );
    expect(await books()).toEqual([]);
  });

  it("are issued once for a double tap, and refuse invalid lists", async () => {
    const key = randomUUID();
    const answers = await Promise.all([1, 2, 3].map(() => issue([guest("Twice")], { key })));
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(await refusal(issue([guest("Other")], { key }))).toMatchObject({ code: "PT409" });
    const said = async (guests: object[], more = {}) => (await refusal(issue(guests, more))).message;
    expect(await said([])).toBe("A list can have 1 to 200 guests.");
    expect(await said(Array.from({ length: 201 }, (_, n) => guest(`G${n}`)))).toBe(
      "A list can have 1 to 200 guests.",
    );
    expect(await said([guest("Zoe"), { name: " ", email: "x@guests.test" }])).toBe(
      "Guest 2: a name is required",
    );
    expect(await said([{ name: "Zoe", email: "zoe at guests" }])).toBe("Guest 1: a valid email is required");
    expect(await said([guest("Zoe")], { reason: "  " })).toBe("Enter a reason (up to 500 characters).");
    expect(await said([guest("Zoe")], { type: randomUUID() })).toBe(
      "One of the items is no longer for sale.",
    );
  });

  it("may be of a hidden type that is off sale: giving is not selling", async () => {
    await office.sql("update public.ticket_types set is_hidden = true, on_sale = false where id = $1", vip);
    expect(await issue([guest("Crew")], { reason: "Crew" })).toMatchObject({ issued: 1 });
    await office.sql("update public.ticket_types set is_hidden = false, on_sale = true where id = $1", vip);
  });

  it("are revoked once, with a reason: stock returns, the code is void, the guest is notified", async () => {
    const before = await stock();
    await issue([guest("Gone")]);
    const order = await orderOf("gone@guests.test");
    expect(await refusal(admin("revoke_comp($1, '')", order))).toMatchObject({ code: "22023" });
    await admin("revoke_comp($1, 'Not coming')", order);
    expect(await refusal(admin("revoke_comp($1, 'Again')", order))).toEqual({
      code: "PT409",
      message: "This comp was already revoked.",
    });
    expect(await refusal(admin("revoke_comp($1, 'Bought')", office.order))).toMatchObject({ code: "PT404" });
    expect(await stock()).toEqual(before);
    const [row] = await office.sql(
      `select o.cancel_reason, t.voided_at is not null as void, exists (select from public.outbox x
         where x.kind = 'void_mail' and x.payload ->> 'order_id' = o.id::text) as told
       from public.orders o join public.tickets t on t.order_id = o.id where o.id = $1`,
      order,
    );
    expect(row).toEqual({ cancel_reason: "revoked", void: true, told: true });
    expect(await books()).toEqual([]);
    const listed = await admin("list_comps(p_search => 'gone')");
    expect(listed).toMatchObject({
      rows: [{ state: "revoked", revoke_reason: "Not coming" }],
      by_state: { revoked: 1 },
    });
    expect((await admin("list_comps(p_state => 'valid', page_size => 2)")).total_count).toBe(4);
  });
});

describe("an order's desk", () => {
  it("keeps notes with author and time", async () => {
    await office.as("finance", "select public.add_order_note($1, '  Called back ')", [office.order]);
    const [note] = await office.sql(
      "select body, author_email, created_at from public.order_notes order by created_at desc limit 1",
    );
    expect(note).toMatchObject({
      body: "Called back",
      author_email: expect.stringContaining("@people.test"),
    });
    expect(await refusal(admin("add_order_note($1, ' ')", office.order))).toMatchObject({ code: "22023" });
    expect(await refusal(admin("add_order_note($1, 'x')", randomUUID()))).toMatchObject({ code: "PT404" });
  });

  it("has short tags, each once and at most ten, and finds orders by them", async () => {
    await admin("tag_order($1, ' Call  Back ')", office.order);
    await admin("tag_order($1, 'call back')", office.order);
    const tags = async () =>
      (await admin("get_recent_orders(p_tag => 'call back')")).orders.map(({ tags: t }: Row) => t);
    expect(await tags()).toEqual([["call back", "press"]]);
    for (let n = 1; n <= 8; n++) await admin("tag_order($1, $2)", office.order, `tag ${n}`);
    expect(await refusal(admin("tag_order($1, 'one more')", office.order))).toMatchObject({
      message: "Limit: 10 tags per order.",
    });
    expect(await refusal(admin("tag_order($1, $2)", office.order, "x".repeat(31)))).toMatchObject({
      code: "22023",
    });
    for (let n = 1; n <= 8; n++) await admin("tag_order($1, $2, false)", office.order, `tag ${n}`);
    expect(await admin("list_order_tags()")).toEqual([
      { tag: "call back", orders: 1 },
      { tag: "press", orders: 1 },
    ]);
    expect((await admin("get_recent_orders(p_tag => 'nothing')")).total_count).toBe(0);
    const books = await admin("list_orders_with_money(p_tag => 'press')");
    expect(books).toMatchObject([
      { tags: "call back; press", channel: "online", paid_by: "online", paid: 45 },
    ]);
  });

  it("does not undo what another administrator has corrected since the form was opened", async () => {
    const [was] = await office.sql(
      "select buyer_full_name as name, buyer_email as email from public.orders where id = $1",
      office.pending,
    );
    const change = (name: string, email: string) =>
      admin("change_buyer($1, $2, $3, false, $4)", office.pending, name, email, JSON.stringify(was));
    await change(was!.name, "right@people.test");
    await change(was!.name, "right@people.test"); // once more, after a lost answer
    expect(await refusal(change("Anna Reyes", was!.email))).toMatchObject({
      code: "PT409",
      message: expect.stringContaining("Someone else changed this meanwhile: it is now"),
    });
    expect(await office.sql("select buyer_email from public.orders where id = $1", office.pending)).toEqual([
      { buyer_email: "right@people.test" },
    ]);
  });

  it("corrects the buyer, keeps both versions, finds the order by the new name, and sends the tickets on request", async () => {
    await admin("change_buyer($1, 'Anna Reyes', 'anna@people.test', true)", office.order);
    await admin("change_buyer($1, 'Anna Reyes', 'anna@people.test')", office.order);
    const log = await office.sql(
      "select old_values, new_values from public.audit_logs where record_id = $1 and new_values ? 'buyer_email'",
      office.order,
    );
    expect(log).toEqual([
      {
        old_values: { buyer_full_name: "Ana Reyes", buyer_email: "ana@people.test" },
        new_values: { buyer_full_name: "Anna Reyes", buyer_email: "anna@people.test" },
      },
    ]);
    const found = async (text: string) =>
      (await admin("get_recent_orders(p_search => $1)", text)).orders
        .map(({ id }: Row) => id)
        .includes(office.order);
    expect([await found("Anna"), await found("anna@people.test"), await found("Reyes")]).toEqual([
      true,
      true,
      true,
    ]);
    const mails = await office.sql(
      "select from public.outbox where kind = 'order_mail' and payload ->> 'order_id' = $1",
      office.order,
    );
    expect(mails).toHaveLength(2);
    expect(await refusal(admin("change_buyer($1, 'Ana', 'no address')", office.order))).toMatchObject({
      code: "22023",
    });
    expect(await refusal(admin("change_buyer($1, '', 'ana@people.test')", office.order))).toMatchObject({
      code: "22023",
    });
    expect(
      await refusal(admin("change_buyer($1, E'Ana\\nPay', 'ana@people.test')", office.order)),
    ).toMatchObject({
      code: "22023",
    });
    expect(
      await refusal(admin("change_buyer($1, 'evil.test/pay', 'ana@people.test')", office.order)),
    ).toMatchObject({ code: "22023", message: "A name cannot contain a web address" });
    expect(
      await refusal(admin("change_buyer($1, 'Ana', 'ana@people.test', true)", office.pending)),
    ).toMatchObject({
      message: "Only a paid order has tickets to send.",
    });
  });
});

it("mails an order again once a minute, whoever asks, and at once to a corrected address", async () => {
  const again = () => refusal(admin("resend_order_mail($1)", office.order));
  const mails = async () =>
    (
      await office.sql(
        "select from public.outbox where kind = 'order_mail' and payload ->> 'order_id' = $1",
        office.order,
      )
    ).length;
  await admin("change_buyer($1, 'Anna Reyes', 'reyes@people.test')", office.order);
  const before = await mails();
  const outcomes = await Promise.all([again(), again(), again()]);
  expect(outcomes.map(({ code }) => code).toSorted()).toEqual(["", "PT429", "PT429"]);
  expect(await mails()).toBe(before + 1);
  await admin("change_buyer($1, 'Anna Reyes', 'anna.reyes@people.test', true)", office.order);
  expect(await mails()).toBe(before + 2);
  await office.sql("update public.rate_limits set hits = array[now() - interval '1 minute']");
  expect((await again()).message).toBe("done");
  expect(await mails()).toBe(before + 3);
});

describe("the attendees", () => {
  const list = async (args = "") => admin(`list_attendees(${args})`);
  const names = async (args: string) => (await list(args)).rows.map(({ name }: Row) => name);

  it("include every ticket of every channel, found by name, mail, order and the end of the ticket's number", async () => {
    const { rows, total_count } = await list();
    const [tickets] = await office.sql("select count(*)::int as n from public.tickets");
    expect(total_count).toBe(tickets?.n);
    const zoe = rows.find(({ name }: Row) => name === "Zoe");
    expect(zoe).toMatchObject({ email: "zoe@guests.test", type: "VIP", channel: "comp", state: "absent" });
    expect(await names("p_search => 'zoe'")).toEqual(["Zoe"]);
    expect(await names("p_search => 'zoe@guests'")).toEqual(["Zoe"]);
    expect(await names(`p_search => '${zoe.id.slice(2, 8)}'`)).toEqual(["Zoe"]);
    expect(await names(`p_search => '#${zoe.order_id.slice(0, 8)}'`)).toEqual(["Zoe"]);
    expect(await names("p_search => 'anna'"), "by the buyer").toEqual(["Ana"]);
    expect(await names("p_search => 'nobody'")).toEqual([]);
  });

  it("are filtered by type, channel and state", async () => {
    await office.sql("update public.tickets set checked_in_at = now() where attendee_name = 'Ben'");
    expect(await names("p_state => 'in'")).toEqual(["Ben"]);
    expect(await names("p_state => 'void'")).toEqual(["Gone"]);
    const voids = async (args = "") => (await list(args)).void_count;
    expect([await voids(), await voids("p_search => 'gone'"), await voids("p_search => 'zoe'")]).toEqual([
      1, 1, 0,
    ]);
    expect([await voids("p_channel => 'comp'"), await voids("p_channel => 'online'")]).toEqual([1, 0]);
    expect(await voids("p_state => 'void'")).toBeNull();
    expect((await names("p_state => 'absent', p_channel => 'comp'")).toSorted()).toEqual([
      "Crew",
      "Twice",
      "Zoe",
    ]);
    expect(await names("p_channel => 'online'")).toEqual(["Ana"]);
    expect(await names("p_channel => 'door'")).toEqual([]);
    expect(await names(`p_type => '${vip}', p_channel => 'online'`)).toEqual([]);
  });

  it("page without repeating or missing any", async () => {
    const all = (await list()).rows.map(({ id }: Row) => id);
    const paged: string[] = [];
    let after = "";
    for (;;) {
      const { rows, total_count } = await list(`page_size => 2${after}`);
      expect(total_count).toBe(all.length);
      paged.push(...rows.map(({ id }: Row) => id));
      const last = rows.at(-1);
      if (rows.length < 2) break;
      after = `, p_after_at => '${last.ordered_at}', p_after_id => '${last.id}'`;
    }
    expect(paged).toEqual(all);
  });
});
