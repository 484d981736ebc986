// Who is signed in: the guards of private pages, the buyer's home, and signing out.
import { createAccount } from "../../support/shop/accounts.ts";
import {
  arriveSignedIn,
  arriveWithCart,
  catalogue,
  serviceClient,
  visitorClient,
} from "../../support/shop/arrival.ts";
import { signIn } from "../../support/shop/buyer.ts";
import { expect, expectAccessible, status, test } from "../../support/fixtures.ts";

test("a signed-in user is sent from /auth to /dashboard", async ({ page, account }) => {
  await arriveSignedIn(page, account);
  await page.goto("/auth");
  await expect(page).toHaveURL("/dashboard");
});

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

test.describe("a visitor who is not signed in", () => {
  for (const path of ["/dashboard", "/my-tickets", "/checkout", "/order-confirmation?orderId=x"]) {
    test(`is sent from ${path} to /auth, and back after signing in`, async ({ page, account }) => {
      await page.goto(path);
      await expect(page).toHaveURL(path === "/checkout" ? "/auth?mode=code" : "/auth");
      await signIn(page, account);
      // With an empty cart, checkout redirects to the tickets.
      await expect(page).toHaveURL(path === "/checkout" ? "/tickets" : path);
    });
  }
});

test("without a cart, /auth says nothing of a purchase on the way to checkout", async ({ page, account }) => {
  await page.goto("/checkout");
  await expect(page).toHaveURL("/auth?mode=code");
  await expect(page.getByRole("form", { name: "Email me a code" })).toBeVisible();
  await expect(page.getByText("Your cart is saved.")).toBeHidden();
  await signIn(page, account);
  await expect(page).toHaveURL("/tickets");
});

test("a reload of /auth keeps the visitor's destination, and the page alive", async ({ page, account }) => {
  await arriveWithCart(page, [{ ...catalogue.general, quantity: 1 }]);
  await page.goto("/checkout");
  const note = page.getByText("One code by email, then you finish your purchase. Your cart is saved.");
  await expect(note).toBeVisible();
  await page.reload();
  await expect(note).toBeVisible();
  await signIn(page, account);
  await expect(page).toHaveURL("/checkout");
});

test("/order-confirmation without an order leads to /dashboard", async ({ page, account }) => {
  await arriveSignedIn(page, account);
  await page.goto("/order-confirmation");
  await expect(page).toHaveURL("/dashboard");
});

for (const [size, viewport] of [
  ["desktop", { width: 1280, height: 800 }],
  ["phone", { width: 390, height: 844 }],
] as const) {
  test.describe(`/dashboard on a ${size}`, () => {
    test.use({ viewport, hasTouch: size === "phone" });

    test("welcomes, leads on, shows the account and says goodbye", async ({ page, account }) => {
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
      await expectAccessible(page);
      await main.getByRole("link", { name: "My Tickets" }).click();
      await expect(page).toHaveURL("/my-tickets");
      await expect(page.getByRole("link", { name: "Buy More Tickets" })).toHaveAttribute("href", "/tickets");
      await page.getByRole("link", { name: "Back to Dashboard" }).click();
      await main.getByRole("button", { name: "Logout" }).click();
      const goodbye = page.getByRole("listitem").filter({ hasText: "Logged Out" });
      await expect(goodbye).toContainText("You've been logged out successfully.");
      await expect(page).toHaveURL("/auth");
    });
  });
}

test("signing out in one tab signs out the other", async ({ page, context, account }) => {
  await arriveSignedIn(page, account);
  await page.goto("/dashboard");
  const other = await context.newPage();
  await other.goto("/my-tickets");
  await expect(other.getByRole("heading", { level: 1, name: "My Tickets" })).toBeVisible();
  await page.getByRole("main").getByRole("button", { name: "Logout" }).click();
  await expect(other).toHaveURL("/auth");
});

test("logging out here leaves the other devices signed in", async ({ page, account }) => {
  const laptop = visitorClient();
  await laptop.auth.signInWithPassword(account);
  await arriveSignedIn(page, account);
  await page.goto("/dashboard");
  await page.getByRole("main").getByRole("button", { name: "Logout" }).click();
  await expect(page).toHaveURL("/auth");
  expect((await laptop.auth.getUser()).data.user?.id).toBe(account.id);
  expect((await laptop.auth.refreshSession()).error).toBeNull();
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

test("one buyer's lists never show in the next buyer's session", async ({ page, account }) => {
  const next = await createAccount(status());
  await arriveSignedIn(page, account);
  await page.goto("/dashboard");
  await expect(page.getByRole("main")).toContainText(account.email);
  await page.getByRole("main").getByRole("button", { name: "Logout" }).click();
  await signIn(page, next);
  await expect(page.getByRole("main")).toContainText(next.email);
  await expect(page.getByRole("main")).not.toContainText(account.email);
});
