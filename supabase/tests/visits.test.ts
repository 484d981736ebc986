// Visits are written by strangers: limits on what they can store, and on how they can distort the dashboard.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cloneDatabase, type TestDatabase } from "../../server/testing/database.ts";
import { personalPaths, publicPaths } from "../../site/src/app/pages.ts";
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

const from = (address: string, session = "session-of-ana") => ({
  "x-visit-session": session,
  "x-forwarded-for": address,
});
const record = (rows: number, headers: Record<string, string>, path = "/") =>
  office
    .as(
      "anon",
      `insert into public.site_visits (session_id, page_path, referrer, user_agent)
         select $1, $2, repeat('r', 5000), repeat('u', 5000) from generate_series(1, $3)`,
      [headers["x-visit-session"], path, rows],
      headers,
    )
    .then(
      () => "recorded",
      (error: { code?: string }) => error.code,
    );
const count = async (condition: string) =>
  (await office.sql(`select count(*)::int as n from public.site_visits where ${condition}`))[0]?.n;

it("knows every page of the site, and counts anything else as one page", async () => {
  for (const page of [...publicPaths, ...personalPaths]) {
    expect(
      (await office.sql("select public.site_page($1) as page", page))[0]?.page,
      "add it to site_page",
    ).toBe(page);
  }
  await record(1, from("203.0.113.1"), "/buy-my-pills");
  await record(1, from("203.0.113.1"), "/TICKETS/?x=1#y");
  expect(await count("page_path = '/buy-my-pills'")).toBe(0);
  expect(await count("page_path = '/not-found'")).toBe(1);
  expect(await count("page_path = '/tickets'")).toBe(1);
});

it("truncates long values instead of refusing them", async () => {
  expect(await count("length(referrer) > 300 or length(user_agent) > 300")).toBe(0);
  expect(await count("length(referrer) = 300 and length(user_agent) = 300")).toBe(2);
});

it("records the paths of the back office without their numbers, and keeps them out of the figures of visitors", async () => {
  const figures = async () => {
    const [row] = await office.as<{ stats: { visits_today: number } }>(
      "admin",
      "select public.get_realtime_visit_stats() as stats",
    );
    return row!.stats;
  };
  const before = await figures();
  const worker = from("203.0.113.7", "session-of-the-office");
  const paths = ["/admin", "/admin/orders/0b9c?tab=1", "/admin/money/refunds/7/", "/admin/promo-codes"];
  for (const path of paths) expect(await record(1, worker, path)).toBe("recorded");
  expect(
    await office.sql(
      "select page_path as p from public.site_visits where session_id = 'session-of-the-office' order by 1",
    ),
  ).toEqual(
    ["/admin", "/admin/money/refunds/:id", "/admin/orders/:id", "/admin/promo-codes"].map((p) => ({ p })),
  );
  expect(await figures()).toEqual(before);
  expect(
    await office.sql("select visits from public.visit_sources where source = 'address 203.0.113.7'"),
  ).toEqual([{ visits: paths.length }]);
  await record(1, worker, "/administration");
  expect((await figures()).visits_today).toBe(before.visits_today + 1);
});

it("limits what one address can write in an hour, whatever session it names, and admits others", async () => {
  expect(await record(1, from("203.0.113.2"))).toBe("recorded");
  await office.sql("update public.visit_sources set visits = 19999 where source = 'address 203.0.113.2'");
  expect(await record(2, from("203.0.113.2", "session-of-ben"))).toBe("PT429");
  expect(await record(1, from("203.0.113.2", "session-of-ben"))).toBe("recorded");
  expect(await record(1, from("203.0.113.2", "session-of-cem"))).toBe("PT429");
  expect(await record(1, from("203.0.113.3"))).toBe("recorded");
});

it("limits what one session can write, and counts an IPv6 network as one address", async () => {
  expect(await record(601, from("2001:db8:1:2::1", "session-of-cleo"))).toBe("PT429");
  expect(await record(600, from("2001:db8:1:2::1", "session-of-cleo"))).toBe("recorded");
  expect(await record(1, from("2001:db8:1:2::2", "session-of-cleo"))).toBe("PT429");
  expect(await record(1, from("2001:db8:1:2::2", "session-of-dora"))).toBe("recorded");
  expect(
    await office.sql("select visits from public.visit_sources where source = 'address 2001:db8:1:2::'"),
  ).toEqual([{ visits: 601 }]);
  expect(await record(1, from("not:an:address", "session-of-emma"))).toBe("recorded");
});

describe("the duration of a visit", () => {
  const fay = from("203.0.113.9", "session-of-fay");
  const report = (seconds: number, headers = fay) =>
    office
      .as("anon", "update public.site_visits set visit_duration = $1 returning id", [seconds], headers)
      .then(
        (rows) => rows.length,
        (error: { code?: string }) => error.code,
      );
  const source = (name: string) =>
    office.sql("select visits from public.visit_sources where source = $1", name);

  it("is written for at most fifty visits per statement, and only if it changed", async () => {
    expect(await record(60, fay)).toBe("recorded");
    expect(await report(30)).toBe(50);
    expect(await report(30)).toBe(10);
    expect(await report(30)).toBe(0);
    const written = await office.sql(
      "select count(distinct xmin::text)::int as n from public.site_visits where session_id = 'session-of-fay'",
    );
    expect(written).toEqual([{ n: 2 }]);
  });

  it("counts for address and session, separately from the visits", async () => {
    expect(await report(40)).toBe(50);
    expect(await source("updates of address 203.0.113.9")).toEqual([{ visits: 110 }]);
    expect(await source("updates of session session-of-fay")).toEqual([{ visits: 110 }]);
    expect(await source("session session-of-fay")).toEqual([{ visits: 60 }]);
  });

  it.each([
    ["session", "updates of session session-of-fay", 600],
    ["address", "updates of address 203.0.113.9", 60_000],
  ])("is refused beyond the hourly limit of one %s, before anything is written", async (_, name, most) => {
    const [counted] = await source(name);
    await office.sql("update public.visit_sources set visits = $2 where source = $1", name, most);
    expect(await report(50)).toBe("PT429");
    expect(await count("visit_duration = 50")).toBe(0);
    await office.sql("update public.visit_sources set visits = $2 where source = $1", name, counted!.visits);
    expect(await report(50)).toBe(50);
    await office.sql("update public.site_visits set visit_duration = 40 where session_id = 'session-of-fay'");
  });

  it("is limited through record_visits too", async () => {
    const limit =
      "update public.visit_sources set visits = $1 where source = 'updates of address 203.0.113.9'";
    await office.sql(limit, 60_000);
    const known = await office.sql(
      "select id from public.site_visits where session_id = 'session-of-fay' limit 1",
    );
    const visits = JSON.stringify([{ ...known[0], page_path: "/", visit_duration: 60 }]);
    await expect(office.as("anon", "select public.record_visits($1)", [visits], fay)).rejects.toThrow(
      "Too many visits",
    );
    await office.sql(limit, 0);
    await office.as("anon", "select public.record_visits($1)", [visits], fay);
    expect(await count("visit_duration = 60")).toBe(1);
  });
});

it("forgets a deleted account, although the duration stays the same", async () => {
  const [user] = await office.sql<{ id: string }>(
    "insert into auth.users (id, email) values (gen_random_uuid(), 'leaving@people.test') returning id",
  );
  await office.sql(
    "insert into public.site_visits (session_id, page_path, user_id) values ('session-of-guy', '/', $1)",
    user!.id,
  );
  await office.sql("delete from auth.users where id = $1", user!.id);
  expect(await count("session_id = 'session-of-guy' and user_id is null")).toBe(1);
});

it("deletes visits 90 days after they began, even if they were updated since", async () => {
  await office.sql(
    "update public.site_visits set created_at = now() - interval '91 days' where page_path = '/tickets'",
  );
  expect(await count("page_path = '/tickets' and updated_at > now() - interval '1 day'")).toBe(1);
  await office.sql("update public.visit_sources set hour = hour - interval '4 hours'");
  const before = await count("true");
  await office.sql("select public.clean_up()");
  expect(await count("true")).toBe(before - 1);
  expect(await office.sql("select from public.visit_sources")).toEqual([]);
});
