// Who sees which screens of the back office, and the effect of a role change.
import type { Page } from "@playwright/test";
import { createAccount } from "../../support/shop/accounts.ts";
import { arriveAsAdmin, placeOrder } from "../../support/shop/admin-arrival.ts";
import { arriveSignedIn, serviceClient } from "../../support/shop/arrival.ts";
import { callsOf } from "../../support/page/calls.ts";
import { expect, expectAccessible, status, test } from "../../support/fixtures.ts";
import { ARRIVING } from "../../support/page/faults.ts";
import { watchLiveConnection } from "../../support/page/live-connection.ts";

/** Who is led away from the back office's screens, and where to. back-office.spec.ts covers what administrators see. */
const elsewhere = {
  ...{ finance: "/admin/orders", gate: "/gate", user: "/", none: "/" },
  // A gate account that an administrator allowed to sell. gate/door.spec.ts covers its own screen.
  seller: "/gate",
} as const;

async function arriveAs(page: Page, role: keyof typeof elsewhere | "admin") {
  const account = await createAccount(status());
  if (role !== "none") {
    const sells = role === "seller";
    const { error } = await serviceClient()
      .from("user_roles")
      .insert({ user_id: account.id, role: sells ? "gate" : role, sells_at_door: sells });
    if (error) throw error;
  }
  await arriveSignedIn(page, account);
  return account;
}

test("every other role is led away from the back office's screens, and finance sees its own; an address that does not exist has a page", async ({
  page,
}) => {
  // Other tests cover the gate's app.
  const blank = "<!doctype html><link rel=icon href=data:,><title>Gate</title>";
  const isGate = ({ pathname }: URL) => pathname === "/gate";
  await page.route(isGate, (route) => route.fulfill({ contentType: "text/html", body: blank }));
  for (const [role, path] of Object.entries(elsewhere)) {
    await test.step(role, async () => {
      await arriveAs(page, role as keyof typeof elsewhere);
      // One screen; navigation.test.ts covers all of them.
      await page.goto("/admin/users");
      await expect(page).toHaveURL((url) => url.pathname === path);
      if (role !== "finance") return;
      for (const screen of ["/admin", "/admin/nothing"]) {
        await page.goto(screen);
        await expect(page).toHaveURL((url) => url.pathname === path);
      }
      await expect(page.getByRole("heading", { level: 1, name: "Orders Management" })).toBeVisible();
      const links = page.getByRole("navigation", { name: "Back office" }).getByRole("link");
      await expect(links).toHaveText(["Orders", "Money", "Tills"]);
    });
  }
  await test.step("an unknown address below /admin is a page of the back office, with a way to the dashboard", async () => {
    await arriveAsAdmin(page);
    await page.goto("/admin/nothing");
    await expect(page.getByRole("heading", { name: "Page Not Found" })).toBeVisible();
    await expect(page.getByRole("navigation", { name: "Back office" })).toBeVisible();
    await expectAccessible(page);
    await page.getByRole("link", { name: "Go to the Dashboard" }).click();
    await expect(page).toHaveURL((url) => url.pathname === "/admin");
  });
});

test("finance reads an order, resends its mail, exports, and retries a refund that ran out of attempts, and nothing it requests is refused", async ({
  page,
}) => {
  const order = await placeOrder({ buyerName: "Fay Finance", parking: true });
  await arriveAs(page, "finance");
  const refused: string[] = [];
  page.on("response", (response) => {
    if (response.status() === 401 || response.status() === 403) refused.push(response.url());
  });
  await page.goto("/");
  await page.getByRole("link", { name: "Back Office" }).click();
  await page.getByLabel(/^Search by name/).fill("Fay Finance");
  await page.getByRole("link", { name: `#${order.slice(0, 8)}` }).click();
  await expect(page.getByRole("button", { name: "Refund Order" })).toBeVisible();
  const resent = callsOf(page, "resend_order_mail");
  await page.getByRole("button", { name: "Resend Emails" }).dblclick();
  await expect(page.getByText("The order email is on its way again")).toBeVisible();
  const sent = page.getByRole("button", { name: "Emails Resent" });
  await expect(sent).toHaveAttribute("aria-disabled", "true");
  await sent.press("Enter");
  expect(resent).toHaveLength(1);
  await expectAccessible(page);
  await page.getByRole("link", { name: "All orders" }).click();
  for (const button of ["Export CSV", "Export Refunds"]) {
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: button }).click();
    await downloading;
  }
  await test.step("a refund that ran out of attempts, and no other work of the outbox", async () => {
    const id = await placeOrder({ buyerName: "Dede Dead" });
    const service = serviceClient();
    const { data: order } = await service.from("orders").select("payment_intent_id").eq("id", id).single();
    const { data: refund } = await service
      .from("refunds")
      .insert({
        payment_intent_id: order!.payment_intent_id,
        order_id: id,
        amount: 45,
        reason: "requested_by_admin",
      })
      .select("id")
      .single();
    const payload = {
      refund_id: refund!.id,
      payment_intent_id: order!.payment_intent_id,
      order_id: id,
      cents: 4500,
      reason: "requested_by_admin",
    };
    const dead = {
      kind: "refund",
      payload,
      dedupe_key: `refund:${refund!.id}`,
      dead_at: new Date().toISOString(),
    };
    expect((await service.from("outbox").insert(dead)).error).toBeNull();
    const reading = page.waitForResponse((response) => response.url().includes("/rest/v1/outbox"), ARRIVING);
    await page.goto(`/admin/orders/${id}`);
    const kinds = ((await (await reading).json()) as { kind: string }[]).map(({ kind }) => kind);
    expect(kinds, "the order's mail is not finance's").toEqual(["refund"]);
    await page.getByRole("button", { name: "Retry Refund" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Refund $45.00" }).click();
    await expect(page.getByText("Refund requested again")).toBeVisible();
    await expect(page.getByRole("button", { name: "Retry Refund" })).toHaveCount(0);
  });
  expect(refused).toEqual([]);
});

test("finance is rung for orders and for nothing else", async ({ page }) => {
  await arriveAs(page, "finance");
  const name = `Bella Bell ${Date.now()}`;
  const live = await watchLiveConnection(page, { newsOf: name });
  await page.goto("/admin/orders");
  await expect(page.getByRole("heading", { name: "Orders Management" })).toBeVisible();
  await live.flows(1);
  const { error } = await serviceClient()
    .from("audit_logs")
    .insert({ action_type: `CRITICAL_SECRET of ${name}`, table_name: "outbox" });
  expect(error).toBeNull();
  await placeOrder({ buyerName: name });
  await page.getByRole("button", { name: /^Notifications, \d+ unread$/ }).click();
  await expect(page.getByRole("link", { name: new RegExp(`Order from ${name}`) })).toBeVisible();
  await expect(page.getByRole("link", { name: /CRITICAL_SECRET/ })).toHaveCount(0);
});

test("roles are explained, assigned and filtered; an administrator made finance sees only orders", async ({
  page,
  browser,
}) => {
  await arriveAsAdmin(page);
  const context = await browser.newContext();
  const other = await context.newPage();
  const demoted = await arriveAs(other, "admin");
  await other.goto("/admin/inventory");
  await expect(other.getByRole("heading", { name: "Inventory Management" })).toBeVisible();
  await page.goto(`/admin/users?q=${demoted.email}`);
  await page.getByText("What each role sees").click();
  await expect(
    page.getByText("Orders, tills, exports, refunds and their retries.", { exact: false }),
  ).toBeVisible();
  const role = page.getByLabel(`Role for ${demoted.email}`, { exact: true });
  await role.selectOption("Finance");
  await page.getByRole("button", { name: `Apply: Role for ${demoted.email}` }).click();
  // Both disappear after a few seconds.
  await Promise.all([
    expect(page.getByText("User role updated successfully")).toBeVisible(),
    expect(other.getByText("Administrator access removed")).toBeVisible(),
  ]);
  await expect(other).toHaveURL(/\/admin\/orders$/);
  await page.getByLabel("Role", { exact: true }).selectOption("Finance");
  await expect(role).toHaveValue("finance");
  await page.getByLabel("Role", { exact: true }).selectOption("Gate");
  await expect(page.getByText("No users found.")).toBeVisible();
  await context.close();
});

test("an administrator is asked before giving up their own role, and told what they lose", async ({
  page,
}) => {
  const { id, email } = await arriveAs(page, "admin");
  const roleNow = async () =>
    (await serviceClient().from("user_roles").select("role").eq("user_id", id)).data?.map(({ role }) => role);
  await page.goto(`/admin/users?q=${email}`);
  const role = page.getByLabel(`Role for ${email}`, { exact: true });
  const apply = page.getByRole("button", { name: `Apply: Role for ${email}` });
  const question = page.getByRole("alertdialog", { name: "Remove Your Own Administrator Role?" });
  await role.selectOption("Remove Role");
  await apply.click();
  await expect(question).toContainText("You lose the back office right away");
  await expectAccessible(page);
  await question.getByRole("button", { name: "Keep My Role" }).click();
  await expect(question).toBeHidden();
  await expect(role).toBeFocused();
  await expect(role).toHaveValue("admin");
  expect(await roleNow()).toEqual(["admin"]);

  await role.selectOption("Finance");
  await apply.click();
  await expect(question).toContainText("only another administrator can give you the role back");
  await question.getByRole("button", { name: "Become Finance" }).click();
  await expect(page).toHaveURL(/\/admin\/orders$/);
  expect(await roleNow()).toEqual(["finance"]);
});
