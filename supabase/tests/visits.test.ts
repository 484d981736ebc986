// Visits are written by strangers: limits on what they can store, and on how they can distort the dashboard.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
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
  const routes = readFileSync(new URL("../../site/src/app/routes.ts", import.meta.url), "utf8");
  const pages = Array.from(
    routes.split(/route\("(?:admin|gate)"/)[0]!.matchAll(/route\("([^"*]+)"/g),
    ([, path]) => `/${path}`,
  );
  expect(pages).toContain("/tickets");
  for (const page of ["/", ...pages]) {
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

it("limits what one address can write, whatever session it names, and admits others", async () => {
  expect(await record(1001, from("203.0.113.2"))).toBe("PT429");
  expect(await record(1000, from("203.0.113.2"))).toBe("recorded");
  expect(await record(1, from("203.0.113.2", "session-of-ben"))).toBe("PT429");
  expect(await record(1, from("203.0.113.3"))).toBe("recorded");
  await office.sql("select public.roll_up()");
  expect(await record(1, from("203.0.113.2", "session-of-ben"))).toBe("recorded");
  await office.sql("update public.visit_sources set visits = 20000 where source = 'address 203.0.113.2'");
  expect(await record(1, from("203.0.113.2", "session-of-ben"))).toBe("PT429");
});

it("limits what one session can write, and counts an IPv6 network as one address", async () => {
  expect(await record(600, from("2001:db8:1:2::1", "session-of-cleo"))).toBe("recorded");
  await office.sql("select public.roll_up()");
  expect(await record(1, from("2001:db8:1:2::2", "session-of-cleo"))).toBe("PT429");
  expect(await record(1, from("2001:db8:1:2::2", "session-of-dora"))).toBe("recorded");
  await office.sql("select public.roll_up()");
  expect(
    await office.sql("select visits from public.visit_sources where source = 'address 2001:db8:1:2::'"),
  ).toEqual([{ visits: 601 }]);
  expect(await record(1, from("not:an:address", "session-of-emma"))).toBe("recorded");
});

it("deletes old visits", async () => {
  await office.sql("alter table public.site_visits disable trigger site_visits_touch");
  await office.sql(
    "update public.site_visits set updated_at = now() - interval '91 days' where page_path = '/tickets'",
  );
  await office.sql("alter table public.site_visits enable trigger site_visits_touch");
  await office.sql("update public.visit_sources set hour = hour - interval '4 hours'");
  const before = await count("true");
  await office.sql("select public.clean_up()");
  expect(await count("true")).toBe(before - 1);
  expect(await office.sql("select from public.visit_sources")).toEqual([]);
});
