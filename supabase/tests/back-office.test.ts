// What the back office's rules guarantee on every path: audit by trigger, bounds, the last administrator, exact sums, stable pages.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cloneDatabase, type TestDatabase } from "../../server/testing/database.ts";
import { wellWithinAnHour } from "./hour.ts";
import { openOffice, type Office } from "./office.ts";

let db: TestDatabase;
let office: Office;
beforeAll(async () => {
  await wellWithinAnHour();
  db = await cloneDatabase();
  office = await openOffice(db);
});
afterAll(() => db?.close());

const answer = async (statement: string) =>
  Object.values((await office.as("admin", `select ${statement}`))[0] ?? {})[0];
const message = (statement: string) =>
  office.as("admin", statement).then(
    () => "done",
    (error: Error) => error.message,
  );

describe("the audit log", () => {
  const headers = { "x-forwarded-for": "6.6.6.6, 203.0.113.7", "user-agent": "Test Browser" };
  const newest = async () =>
    (await office.sql("select * from public.audit_logs order by created_at desc, id limit 1"))[0];

  it("has before, after, address and browser of an edit", async () => {
    await office.as("admin", "update public.ticket_types set price = 151 where name = 'VIP'", [], headers);
    expect(await newest()).toMatchObject({
      admin_user_id: office.admin,
      action_type: "UPDATE",
      table_name: "products",
      old_values: { price: 150 },
      new_values: { price: 151 },
      ip_address: "203.0.113.7",
      user_agent: "Test Browser",
    });
  });

  it("trusts the platform's header over a list that the client started", async () => {
    const viaProxy = { ...headers, "cf-connecting-ip": "2001:db8::7" };
    await office.as("admin", "update public.ticket_types set price = 150 where name = 'VIP'", [], viaProxy);
    expect(await newest()).toMatchObject({ new_values: { price: 150 }, ip_address: "2001:db8::7" });
  });

  it("ignores a sale, which is not an edit", async () => {
    const count = async () =>
      (
        await office.sql("select count(*)::int as n from public.audit_logs where table_name = 'ticket_types'")
      )[0]?.n;
    const before = await count();
    await office.sql(
      "update public.ticket_types set current_inventory = current_inventory - 1, held = held + 1 where name = 'VIP'",
    );
    expect(await count()).toBe(before);
  });

  it("refuses an entry that is too long", async () => {
    expect(await message(`select public.log_admin_action(repeat('x', 101), 'orders')`)).toBe(
      "The action is too long to be logged.",
    );
  });
});

describe("an inventory edit", () => {
  it.each([
    ["price = -1", "Price must be at least $0.00."],
    ["price = 0.01", "Price must be $0.00 (free) or at least $0.50, the minimum card charge."],
    ["price = 0.49", "Price must be $0.00 (free) or at least $0.50, the minimum card charge."],
    ["price = 100000", "Price can be at most $99,999.99."],
    ["price = 'NaN'", "Price can be at most $99,999.99."],
    ["price = 0", "done"],
    ["price = 0.50", "done"],
    ["current_inventory = -1", "Available cannot be below 0: 499 are available, and this removes 500."],
    ["total_inventory = -1", "Available and total cannot be below 0."],
    ["total_inventory = 0", "Total must be at least 1: that many are sold or held."],
    ["current_inventory = 501", "Available can be at most 499: total minus sold and held."],
    ["price = 99999.99, current_inventory = 0", "done"],
  ])("%s: %s", async (change, said) => {
    expect(await message(`update public.ticket_types set ${change} where name = 'VIP'`)).toBe(said);
  });

  it("increments the version each time, and a sale does not", async () => {
    const version = async () =>
      (await office.sql("select version from public.parking_passes where type_name = 'Preferred Parking'"))[0]
        ?.version;
    const before = await version();
    await office.as(
      "admin",
      "update public.parking_passes set price = 61 where type_name = 'Preferred Parking'",
    );
    await office.sql(
      "update public.parking_passes set current_inventory = current_inventory - 1, held = held + 1 where type_name = 'Preferred Parking'",
    );
    expect(await version()).toBe(before + 1);
  });
});

it("keeps the last administrator, even when two demote each other", async () => {
  const own = await cloneDatabase();
  const two = await openOffice(own);
  const admins = (
    await two.sql<{ user_id: string }>("select user_id from public.user_roles where role = 'admin'")
  ).map(({ user_id }) => user_id);
  expect(admins).toHaveLength(2);
  const outcomes = await Promise.allSettled(
    admins.map((id) => two.sql("update public.user_roles set role = 'user' where user_id = $1", id)),
  );
  expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  await expect(two.sql("delete from public.user_roles where role = 'admin'")).rejects.toThrow(
    "The last administrator cannot be demoted or removed.",
  );
  // If it moved to another account, the role would silently leave the last administrator.
  const [other] = await two.sql<{ id: string }>(
    "insert into auth.users (id, email, banned_until) values (gen_random_uuid(), 'banned@people.test', now() + interval '1 day') returning id",
  );
  await expect(
    two.sql("update public.user_roles set user_id = $1 where role = 'admin'", other!.id),
  ).rejects.toThrow("A role can't move to another account.");
  // A softly deleted user keeps the row but is no longer an administrator.
  await two.sql("update public.user_roles set role = 'admin' where user_id = any ($1)", admins);
  await two.sql("update auth.users set deleted_at = now() where id = $1", admins[0]);
  await expect(
    two.sql("update public.user_roles set role = 'user' where user_id = $1", admins[1]),
  ).rejects.toThrow("The last administrator cannot be demoted or removed.");
  await own.close();
});

it("mails a vendor each decision once", async () => {
  const mails = async () =>
    (
      await office.sql(
        "select payload ->> 'status' as status from public.outbox where kind = 'vendor_decision_mail' order by id",
      )
    ).map(({ status }) => status);
  const decide = async (...decisions: string[]) => {
    for (const status of decisions) {
      await office.as("admin", `update public.vendor_applications set status = '${status}'`);
    }
  };
  const send = async () => {
    await office.sql("update public.outbox set next_attempt_at = now() where kind = 'vendor_decision_mail'");
    await office.sql("select public.complete_outbox(array(select id from public.claim_outbox(100)))");
  };
  await decide("under_review", "approved", "approved", "under_review");
  expect(await mails(), "taken back in time").toEqual([]);
  await decide("approved");
  const [waiting] = await office.sql(
    "select next_attempt_at > now() + interval '10 seconds' as later from public.outbox where kind = 'vendor_decision_mail'",
  );
  expect(waiting).toEqual({ later: true });
  await send();
  await decide("rejected", "approved");
  expect(await mails(), "approved again before the vendor heard of anything else").toEqual(["approved"]);
  await decide("rejected");
  await send();
  await decide("pending_review");
  expect(await mails()).toEqual(["approved", "rejected"]);
});

describe("the sums of the dashboard", () => {
  const sums = async () => {
    const overview = (await answer("public.get_sales_overview()")) as {
      total_revenue: number;
      total_tickets: number;
    };
    const [counted] =
      await office.sql(`select coalesce(sum(i.unit_price), 0)::float as revenue, count(*)::int as tickets
      from public.tickets t join public.order_items i on i.id = t.order_item_id join public.orders o on o.id = t.order_id
      where t.voided_at is null and o.status in ('confirmed', 'completed')`);
    return {
      overview: [overview.total_revenue, overview.total_tickets],
      counted: [counted?.revenue, counted?.tickets],
    };
  };

  it("equal a count of every ticket, through sale and refund", async () => {
    const sold = await sums();
    expect(sold.overview).toEqual([45, 1]);
    expect(sold.overview).toEqual(sold.counted);
    expect(await answer(`public.refund_order('${office.order}')`)).toEqual({ refunded_cents: 4500 });
    const refunded = await sums();
    expect(refunded.overview).toEqual([0, 0]);
    expect(refunded.counted).toEqual([0, 0]);
    const [type] = await office.sql(
      "select sold, current_inventory + held as rest, total_inventory from public.ticket_types where name = 'General Admission'",
    );
    expect(type).toMatchObject({ sold: 0, rest: type?.total_inventory });
  });

  it("refuse a second refund", async () => {
    expect(await message(`select public.refund_order('${office.order}')`)).toBe(
      "Only a paid order can be refunded.",
    );
  });

  it("count visits, visitors and those online", async () => {
    const insert = "insert into public.site_visits (session_id, page_path) values ($1, $2)";
    for (const [session, path] of [
      ["session-1", "/faq?from=mail"],
      ["session-1", "/Map/"],
      ["session-2", "/faq"],
    ] as const) {
      await office.sql(insert, session, path);
    }
    await office.sql("alter table public.site_visits disable trigger site_visits_touch");
    await office.sql(
      "update public.site_visits set updated_at = now() - interval '61 s' where session_id = 'session-2'",
    );
    await office.sql("alter table public.site_visits enable trigger site_visits_touch");
    // The office itself left two visits of "/", one of them rolled up.
    const expected = {
      current_online: 3,
      visits_today: 5,
      unique_visitors_today: 4,
      popular_pages: [
        { page: "/", visits: 2 },
        { page: "/faq", visits: 2 },
        { page: "/map", visits: 1 },
      ],
    };
    const before = (await answer("public.get_realtime_visit_stats()")) as {
      hourly_traffic: { hour: string; visits: number }[];
    };
    expect(before).toMatchObject(expected);
    // All 24 hours, latest first, including hours without visits. One may have ended since the office was opened.
    const [latest, last, ...earlier] = before.hourly_traffic.map(({ visits }) => visits);
    expect(latest! + last!).toBe(5);
    expect(earlier).toEqual(Array(22).fill(0));
    const hours = before.hourly_traffic.map(({ hour }) => Date.parse(hour) / 3_600_000);
    expect(hours.map((hour) => hours[0]! - hour)).toEqual(Array.from({ length: 24 }, (_, ago) => ago));
    await office.sql(insert, "session-2", "/map");
    expect(await answer("public.get_realtime_visit_stats()")).toMatchObject({
      visits_today: 6,
      unique_visitors_today: 4,
    });
  });
});

it("rates the system by failed orders, errors and stock", async () => {
  const status = async () =>
    ((await answer("public.get_system_health()")) as { system_status: string }).system_status;
  await office.sql("update public.ticket_types set current_inventory = total_inventory - held - sold");
  await office.sql("update public.parking_passes set current_inventory = total_inventory - held - sold");
  expect(await status()).toBe("healthy");
  // A browser's failed read is logged, but does not count as an error of the shop.
  await office.sql(
    "insert into public.audit_logs (action_type) select 'FETCH_ERROR_ORDERS' from generate_series(1, 20)",
  );
  expect(await status()).toBe("healthy");
  const unfulfillable = (orders: number) =>
    office.sql(
      `insert into public.orders (user_id, status, cancel_reason, cancelled_at, total_amount, buyer_full_name, buyer_email,
         buyer_phone_number, attendees, ticket_count, idempotency_key, request_hash)
       select user_id, 'cancelled', 'unfulfillable', now(), 45, 'Ana', 'ana@people.test', '713-555-0100', attendees, ticket_count,
         gen_random_uuid(), request_hash
       from public.orders, generate_series(1, $2) where id = $1`,
      office.order,
      orders,
    );
  await office.sql(
    "insert into public.audit_logs (action_type) select 'CRITICAL_TEST' from generate_series(1, 11)",
  );
  expect(await status()).toBe("critical");
  await office.sql("delete from public.audit_logs where action_type = 'CRITICAL_TEST'");
  const health = () => answer("public.get_system_health()");
  const declined = (cards: number) =>
    office.sql(
      "insert into public.card_declines select gen_random_uuid(), $1, now() from generate_series(1, $2)",
      office.order,
      cards,
    );
  await declined(10);
  expect(await health(), "declined cards").toMatchObject({ failed_orders: 0, unusual_declines: 0 });
  expect(await status()).toBe("healthy");
  await declined(10);
  expect(await health(), "more declines than sales").toMatchObject({
    failed_orders: 0,
    unusual_declines: 20,
  });
  expect(await status()).toBe("warning");
  const sold = await office.sql(
    `insert into public.orders (user_id, status, confirmed_at, total_amount, buyer_full_name, buyer_email, buyer_phone_number,
       attendees, ticket_count, idempotency_key, request_hash)
     select user_id, 'confirmed', now(), 45, 'Ana', 'ana@people.test', '713-555-0100', attendees, ticket_count,
       gen_random_uuid(), request_hash
     from public.orders, generate_series(1, 20) where id = $1 returning id`,
    office.order,
  );
  expect(await health(), "as many sales").toMatchObject({ unusual_declines: 0 });
  await office.sql(
    "delete from public.orders where id = any ($1)",
    sold.map(({ id }) => id),
  );
  await unfulfillable(6);
  expect(await health()).toMatchObject({ failed_orders: 6, system_status: "critical" });
  const open = async () =>
    ((await answer("public.get_recent_orders(100, 0, 'attention')")) as { orders: { id: string }[] }).orders;
  const [handled, ...rest] = await open();
  expect(rest).toHaveLength(5);
  await answer(`public.acknowledge_order('${office.order}')`);
  await answer(`public.acknowledge_order('${handled!.id}')`);
  await answer(`public.acknowledge_order('${handled!.id}')`);
  expect(await open()).toEqual(rest);
  expect(await health()).toMatchObject({ failed_orders: 5, system_status: "warning" });
  expect(
    await office.sql(
      "select record_id, admin_user_id from public.audit_logs where new_values ? 'acknowledged'",
    ),
  ).toEqual([{ record_id: handled!.id, admin_user_id: office.admin }]);
});
