// Signing in through a provider, as people see it: a real OpenID Connect issuer, on a server that offers it.
import { CLIENT, type Issuer, openIssuer } from "../../../server/testing/sign-in/oidc-issuer.ts";
import { createAccount } from "../../support/shop/accounts.ts";
import { type Festival, removeFolder, startFestival } from "../../support/server/festival.ts";
import { freePort } from "../../support/server/free-port.ts";
import { preparedFolder } from "../../support/server/own-festival.ts";
import { arriveSignedIn, serviceClient, openDashboard } from "../../support/shop/arrival.ts";
import { expect, expectAccessible, status, test } from "../../support/fixtures.ts";

test.describe.configure({ mode: "default" });

let issuer: Issuer;
let festival: Festival;
let shared: string | undefined;

test.beforeAll(async () => {
  // A start on a busy machine may take longer than the default timeout.
  test.setTimeout(180_000);
  // The provider must know the return address before the server starts.
  const port = await freePort();
  issuer = await openIssuer([`http://localhost:${port}/auth/v1/callback`]);
  festival = await startFestival({
    dataDir: preparedFolder(),
    env: {
      PORT: String(port),
      GOTRUE_EXTERNAL_GOOGLE_ENABLED: "true",
      GOTRUE_EXTERNAL_GOOGLE_CLIENT_ID: CLIENT.id,
      GOTRUE_EXTERNAL_GOOGLE_SECRET: CLIENT.secret,
      GOTRUE_EXTERNAL_GOOGLE_URL: issuer.url,
      GOTRUE_SECURITY_MANUAL_LINKING_ENABLED: "true",
    },
  });
  shared = process.env.FESTIVAL_STATUS;
  process.env.FESTIVAL_STATUS = JSON.stringify(festival.status);
});
test.afterAll(async () => {
  process.env.FESTIVAL_STATUS = shared;
  await festival.stop();
  removeFolder(festival.dataDir);
  await issuer.close();
});

test("a provider's button signs in and leads back to where the visitor was going", async ({ page }) => {
  issuer.person = { sub: "browser-1", email: "visitor@example.com", email_verified: true, name: "Visitor" };
  const others = page.getByRole("list", { name: "Or continue with" });
  await page.goto("/auth?mode=code"); // where checkout leads
  await expect(others.getByRole("button")).toHaveText(["Google"]);
  await page.goto("/dashboard");
  await expect(page).toHaveURL(/\/auth$/);
  await expect(others.getByRole("button")).toHaveText(["Google"]);
  await expectAccessible(page);

  issuer.denies = true;
  await others.getByRole("button", { name: "Google" }).click();
  await expect(page.getByText("It was not allowed there, so nothing has changed.")).toBeVisible();
  await expect(page).toHaveURL(/\/auth$/);

  issuer.denies = false;
  await page.getByRole("button", { name: "Google" }).click();
  await expect(page.getByRole("heading", { name: "Welcome!" })).toBeVisible();
  await expect(page.getByText("visitor@example.com").first()).toBeVisible();
  await expect(page).toHaveURL(/\/dashboard$/);
  await page.reload();
  await expect(page.getByText("visitor@example.com").first()).toBeVisible();
});

test("a provider that an administrator has added has a button with its name", async ({ page }) => {
  const { customProviders } = serviceClient().auth.admin;
  const identifier = "custom:club";
  const { error } = await customProviders.createProvider({
    provider_type: "oidc",
    identifier,
    name: "Slab Riders Club",
    client_id: CLIENT.id,
    client_secret: CLIENT.secret,
    issuer: issuer.url,
    scopes: ["email", "profile"],
  });
  expect(error).toBeNull();
  issuer.person = { sub: "rider-1", email: "rider@example.com", email_verified: true, name: "Rider" };
  await page.goto("/auth");
  await page.getByRole("button", { name: "Slab Riders Club" }).click();
  await expect(page.getByRole("heading", { name: "Welcome!" })).toBeVisible();
  await expect(page.getByText("rider@example.com").first()).toBeVisible();
  expect((await customProviders.deleteProvider(identifier)).error).toBeNull();
});

test("a provider is connected to an account on the dashboard, signs in, and is removed from it; the last way to sign in stays", async ({
  page,
  account,
  browser,
  baseURL,
}) => {
  const person = {
    sub: `joined-${account.id}`,
    email: `joined-${account.id}@example.com`,
    email_verified: true,
  };
  issuer.person = person;
  await arriveSignedIn(page, account);
  await openDashboard(page);
  const security = page.getByRole("region", { name: "Account Security" });
  await expect(security.getByRole("heading", { name: "Ways to Sign In" })).toBeVisible();
  await expect(security.getByText("You can't remove your only sign-in method.")).toBeVisible();
  await expectAccessible(page);

  issuer.denies = true;
  await security.getByRole("button", { name: "Connect Google" }).click();
  await expect(page.getByText("It was not allowed there, so nothing has changed.")).toBeVisible();
  issuer.denies = false;
  await security.getByRole("button", { name: "Connect Google" }).click();
  await expect(security.getByRole("button", { name: "Remove: Google" })).toBeVisible();
  await expect(security.getByText(person.email)).toBeVisible();
  await expect(security.getByRole("button", { name: "Connect Google" })).toHaveCount(0);
  await expect(page).toHaveURL("/dashboard");

  await test.step("another account cannot connect it too, and is told so in plain words", async () => {
    const other = await browser.newPage({ baseURL });
    await arriveSignedIn(other, await createAccount(status()));
    await openDashboard(other);
    await other.getByRole("button", { name: "Connect Google" }).click();
    const refusal = other.getByRole("listitem").filter({ hasText: "Not Connected" });
    await expect(refusal).toContainText("It is already connected to an account here.");
    await other.close();
  });

  await page.getByRole("button", { name: "Logout" }).first().click();
  await page.goto("/auth");
  await page.getByRole("button", { name: "Google" }).click();
  await expect(page.getByText(account.email).first()).toBeVisible();

  await security.getByRole("button", { name: "Remove: Google" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
  await expect(security.getByText("You can't remove your only sign-in method.")).toBeVisible();
  await expect(security.getByRole("button", { name: "Connect Google" })).toBeVisible();
});
