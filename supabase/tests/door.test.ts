// Sales at the door: who sells, each sale once and from the shop's stock, tills that add up, and a void that returns everything.
import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { cloneDatabase, type TestDatabase } from "../../server/testing/database.ts";
import { faultsInBooks } from "../../tests/simulator/books.ts";

type Row = Record<string, any>;

let db: TestDatabase;
let admin: string;
let items: Record<"general" | "vip" | "parking", { id: string; type: string }>;
beforeAll(async () => {
  db = await cloneDatabase();
  const row = async (text: string) => (await sql(text))[0]!;
  items = {
    general: {
      type: "ticket",
      ...(await row("select id from public.ticket_types where name = 'General Admission'")),
    },
    vip: { type: "ticket", ...(await row("select id from public.ticket_types where is_vip")) },
    parking: { type: "parking", ...(await row("select id from public.parking_passes where is_general")) },
  } as typeof items;
  admin = await newPerson("admin");
});
afterAll(() => db?.close());
// Resets each test's changes to the types.
beforeEach(() =>
  sql(
    "update public.ticket_types set on_sale = true, sale_closes_at = null, price = case when is_vip then 150 else price end",
  ),
);

const sql = async (text: string, ...values: unknown[]): Promise<Row[]> =>
  (await db.database.asService("tests look at everything").query<Row>(text, values)).rows;

async function newPerson(role: string, sells = false): Promise<string> {
  const id = randomUUID();
  await sql("insert into auth.users (id, email) values ($1, $2)", id, `${id}@people.test`);
  await sql(
    "insert into public.user_roles (user_id, role, sells_at_door) values ($1, $2, $3)",
    id,
    role,
    sells,
  );
  return id;
}

const as = (who: string, call: string, ...values: unknown[]): Promise<any> =>
  asOf({ sub: who }, call, ...values);

async function asOf(
  claims: { sub: string; aal?: string; session_id?: string },
  call: string,
  ...values: unknown[]
): Promise<any> {
  const scope = { claims: { role: "authenticated", ...claims }, headers: {} };
  return db.database.transaction(scope, async (tx) => {
    const { rows } = await tx.query<{ answer: unknown }>(`select public.${call} as answer`, values);
    return rows[0]!.answer;
  });
}
const refusal = (attempt: Promise<unknown>): Promise<{ code: string; message: string }> =>
  attempt.then(
    () => ({ code: "", message: "done" }),
    ({ code, message }) => ({ code, message }),
  );

/** A seller with an open till. */
async function newSeller(float = 50): Promise<string> {
  const id = await newPerson("gate", true);
  await as(id, "open_till($1)", float);
  return id;
}

type Wanted = Partial<Record<keyof typeof items, number>>;
const linesOf = (wanted: Wanted) =>
  Object.entries(wanted).map(([name, quantity]) => ({ ...items[name as keyof typeof items], quantity }));
const centsOf = async (wanted: Wanted) => {
  const [row] = await sql(
    `select sum((i ->> 'quantity')::integer * coalesce(t.price, p.price) * 100)::integer as cents
     from jsonb_array_elements($1) as i left join public.ticket_types t on t.id = (i ->> 'id')::uuid
       left join public.parking_passes p on p.id = (i ->> 'id')::uuid`,
    JSON.stringify(linesOf(wanted)),
  );
  return row!.cents as number;
};
const sell = async (
  who: string,
  wanted: Wanted,
  { key, method = "cash", cents }: { key?: string; method?: string; cents?: number } = {},
) =>
  as(
    who,
    "sell_at_door($1, $2, $3, $4)",
    key ?? randomUUID(),
    JSON.stringify(linesOf(wanted)),
    method,
    cents ?? (await centsOf(wanted)),
  );
const stock = async (name: keyof typeof items) => {
  const table = items[name].type === "ticket" ? "ticket_types" : "parking_passes";
  const [row] = await sql(
    `select current_inventory as left, held, sold from public.${table} where id = $1`,
    items[name].id,
  );
  return row as { left: number; held: number; sold: number };
};
const leave = (name: "general" | "vip", units: number) =>
  sql(
    "update public.ticket_types set current_inventory = $2, total_inventory = $2 + held + sold where id = $1",
    items[name].id,
    units,
  );
const books = () => faultsInBooks(async (text) => sql(text), false);

describe("who sells", () => {
  it("includes administrators, and gate staff whom one allowed to, while their role lasts", async () => {
    const gate = await newPerson("gate");
    const nobody = { code: "42501", message: expect.stringContaining("Only administrators") };
    for (const who of [gate, await newPerson("finance"), await newPerson("user")]) {
      expect(await refusal(as(who, "open_till(0)"))).toEqual(nobody);
      expect(await refusal(sell(who, { general: 1 }))).toEqual(nobody);
      expect(await refusal(as(who, "get_till()"))).toEqual(nobody);
    }
    const allow = "update public.user_roles set sells_at_door = true where user_id = $1";
    await sql(allow, gate);
    await as(gate, "open_till(0)");
    expect(await sell(gate, { general: 1 })).toMatchObject({ total_cents: 4500, replayed: false });
    await sql("update public.user_roles set expires_at = now() where user_id = $1", gate);
    expect(await refusal(sell(gate, { general: 1 }))).toEqual(nobody);
    await sql("update public.user_roles set role = 'user', expires_at = null where user_id = $1", gate);
    await sql("update public.user_roles set role = 'gate' where user_id = $1", gate);
    expect(await refusal(sell(gate, { general: 1 })), "the leave went with the role").toEqual(nobody);
  });
});

describe("the second step that the organizer requires", () => {
  const requireOf = (roles: string) => sql("update public.staff_settings set two_step_roles = $1", roles);
  afterEach(() => requireOf("{}"));

  it.each(["gate", "admin"] as const)(
    "of the role %s is required of its sellers, and of no others",
    async (role) => {
      const sellers = { gate: await newSeller(), admin: await newPerson("admin") };
      await as(sellers.admin, "open_till(0)");
      const items = JSON.stringify(linesOf({ general: 1 }));
      const cents = await centsOf({ general: 1 });
      for (const [own, sub] of Object.entries(sellers)) {
        const { order_id: order } = await sell(sub, { general: 1 });
        await requireOf(`{${role}}`);
        const calls: [string, ...unknown[]][] = [
          ["open_till(0)"],
          ["get_till()"],
          ["sell_at_door($1, $2, 'cash', $3)", randomUUID(), items, cents],
          ["mail_door_sale($1, 'walkin@people.test')", order],
        ];
        for (const [call, ...values] of calls) {
          if (own === role) {
            const refused = { code: "42501", hint: "insufficient_aal" };
            await expect(asOf({ sub, aal: "aal1" }, call, ...values), call).rejects.toMatchObject(refused);
          }
          await asOf({ sub, aal: own === role ? "aal2" : "aal1" }, call, ...values);
        }
        const mayShow = async (aal: string | null) =>
          (await sql("select public.may_show_door_sale($1, $2, $3) as may", sub, order, aal))[0]!.may;
        expect([await mayShow(null), await mayShow("aal1"), await mayShow("aal2")]).toEqual(
          own === role ? [false, false, true] : [true, true, true],
        );
        await requireOf("{}");
      }
    },
  );
});

describe("a sale", () => {
  it("is an order like any other: confirmed, with its tickets, permits and stock", async () => {
    const seller = await newSeller();
    const [general, parking] = [await stock("general"), await stock("parking")];
    const { order_id: order, total_cents } = await sell(
      seller,
      { general: 3, parking: 1 },
      { method: "card" },
    );
    expect(total_cents).toBe(3 * 4500 + 2500);
    const [row] = await sql(
      `select o.status, o.channel, o.user_id, o.total_amount, o.ticket_count, p.method, p.amount,
         (select count(*)::int from public.tickets t where t.order_id = o.id and attendee_name = 'Door sale #' || left(o.id::text, 8) and attendee_email = '') as tickets,
         (select count(*)::int from public.entry_codes x where x.order_id = o.id and kind = 'parking') as permits,
         (select count(*)::int from public.outbox where payload ->> 'order_id' = o.id::text) as mails
       from public.orders o join public.till_payments p on p.order_id = o.id where o.id = $1`,
      order,
    );
    expect(row).toEqual({
      ...{ status: "confirmed", channel: "door", user_id: null, total_amount: "160.00", ticket_count: 3 },
      ...{ method: "card", amount: "160.00", tickets: 3, permits: 1, mails: 0 },
    });
    expect(await stock("general")).toEqual({ ...general, left: general.left - 3, sold: general.sold + 3 });
    expect(await stock("parking")).toEqual({ ...parking, left: parking.left - 1, sold: parking.sold + 1 });
    expect(await books()).toEqual([]);
  });

  it("may be of parking alone, and VIP includes the general pass", async () => {
    const seller = await newSeller();
    const before = await stock("parking");
    await sell(seller, { parking: 2 });
    const { order_id: order } = await sell(seller, { vip: 2 });
    expect((await stock("parking")).sold).toBe(before.sold + 3);
    const included = await sql(
      "select quantity, unit_price from public.order_items where order_id = $1 and included",
      order,
    );
    expect(included).toEqual([{ quantity: 1, unit_price: "0.00" }]);
    expect(await refusal(sell(seller, { vip: 1, parking: 1 }))).toEqual({
      code: "PT409",
      message: "VIP tickets already include general parking.",
    });
    expect(await books()).toEqual([]);
  });

  it("may be of free tickets, and is voided like any other", async () => {
    await sql("update public.ticket_types set price = 0 where id = $1", items.vip.id);
    const seller = await newSeller();
    const before = await stock("vip");
    const { order_id: order, total_cents } = await sell(seller, { vip: 2 });
    expect(total_cents).toBe(0);
    expect((await stock("vip")).sold).toBe(before.sold + 2);
    expect((await as(seller, "get_till()")).shift).toMatchObject({ sales: 1, cash: 0, expected: 50 });
    expect(await books()).toEqual([]);
    expect(await as(admin, "void_door_sale($1, $2)", order, "A wrong tap")).toEqual({
      method: "cash",
      amount: 0,
    });
    expect(await stock("vip")).toEqual(before);
    expect(await books()).toEqual([]);
  });

  it("is made once for a double tap, and found again after a lost answer, even once the till is closed", async () => {
    const seller = await newSeller();
    const before = await stock("general");
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 6 }, () => sell(seller, { general: 2 }, { key })));
    expect(new Set(answers.map(({ order_id }) => order_id)).size).toBe(1);
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect((await stock("general")).sold).toBe(before.sold + 2);
    expect(await refusal(sell(seller, { general: 3 }, { key }))).toMatchObject({
      message: "This sale was already made with other items. Start a new one.",
    });
    const { shift } = await as(seller, "get_till()");
    await as(seller, "close_till($1, 140)", shift.id);
    expect(await sell(seller, { general: 2 }, { key })).toMatchObject({ replayed: true });
    expect(await refusal(sell(seller, { general: 2 }))).toEqual({
      code: "PT409",
      message: "Your till is closed. Open it to sell.",
    });
  });

  it("is found again after the seller's role or session ended, and not by anybody else", async () => {
    const seller = await newSeller();
    const key = randomUUID();
    const { order_id } = await sell(seller, { general: 1 }, { key });
    const again = [
      "sell_at_door($1, $2, 'cash', $3)",
      key,
      JSON.stringify(linesOf({ general: 1 })),
      await centsOf({ general: 1 }),
    ] as const;
    const ended = { sub: seller, session_id: randomUUID() };
    expect(await asOf(ended, ...again)).toMatchObject({ order_id, replayed: true });
    const other = await newPerson("user");
    expect(await refusal(as(other, ...again))).toMatchObject({ code: "42501" });
    await sql("update public.user_roles set expires_at = now() where user_id = $1", seller);
    expect(await as(seller, ...again)).toMatchObject({ order_id, replayed: true });
    expect(await refusal(sell(seller, { general: 1 })), "nothing new").toMatchObject({ code: "42501" });
  });

  it("is refused once the festival is cancelled, but an earlier sale is found and voided", async () => {
    const seller = await newSeller();
    const key = randomUUID();
    const { order_id } = await sell(seller, { general: 1 }, { key });
    await sql("update public.festival set status = 'cancelled'");
    try {
      const message = "The festival is canceled. No tickets are sold, given away or transferred.";
      expect(await refusal(sell(seller, { general: 1 }))).toEqual({ code: "23514", message });
      expect(await sell(seller, { general: 1 }, { key })).toMatchObject({ replayed: true });
      const voiding = randomUUID();
      for (const time of ["first", "again, after a lost answer"]) {
        expect(await as(admin, "void_door_sale($1, 'Rain', $2)", order_id, voiding), time).toMatchObject({
          method: "cash",
        });
      }
      expect(await refusal(as(admin, "void_door_sale($1, 'Rain')", order_id))).toMatchObject({
        code: "PT409",
      });
    } finally {
      await sql("update public.festival set status = 'planned'");
      await sql("update public.shop_settings set on_sale = true");
    }
  });

  it("reports what is wrong: paused, over, gone, too many, another price, unknown item", async () => {
    const seller = await newSeller();
    const said = async (attempt: Promise<unknown>) => (await refusal(attempt)).message;
    expect(await said(sell(seller, { general: 21 }))).toBe("Limit: 20 per sale. Split it into two sales.");
    expect(await said(sell(seller, { general: 1 }, { cents: 4400 }))).toBe(
      "The price has changed: the total is now $45.00.",
    );
    expect(await said(sell(seller, {}, { cents: 0 }))).toBe(
      "Choose what to sell: whole numbers of at least 1.",
    );
    expect(await said(sell(seller, { general: 1 }, { method: "cheque" }))).toBe(
      "A door sale needs a key and is paid in cash or by card.",
    );
    const line = JSON.stringify([{ type: "ticket", id: randomUUID(), quantity: 1 }]);
    expect(await said(as(seller, "sell_at_door($1, $2, 'cash', 100)", randomUUID(), line))).toBe(
      "One of the items is no longer for sale.",
    );
    const whole = JSON.stringify(linesOf({ general: 1 })).replace('"quantity":1', '"quantity":1.0');
    expect(await said(as(seller, "sell_at_door($1, $2, 'cash', 4500)", randomUUID(), whole))).toBe("done");
    for (const quantity of [0, -1, 1.5, "2"]) {
      const bad = JSON.stringify([{ ...items.general, quantity }]);
      expect(await said(as(seller, "sell_at_door($1, $2, 'cash', 100)", randomUUID(), bad))).toBe(
        "Choose what to sell: whole numbers of at least 1.",
      );
    }
    await sql("update public.ticket_types set on_sale = false where id = $1", items.vip.id);
    expect(await said(sell(seller, { vip: 1 }))).toBe("VIP is not on sale at the moment.");
    await sql(
      "update public.ticket_types set on_sale = true, sale_closes_at = now() where id = $1",
      items.vip.id,
    );
    expect(await said(sell(seller, { vip: 1 }))).toBe("The sale of VIP has ended.");
    const [{ left }] = [await stock("vip")];
    await sql("update public.ticket_types set sale_closes_at = null where id = $1", items.vip.id);
    await leave("vip", 2);
    expect(await said(sell(seller, { vip: 3 }))).toBe("Only 2 left of VIP.");
    await leave("vip", 0);
    expect(await said(sell(seller, { vip: 1 }))).toBe("VIP is sold out.");
    await leave("vip", left);
    expect(await books()).toEqual([]);
  });

  it("continues while the online shop is stopped", async () => {
    const seller = await newSeller();
    await sql("update public.shop_settings set on_sale = false");
    expect(await sell(seller, { general: 1 })).toMatchObject({ replayed: false });
    await sql("update public.shop_settings set on_sale = true");
  });

  it("sells the last units once with twenty tills at work", async () => {
    const sellers = await Promise.all(Array.from({ length: 20 }, () => newSeller()));
    const [{ left }] = [await stock("general")];
    await leave("general", 25);
    const outcomes = await Promise.all(
      sellers.flatMap((seller) => [
        refusal(sell(seller, { general: 2 })),
        refusal(sell(seller, { general: 1 })),
      ]),
    );
    const sold = outcomes.filter(({ message }) => message === "done");
    const others = new Set(outcomes.map(({ message }) => message));
    others.delete("done");
    expect([...others].toSorted()).toEqual(
      ["General Admission is sold out.", "Only 1 left of General Admission."].filter((text) =>
        others.has(text),
      ),
    );
    expect(others.size).toBeGreaterThan(0);
    expect((await stock("general")).left).toBe(0);
    expect(sold.length).toBeGreaterThan(12);
    await leave("general", left);
    expect(await books()).toEqual([]);
  });
});

describe("a till", () => {
  it("is one per person, adds up cash and cards separately, and reports the difference when it is counted", async () => {
    const seller = await newSeller(100);
    expect(await as(seller, "open_till(7)"), "the open one, unchanged").toBe(
      (await as(seller, "get_till()")).shift.id,
    );
    await sell(seller, { general: 2 });
    await sell(seller, { general: 1 }, { method: "card" });
    const { order_id: mistake } = await sell(seller, { general: 1 });
    await as(admin, "void_door_sale($1, 'Wrong type')", mistake);
    const { shift, recent } = await as(seller, "get_till()");
    expect(shift).toMatchObject({
      float: 100,
      sales: 3,
      voids: 1,
      cash: 135,
      card: 45,
      cash_back: 45,
      card_back: 0,
      expected: 190,
    });
    expect(recent.map((sale: Row) => [sale.items, sale.is_void])).toEqual([
      ["1 × General Admission", true],
      ["1 × General Admission", false],
      ["2 × General Admission", false],
    ]);
    const other = await newSeller();
    expect(await refusal(as(other, "close_till($1, 190)", shift.id))).toMatchObject({ code: "PT404" });
    const closed = { expected: 190, counted: 185.5, difference: -4.5 };
    expect(await as(seller, "close_till($1, 185.50, 'Short')", shift.id)).toEqual(closed);
    expect(await as(seller, "close_till($1, 185.50)", shift.id), "a double tap").toEqual(closed);
    expect(await refusal(as(seller, "close_till($1, 200)", shift.id))).toMatchObject({ code: "PT409" });
    const report = await as(admin, "get_till_report()");
    const row = report.shifts.find(({ id }: Row) => id === shift.id);
    expect(row).toMatchObject({
      difference: -4.5,
      note: "Short",
      items: [{ name: "General Admission", units: 3, amount: 135 }],
    });
    expect(await as(admin, "get_till_report('2020-01-01', '2020-01-02')")).toEqual({ items: [], shifts: [] });
    expect(await as(seller, "open_till(0)")).not.toBe(shift.id);
  });

  it("may be closed by an administrator, and refuses invalid sums", async () => {
    const seller = await newSeller(10);
    const { shift } = await as(seller, "get_till()");
    expect(await as(admin, "close_till($1, 10)", shift.id)).toMatchObject({ difference: 0 });
    for (const call of [
      "open_till(-1)",
      "open_till(100000)",
      "open_till(null)",
      "close_till(gen_random_uuid(), -1)",
      "close_till(gen_random_uuid(), null)",
    ]) {
      expect(await refusal(as(admin, call)), call).toMatchObject({ code: "22023" });
    }
  });
});

describe("a void", () => {
  it("returns stock and money once, voids the codes, and records the reason in the audit log", async () => {
    const seller = await newSeller();
    const before = { vip: await stock("vip"), parking: await stock("parking") };
    const { order_id: order } = await sell(seller, { vip: 2 }, { method: "card" });
    await as(seller, "mail_door_sale($1, 'zoe@people.test')", order);
    expect(await refusal(as(seller, "void_door_sale($1, 'Mistake')", order))).toMatchObject({
      code: "42501",
    });
    expect(await refusal(as(admin, "void_door_sale($1, ' ')", order))).toMatchObject({ code: "22023" });
    const voids = await Promise.all(
      Array.from({ length: 4 }, () => refusal(as(admin, "void_door_sale($1, 'Mistake')", order))),
    );
    expect(voids.filter(({ message }) => message === "done")).toHaveLength(1);
    expect(voids.filter(({ message }) => message === "This door sale was already voided.")).toHaveLength(3);
    expect({ vip: await stock("vip"), parking: await stock("parking") }).toEqual(before);
    const [row] = await sql(
      `select status, cancel_reason, (select count(*)::int from public.tickets t where t.order_id = o.id and voided_at is null) as valid,
         (select count(*)::int from public.refunds where order_id = o.id) as refunds,
         (select array_agg(kind order by kind) from public.outbox where payload ->> 'order_id' = o.id::text) as work
       from public.orders o where id = $1`,
      order,
    );
    expect(row).toEqual({
      ...{ status: "cancelled", cancel_reason: "voided", valid: 0, refunds: 0 },
      work: ["order_mail", "void_mail"],
    });
    const log = await sql(
      "select new_values from public.audit_logs where record_id = $1 and new_values ? 'voided'",
      order,
    );
    expect(log).toEqual([{ new_values: { voided: 300, method: "card", reason: "Mistake" } }]);
    expect(await refusal(as(seller, "mail_door_sale($1, 'zoe@people.test')", order))).toMatchObject({
      code: "23514",
    });
    expect(await books()).toEqual([]);
  });

  it("gives back no more cash than the till holds", async () => {
    const seller = await newSeller();
    const { order_id: order } = await sell(seller, { general: 2 });
    await as(seller, "close_till($1, 140)", (await as(seller, "get_till()")).shift.id);
    await as(admin, "open_till(10)");
    expect(await refusal(as(admin, "void_door_sale($1, 'Late')", order))).toEqual({
      code: "PT409",
      message:
        "This till holds $10.00 in cash, and the sale was $90.00. Refund it from a till that holds enough.",
    });
    await as(admin, "close_till($1, 10)", (await as(admin, "get_till()")).shift.id);
    await as(admin, "open_till(90)");
    await as(admin, "void_door_sale($1, 'Late')", order);
    expect((await as(admin, "get_till()")).shift).toMatchObject({ cash_back: 90, expected: 0 });
    await as(admin, "close_till($1, 0)", (await as(admin, "get_till()")).shift.id);
  });

  it("and a sale refuse a key that another till has used", async () => {
    const [one, two] = [await newSeller(), await newSeller()];
    const key = randomUUID();
    const { order_id: order } = await sell(one, { general: 1 }, { key });
    expect(await refusal(sell(two, { general: 1 }, { key }))).toEqual({
      code: "PT409",
      message: "This key belongs to another sale. Begin a new one.",
    });
    expect(await refusal(as(admin, "void_door_sale($1, 'Late', $2)", order, key))).toEqual({
      code: "PT409",
      message: "This key belongs to another payment. Begin again.",
    });
  });

  it("of a closed till is paid from the administrator's own till, and needs one", async () => {
    const seller = await newSeller();
    const { order_id: order } = await sell(seller, { general: 1 });
    const { shift } = await as(seller, "get_till()");
    await as(seller, "close_till($1, 95)", shift.id);
    expect(await refusal(as(admin, "void_door_sale($1, 'Late')", order))).toEqual({
      code: "PT409",
      message: "The till that took this money is closed. Open your own till to pay this refund.",
    });
    await as(admin, "open_till(45)");
    await as(admin, "void_door_sale($1, 'Late')", order);
    expect((await as(admin, "get_till()")).shift).toMatchObject({ cash_back: 45, expected: 0 });
    const report = await as(admin, "get_till_report()");
    expect(report.shifts.find(({ id }: Row) => id === shift.id)).toMatchObject({ difference: 0, cash: 45 });
  });

  it("at another price than its till sells for today shows in the money by type", async () => {
    const early = await newSeller();
    const { order_id: order } = await sell(early, { general: 2 });
    await as(early, "close_till($1, 140)", (await as(early, "get_till()")).shift.id);
    const other = await newPerson("admin");
    const till = await as(other, "open_till(0)");
    await sql("update public.ticket_types set price = 50 where id = $1", items.general.id);
    await sell(other, { general: 2 });
    await as(other, "void_door_sale($1, 'Changed their mind')", order);
    await sql("update public.ticket_types set price = 45 where id = $1", items.general.id);
    const report = await as(admin, "get_till_report()");
    expect(report.shifts.find(({ id }: Row) => id === till)).toMatchObject({
      cash: 100,
      cash_back: 90,
      items: [{ name: "General Admission", units: 0, amount: 10 }],
    });
  });

  it("does not deadlock with a sale that waits for the same stock", async () => {
    const sellers = await Promise.all(Array.from({ length: 4 }, () => newSeller()));
    const orders = await Promise.all(sellers.map((seller) => sell(seller, { general: 1, parking: 1 })));
    const outcomes = await Promise.all([
      ...orders.map(({ order_id }) => refusal(as(admin, "void_door_sale($1, 'Mistake')", order_id))),
      ...sellers.map((seller) => refusal(sell(seller, { parking: 1, general: 1 }))),
    ]);
    expect(outcomes.map(({ message }) => message)).toEqual(outcomes.map(() => "done"));
    expect(await books()).toEqual([]);
  });
});
