// Single sign-on as people see it: a real SAML identity provider on this machine, on a server that trusts it.
import { newSamlKey, type Idp, openIdp } from "../../../server/testing/sign-in/saml-idp.ts";
import { type Festival, removeFolder, startFestival } from "../../support/server/festival.ts";
import { freePort } from "../../support/server/free-port.ts";
import { preparedFolder } from "../../support/server/own-festival.ts";
import { expect, expectAccessible, expectRefusal, status, test } from "../../support/fixtures.ts";

test.describe.configure({ mode: "default" });

const DOMAIN = "company.example";
let idp: Idp;
let festival: Festival;
let shared: string | undefined;

test.beforeAll(async () => {
  // A start on a busy machine may take longer than the default timeout.
  test.setTimeout(180_000);
  const port = await freePort();
  const auth = `http://localhost:${port}/auth/v1/sso/saml`;
  idp = await openIdp({ acs: `${auth}/acs`, audience: `${auth}/metadata` });
  festival = await startFestival({
    dataDir: preparedFolder(),
    env: { PORT: String(port), GOTRUE_SAML_ENABLED: "true", GOTRUE_SAML_PRIVATE_KEY: newSamlKey() },
  });
  shared = process.env.FESTIVAL_STATUS;
  process.env.FESTIVAL_STATUS = JSON.stringify(festival.status);
  const key = status().SERVICE_ROLE_KEY!;
  const made = await fetch(`${festival.url}/auth/v1/admin/sso/providers`, {
    method: "POST",
    headers: { apikey: key, authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ type: "saml", metadata_xml: idp.metadata, domains: [DOMAIN] }),
  });
  expect(made.status, await made.text()).toBe(201);
});
test.afterAll(async () => {
  process.env.FESTIVAL_STATUS = shared;
  await festival.stop();
  removeFolder(festival.dataDir);
  await idp.close();
});

test("an organization's people sign in at its own provider, and return to where they were going", async ({
  page,
  pageErrors,
}) => {
  const person = `ada-${test.info().repeatEachIndex}`;
  idp.user = { id: person, email: `${person}@${DOMAIN}` };
  await page.goto("/dashboard");
  await expect(page).toHaveURL(/\/auth$/);
  const button = page.getByRole("button", { name: "Single Sign-On" });
  await button.press("Enter");
  await expect(button).toHaveAttribute("aria-expanded", "true");
  const form = page.getByRole("form", { name: "Single sign-on" });
  await expectAccessible(page);

  await form.getByLabel("Work email").fill("ada");
  await form.getByRole("button", { name: "Continue" }).click();
  await expect(form.getByText("Enter the address your organization gave you.")).toBeVisible();
  await form.getByLabel("Work email").fill("ada@elsewhere.example");
  await form.getByRole("button", { name: "Continue" }).click();
  await expect(form.getByText("Single sign-on is not set up here for this organization.")).toBeVisible();
  expectRefusal(pageErrors, 404);

  await form.getByLabel("Work email").fill(`Ada@${DOMAIN.toUpperCase()}`);
  await form.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByRole("heading", { name: "Welcome!" })).toBeVisible();
  await expect(page).toHaveURL("/dashboard");
  await expect(page.getByText(`${person}@${DOMAIN}`).first()).toBeVisible();
  await page.reload();
  await expect(page.getByText(`${person}@${DOMAIN}`).first()).toBeVisible();
});

test("explains why nobody was signed in", async ({ page }) => {
  idp.user = { id: "no-address" };
  await page.goto("/auth");
  await page.getByRole("button", { name: "Single Sign-On" }).click();
  const form = page.getByRole("form", { name: "Single sign-on" });
  await form.getByLabel("Work email").fill(`somebody@${DOMAIN}`);
  await form.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByText("Your organization did not identify you. Please contact them.")).toBeVisible();
  await expect(page).toHaveURL(/\/auth$/);
});
