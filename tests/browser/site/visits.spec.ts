// The data a visitor leaves behind, whichever client of the API reports it.
import { createClient } from "@supabase/supabase-js";
import { arriveAsAdmin } from "../../support/shop/admin-arrival.ts";
import { amount, figure } from "../../support/shop/admin-figures.ts";
import { serviceClient, visitorClient } from "../../support/shop/arrival.ts";
import { expect, status, test } from "../../support/fixtures.ts";
import { untilMidnight } from "../../support/shop/houston.ts";

test("a visit is recorded with its device, grows while it lasts, and appears on the dashboard", async ({
  page,
  browser,
}) => {
  await arriveAsAdmin(page);
  const today = untilMidnight();
  await page.goto("/admin");
  const visits = figure(page, "Visits Today");
  await expect(visits).toHaveText(/\d/);
  const before = await amount(visits);

  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  const visitor = await context.newPage();
  const calls: string[] = [];
  visitor.on("request", (request) => {
    if (request.url().endsWith("/rpc/record_visits")) calls.push(request.postData() ?? "");
  });
  await visitor.goto("/faq?visit=1");
  const stored = await visitor.waitForFunction(() =>
    sessionStorage.getItem("houston-culture-festival:visit-session"),
  );
  const session = JSON.parse((await stored.jsonValue())!) as string;
  const records = () =>
    serviceClient()
      .from("site_visits")
      .select("page_path, device_type, browser_name, user_id, visit_duration")
      .eq("session_id", session)
      .order("created_at");
  await expect
    .poll(async () => (await records()).data)
    .toEqual([
      { page_path: "/faq", device_type: "mobile", browser_name: "Chrome", user_id: null, visit_duration: 0 },
    ]);
  // Before the half minute after which an open page reports again.
  expect(calls).toHaveLength(1);
  await expect
    .poll(async () => today((await amount(visits)) - before), { timeout: 20_000 })
    .toBeGreaterThan(0);

  // Moving from one page to the next is reported in one call.
  await visitor.getByRole("contentinfo").getByRole("link", { name: "About Us" }).click();
  await expect
    .poll(async () => (await records()).data?.map(({ page_path }) => page_path))
    .toEqual(["/faq", "/about"]);
  expect((await records()).data?.[0]?.visit_duration).toBeGreaterThan(0);
  expect(calls.filter((body) => body.includes("/about"))).toEqual([expect.stringContaining("/faq")]);
  await expect(async () => {
    await visitor.evaluate(() => dispatchEvent(new PageTransitionEvent("pagehide")));
    expect((await records()).data?.[1]?.visit_duration).toBeGreaterThan(0);
  }).toPass();
  await context.close();

  const tab = (await page.evaluate(() => sessionStorage.getItem("houston-culture-festival:visit-session")))!;
  const atWork = await serviceClient()
    .from("site_visits")
    .select("user_id")
    .match({ session_id: JSON.parse(tab) as string, page_path: "/admin" });
  expect(
    atWork.data?.map(({ user_id }) => user_id !== null),
    "the back office is recorded too",
  ).toEqual([true]);
});

test("INSERT and UPDATE work only on a client's own visits", async ({ account }) => {
  const { API_URL, ANON_KEY } = status();
  const stored = async (id: string) =>
    (
      await serviceClient()
        .from("site_visits")
        .select("page_path, user_id, visit_duration")
        .eq("id", id)
        .single()
    ).data;
  const visit = { page_path: "/map", device_type: "desktop", browser_name: "Other", visit_duration: 0 };
  const later = { visit_duration: 30, updated_at: new Date().toISOString() };

  const anonymous = visitorClient();
  const visited = await anonymous
    .from("site_visits")
    .insert({ ...visit, session_id: "a-tab-of-nobody" })
    .select("id")
    .single();
  expect(visited.error).toBeNull();
  const { id } = visited.data as { id: string };
  expect((await anonymous.from("site_visits").update(later).eq("id", id)).error).toBeNull();
  expect(await stored(id)).toEqual({ page_path: "/map", user_id: null, visit_duration: 30 });
  expect((await anonymous.from("site_visits").select("id")).data, "nobody reads visits").toEqual([]);

  const signedIn = visitorClient();
  expect((await signedIn.auth.signInWithPassword(account)).error).toBeNull();
  const own = await signedIn
    .from("site_visits")
    .insert({ ...visit, session_id: "a-tab-of-somebody", user_id: account.id })
    .select("id")
    .single();
  expect(own.error).toBeNull();
  const { id: ownId } = own.data as { id: string };
  expect((await signedIn.from("site_visits").update(later).eq("id", ownId)).error).toBeNull();
  expect(await stored(ownId)).toEqual({ page_path: "/map", user_id: account.id, visit_duration: 30 });
  expect((await signedIn.from("site_visits").select("id")).data).toEqual([{ id: ownId }]);

  // Nobody can change another's visits, or add visits in another's name.
  for (const client of [anonymous, signedIn]) {
    const foreign = client === anonymous ? ownId : id;
    await client.from("site_visits").update({ visit_duration: 99 }).eq("id", foreign);
    expect((await stored(foreign))?.visit_duration).toBe(30);
  }
  const stranger = createClient(API_URL!, ANON_KEY!, {
    auth: { persistSession: false },
    global: { headers: { "user-agent": "another browser" } },
  });
  await stranger.from("site_visits").update({ visit_duration: 99 }).eq("id", id);
  expect((await stored(id))?.visit_duration).toBe(30);
  const named = await stranger
    .from("site_visits")
    .insert({ ...visit, session_id: "a-tab-of-a-stranger", user_id: account.id });
  expect(named.error?.code).toBe("42501");
});
