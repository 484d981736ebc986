// Who is signed in: the guards of private pages, the buyer's home, and signing out.
import { createAccount } from "../../support/shop/accounts.ts";
import {
  arriveSignedIn,
  arriveWithCart,
  catalog,
  serviceClient,
  SESSION_KEY,
  visitorClient,
} from "../../support/shop/arrival.ts";
import { signIn } from "../../support/shop/buyer.ts";
import { expect, expectAccessibleAtBothSizes, status, test } from "../../support/fixtures.ts";

test("an uninvited session in the address changes nothing", async ({ page, account }) => {
  const stranger = await createAccount(status());
  const { data } = await visitorClient().auth.signInWithPassword(stranger);
  const { access_token, refresh_token } = data.session!;
  const trap = `/#access_token=${access_token}&refresh_token=${refresh_token}&expires_in=3600&token_type=bearer&type=signup`;
  const refusal = page.getByRole("listitem").filter({ hasText: "Link Not Accepted" });
  await test.step("for a visitor", async () => {
    await page.goto(trap);
    await expect(refusal).toContainText("That link was requested in another browser");
    await expect(page).toHaveURL("/auth");
    await page.goto("/dashboard");
    await expect(page).toHaveURL("/auth");
  });
  await test.step("for a signed-in user", async () => {
    await arriveSignedIn(page, account);
    await page.goto(trap);
    await expect(refusal).toBeVisible();
    await expect(page).toHaveURL("/dashboard");
    await expect(page.getByRole("main")).toContainText(account.email);
  });
});

test("a visitor who is not signed in is sent to /auth, and back after signing in, where a signed-in user is not kept", async ({
  page,
  account,
}) => {
  for (const path of ["/dashboard", "/my-tickets", "/order-confirmation?orderId=x"]) {
    await test.step(path, async () => {
      await page.goto(path);
      await expect(page).toHaveURL("/auth");
      await signIn(page, account);
      await expect(page).toHaveURL(path);
      await expect(page.getByRole("banner").getByRole("button", { name: "Logout" })).toBeVisible();
      await page.goto("/robots.txt");
      await page.evaluate(() => localStorage.clear());
    });
  }
  await test.step("/checkout, without a cart", async () => {
    await page.goto("/checkout");
    await expect(page).toHaveURL("/auth?mode=code");
    await expect(page.getByRole("form", { name: "Email me a code" })).toBeVisible();
    await expect(page.getByText("Your cart is saved.")).toBeHidden();
    await signIn(page, account);
    await expect(page, "an empty cart").toHaveURL("/tickets");
  });
  for (const path of ["/auth", "/order-confirmation"]) {
    await page.goto(path);
    await expect(page, path).toHaveURL("/dashboard");
  }
});

test("a reload of /auth keeps the visitor's destination, and the page alive", async ({ page, account }) => {
  await arriveWithCart(page, [{ ...catalog.general, quantity: 1 }]);
  await page.goto("/checkout");
  const note = page.getByText("We'll email you a code so you can finish your purchase. Your cart is saved.");
  await expect(note).toBeVisible();
  await page.reload();
  await expect(note).toBeVisible();
  await signIn(page, account);
  await expect(page).toHaveURL("/checkout");
});

test("/dashboard welcomes, leads on, shows the account and says goodbye, in the other tab too, but not on other devices or to the next buyer", async ({
  page,
  context,
  account,
}) => {
  const laptop = visitorClient();
  await laptop.auth.signInWithPassword(account);
  await arriveSignedIn(page, account);
  await page.goto("/dashboard");
  const main = page.getByRole("main");
  await expect(main.getByRole("heading", { name: "Your Tickets & Orders" })).toBeVisible();
  await expect(main).toContainText(account.email);
  await expect(main.getByRole("link", { name: "My Tickets" })).toHaveAttribute("href", "/my-tickets");
  await expect(main.getByRole("link", { name: "Buy Tickets" })).toHaveAttribute("href", "/tickets");
  await expect(main.getByRole("heading", { name: "Account Information" })).toBeVisible();
  const { data } = await serviceClient().auth.admin.getUserById(account.id);
  const since = new Intl.DateTimeFormat("en-US", {
    dateStyle: "long",
    timeZone: "America/Chicago",
  }).format(new Date(data.user!.created_at));
  await expect(main.getByText(since, { exact: true })).toBeVisible();
  await expectAccessibleAtBothSizes(page);
  await main.getByRole("link", { name: "My Tickets" }).click();
  await expect(page).toHaveURL("/my-tickets");
  await expect(page.getByRole("link", { name: "Buy More Tickets" })).toHaveAttribute("href", "/tickets");
  await page.getByRole("link", { name: "Back to Dashboard" }).click();
  await expect(main).toContainText(account.email);
  const other = await context.newPage();
  await other.goto("/my-tickets");
  await expect(other.getByRole("heading", { level: 1, name: "My Tickets" })).toBeVisible();
  await main.getByRole("button", { name: "Logout" }).click();
  const goodbye = page.getByRole("listitem").filter({ hasText: "Logged Out" });
  await expect(goodbye).toContainText("You've been logged out successfully.");
  await expect(page).toHaveURL("/auth");
  await expect(other, "the other tab").toHaveURL("/auth");
  await other.close();
  expect((await laptop.auth.getUser()).data.user?.id, "another device").toBe(account.id);
  expect((await laptop.auth.refreshSession()).error).toBeNull();
  const next = await createAccount(status());
  await signIn(page, next);
  await expect(main).toContainText(next.email);
  await expect(main).not.toContainText(account.email);
});

test("a user who signs in again before the server has answered the logout stays signed in", async ({
  page,
  account,
}) => {
  await arriveSignedIn(page, account);
  await page.goto("/dashboard");
  const answered = Promise.withResolvers<void>();
  await page.route("**/auth/v1/logout*", async (route) => {
    await answered.promise;
    await route.continue();
  });
  await page.getByRole("main").getByRole("button", { name: "Logout" }).click();
  await expect(page).toHaveURL("/auth");
  const form = page.getByRole("form", { name: "Sign in" });
  await form.getByLabel("Email").fill(account.email);
  await form.getByLabel("Password").fill(account.password);
  await form.getByRole("button", { name: "Sign In", exact: true }).click();
  await expect(page).toHaveURL("/dashboard");
  answered.resolve();
  await expect(page.getByRole("listitem").filter({ hasText: "Logged Out" })).toBeVisible();
  await expect(page).toHaveURL("/dashboard");
  await page.reload();
  await expect(page.getByRole("main")).toContainText(account.email);
});

test("a storage that never answers does not keep a user signed in", async ({ page, account }) => {
  await page.addInitScript(() => {
    const open = IDBFactory.prototype.open;
    IDBFactory.prototype.open = function (...args) {
      return Object.assign(open.apply(this, args), { addEventListener: () => {} });
    };
  });
  await arriveSignedIn(page, account);
  await page.goto("/dashboard");
  await page.getByRole("main").getByRole("button", { name: "Logout" }).click();
  await expect(page).toHaveURL("/auth");
  expect(await page.evaluate((key) => localStorage.getItem(key), SESSION_KEY)).toBeNull();
});
