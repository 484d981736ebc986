// The back office's lists: pages that stay stable while rows arrive, searches that are taken literally, and counts that report
// their limits.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cloneDatabase, type TestDatabase } from "../../server/testing/database.ts";
import { openOffice, type Office } from "./office.ts";

let db: TestDatabase;
let office: Office;
beforeAll(async () => {
  db = await cloneDatabase();
  office = await openOffice(db);
});
afterAll(() => db?.close());

interface List {
  rows: Record<string, unknown>[];
  total_count: number;
  total_is_exact: boolean;
}

async function ask<T>(call: string, ...values: unknown[]): Promise<T> {
  const [row] = await office.as<{ answer: T }>("admin", `select public.${call} as answer`, values);
  return row!.answer;
}

/** How each list is called, and how its rows are created: a minute apart, several at one moment, and one now. */
const lists = [
  {
    name: "get_recent_orders",
    call: "get_recent_orders(10, 0, null, $1, $2)",
    rows: "orders",
    time: "created_at",
    insert: `insert into public.orders (status, total_amount, buyer_full_name, buyer_email, buyer_phone_number,
      hold_expires_at, created_at) select 'pending', 1, 'P', 'p@people.test', '713-555-0100', now() + interval '1 hour', at from`,
  },
  {
    name: "list_users",
    call: "list_users(null, null, 10, $1, $2)",
    rows: "rows",
    time: "created_at",
    insert: `insert into auth.users (id, email, created_at) select gen_random_uuid(), gen_random_uuid() || '@x.test', at from`,
  },
  {
    name: "list_audit_logs",
    call: "list_audit_logs(null, null, 10, $1, $2)",
    rows: "rows",
    time: "created_at",
    insert: "insert into public.audit_logs (action_type, created_at) select 'UPDATE', at from",
  },
  {
    name: "list_vendor_applications",
    call: "list_vendor_applications(null, null, 10, $1, $2)",
    rows: "rows",
    time: "submission_date",
    insert: `insert into public.vendor_applications (booth_name, contact_name, contact_email, contact_phone, vendor_type,
      description, products, description_of_goods, submission_date) select 'B', 'C', 'c@people.test', '713-555-0100', 'food', '', '',
      '', at from`,
  },
  {
    name: "list_sponsor_inquiries",
    call: "list_sponsor_inquiries(10, $1, $2)",
    rows: "rows",
    time: "created_at",
    insert: `insert into public.sponsor_inquiries (company_name, contact_name, email, phone, created_at)
      select 'B', 'C', 'c@people.test', '713-555-0100', at from`,
  },
  {
    name: "list_messages",
    call: "list_messages(null, 10, $1, $2)",
    rows: "rows",
    time: "created_at",
    insert:
      "insert into public.messages (subject, body, audience, created_at) select 'S', 'B', '{}', at from",
  },
] as const;

describe.each(lists)("$name", ({ name, call, rows, time, insert }) => {
  it("shows each row once, newest first, while others arrive", async () => {
    const past =
      "(select now() - make_interval(mins => n / 4) as at from generate_series(4, 38) as n) as past";
    await office.sql(`${insert} ${past}`);
    const total = (await ask<List>(call, null, null)).total_count;
    const seen: Record<string, unknown>[] = [];
    for (let last: Record<string, unknown> | undefined; ;) {
      const page = (await ask<Record<string, Record<string, unknown>[]>>(call, last?.[time], last?.id))[
        rows
      ]!;
      seen.push(...page);
      last = page.at(-1);
      if (page.length < 10) break;
      await office.sql(`${insert} (select now() + interval '1 s' as at) as later`);
    }
    expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
    expect(seen.length).toBe(total);
    const times = seen.map((row) => String(row[time]));
    expect(times).toEqual(times.toSorted().toReversed());
  });

  it("reads a page by its number alone, and counts all rows even beyond the last page", async () => {
    const pageAt = async (offset: number) => {
      const page = await ask<List & Record<string, { id: string }[]>>(
        `${name}(page_size => 10, page_offset => $1)`,
        offset,
      );
      return { ids: page[rows]!.map(({ id }) => id), total: page.total_count };
    };
    const [first, second, ahead, beyond] = [
      await pageAt(0),
      await pageAt(10),
      await pageAt(5),
      await pageAt(1_000_000),
    ];
    expect(ahead.ids).toEqual([...first.ids.slice(5), ...second.ids.slice(0, 5)]);
    expect(beyond).toEqual({ ids: [], total: first.total });
  });
});

it("counts orders by status as they change, rolled up or not", async () => {
  const counted = async () => {
    const statuses = [null, "pending", "confirmed", "completed", "cancelled"];
    return Promise.all(
      statuses.map(
        async (status) =>
          (await ask<{ total_count: number }>("get_recent_orders(1, 0, $1)", status)).total_count,
      ),
    );
  };
  const actual = async () => {
    const [row] = await office.sql(
      `select array[count(*)::int, ${["pending", "confirmed", "completed", "cancelled"]
        .map((status) => `count(*) filter (where status = '${status}')::int`)
        .join(", ")}] as counts from public.orders`,
    );
    return row?.counts as number[];
  };
  expect(await counted()).toEqual(await actual());
  await office.sql("update public.tickets set checked_in_at = now() where order_id = $1", office.order);
  await office.as("admin", `select public.cancel_order('${office.pending}')`);
  const moved = await actual();
  expect(moved.slice(3)).toEqual([1, 1]);
  expect(await counted()).toEqual(moved);
  const health = await ask<{ orders_today: number; pending_orders: number }>("get_system_health()");
  // If Houston's midnight has just passed, orders from some minutes ago are yesterday's.
  const [today] = await office.sql(
    "select count(*)::int as orders from public.orders where public.festival_day(created_at) = public.festival_day(now())",
  );
  expect([health.orders_today, health.pending_orders]).toEqual([today!.orders, moved[1]]);
  await office.sql("delete from public.orders where buyer_full_name = 'P'");
  expect(await counted()).toEqual(await actual());
});

it("searches literally, whatever the search contains", async () => {
  await office.sql(
    "update public.vendor_applications set booth_name = '100%_\\Oak' where booth_name = 'Booth'",
  );
  const found = async (list: string, search: string) => (await ask<List>(`${list}($1)`, search)).total_count;
  expect(await found("list_users", office.buyer.toUpperCase())).toBe(1);
  expect(await found("list_users", `  ${office.buyer} `)).toBe(1);
  expect(await found("list_users", "%")).toBe(0);
  expect(await found("list_users", "_")).toBe(0);
  for (const search of ["100%_\\oak", "%_", "_\\", "\\"]) {
    expect(await found("list_vendor_applications", search), search).toBe(1);
  }
  expect(await found("list_vendor_applications", "1_0")).toBe(0);
  expect(await found("list_audit_logs", "UP_ATE")).toBe(0);
});

it("finds vendors and sponsors however their names are typed", async () => {
  await office.sql(
    `insert into public.vendor_applications (booth_name, contact_name, contact_email, contact_phone, vendor_type, description, products, description_of_goods)
      values ('Café O’Neal', 'Łukasz Żółć', 'ania@pierogi.test', '713-555-0100', 'food', 'd', 'p', 'g')`,
  );
  await office.sql(
    "insert into public.sponsor_inquiries (company_name, contact_name, email, phone) values ('Café O’Neal', 'Łukasz Żółć', 'ania@pierogi.test', '713-555-0100')",
  );
  for (const search of ["lukasz", "ŁUKASZ", "łukasz zolc", "cafe o'neal", "Café O’N", "Ania@Pierogi"]) {
    for (const list of ["list_vendor_applications($1)", "list_sponsor_inquiries(10, null, null, $1)"]) {
      const { rows } = await ask<List>(list, search);
      expect(
        rows.map(({ contact_name }) => contact_name),
        `${list}, ${search}`,
      ).toEqual(["Łukasz Żółć"]);
    }
  }
  await office.sql("delete from public.vendor_applications where contact_name = 'Łukasz Żółć'");
  await office.sql("delete from public.sponsor_inquiries where contact_name = 'Łukasz Żółć'");
});

it("finds sponsors by company, contact and email", async () => {
  await office.sql(
    "insert into public.sponsor_inquiries (company_name, contact_name, email, phone) values ('Gulf Bank', 'Bo Wu', 'bo@gulf.test', '713-555-0100')",
  );
  for (const search of ["gulf b", "WU", "bo@gulf.test"]) {
    const list = await ask<List>("list_sponsor_inquiries(10, null, null, $1)", search);
    expect(
      list.rows.map(({ company_name }) => company_name),
      search,
    ).toEqual(["Gulf Bank"]);
  }
  expect((await ask<List>("list_sponsor_inquiries(10, null, null, '_')")).rows).toEqual([]);
});

it("names the record of an audit entry", async () => {
  await office.as("admin", `update public.user_roles set role = 'admin' where user_id = '${office.buyer}'`);
  await office.as("admin", "update public.ticket_types set price = 46 where name = 'General Admission'");
  await office.as("admin", "update public.vendor_applications set status = 'under_review'");
  await office.as("admin", `select public.resend_order_mail('${office.order}')`);
  const names = async (table: string) =>
    (await ask<List>("list_audit_logs($1)", table)).rows.map(({ record_name }) => record_name);
  expect((await names("user_roles"))[0]).toBe(`${office.buyer}@people.test`);
  expect((await names("products"))[0]).toBe("General Admission");
  expect(await names("vendor_applications")).toContain("B");
  expect((await names("orders"))[0]).toBe(`Order #${office.order.slice(0, 8)}`);
  await office.as("admin", `update public.user_roles set role = 'user' where user_id = '${office.buyer}'`);
  await office.as("admin", "update public.vendor_applications set status = 'pending_review'");
  await office.as("admin", "update public.ticket_types set price = 45 where name = 'General Admission'");
});

it("filters users by role, and counts them with and without a search", async () => {
  const count = async (search: string | null, role: string | null) => {
    const list = await ask<List>("list_users($1, $2, 500)", search, role);
    expect(list.rows.length).toBe(list.total_count);
    return list.total_count;
  };
  for (const search of [null, "@"]) {
    const [all, none, user, admin] = [
      await count(search, null),
      await count(search, "none"),
      await count(search, "user"),
      await count(search, "admin"),
    ];
    expect([user, admin]).toEqual([1, 2]);
    expect(none).toBe(all - 5);
  }
});

it("marks a user who was invited until they have opened their account", async () => {
  const email = "invited@staff.test";
  const invited = async () =>
    (await ask<List>("list_users($1)", email)).rows.map(({ is_invited }) => is_invited);
  await office.sql(
    "insert into auth.users (id, email, invited_at) values (gen_random_uuid(), $1, now())",
    email,
  );
  expect(await invited()).toEqual([true]);
  await office.sql("update auth.users set email_confirmed_at = now() where email = $1", email);
  expect(await invited()).toEqual([false]);
  await office.sql("delete from auth.users where email = $1", email);
  expect((await ask<List>("list_users($1)", `${office.buyer}@`)).rows).toMatchObject([{ is_invited: false }]);
});

it("finds audit entries by kind, action and table", async () => {
  await office.sql(`insert into public.audit_logs (action_type, table_name) values
    ('FETCH_ERROR_ORDERS', 'orders'), ('CRITICAL_CREATE', 'outbox'), ('insert', 'things'), ('DELETE', 'things'), ('LOGIN', null)`);
  const actions = async (search: string | null, kind: string | null) =>
    (await ask<List>("list_audit_logs($1, $2)", search, kind)).rows
      .map(({ action_type }) => action_type)
      .toSorted();
  expect(await actions(null, "Errors")).toEqual(["CRITICAL_CREATE"]);
  expect(await actions("THINGS", null)).toEqual(["DELETE", "insert"]);
  expect(await actions("things", "Create")).toEqual(["insert"]);
  expect(await actions("critical", null)).toEqual(["CRITICAL_CREATE"]);
  expect(await actions(null, "Other")).toEqual(["FETCH_ERROR_ORDERS", "LOGIN"]);
});

it("counts vendor applications by status, whatever the search", async () => {
  const list = await ask<List & { by_status: Record<string, number> }>(
    "list_vendor_applications($1, $2)",
    "no such booth",
    "approved",
  );
  expect(list.total_count).toBe(0);
  const [row] = await office.sql("select count(*)::int as n from public.vendor_applications");
  expect(list.by_status).toEqual({ pending_review: row?.n });
});

it("reports when it stopped counting", async () => {
  await office.sql(
    "insert into public.audit_logs (action_type) select 'REMARK' from generate_series(1, 10001)",
  );
  expect(await ask<List>("list_audit_logs('remark')")).toMatchObject({
    total_count: 10_000,
    total_is_exact: false,
  });
  await office.sql(
    "delete from public.audit_logs where ctid in (select ctid from public.audit_logs where action_type = 'REMARK' limit 1)",
  );
  expect(await ask<List>("list_audit_logs('remark')")).toMatchObject({
    total_count: 10_000,
    total_is_exact: true,
  });
});

// The orders' file is read by another call.
it.each(lists.filter(({ rows }) => rows === "rows"))(
  "$name gives a file all the rows that it asks for at once: one page less would end it",
  async ({ name, insert }) => {
    await office.sql(
      `${insert} (select now() - interval '1 day' as at from generate_series(1, 501)) as past`,
    );
    expect((await ask<List>(`${name}(page_size => 500)`)).rows).toHaveLength(500);
  },
);
