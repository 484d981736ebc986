// The two public forms (PRODUCT 4.5 to 4.7).
import type { Locator, Page } from "@playwright/test";
import { newEmail } from "../../support/shop/accounts.ts";
import { alive, openAlive } from "../../support/page/alive.ts";
import { serviceClient } from "../../support/shop/arrival.ts";
import { answerWith, RECONNECTING, refusal } from "../../support/page/faults.ts";
import {
  expect,
  expectAccessible,
  expectAccessibleAtBothSizes,
  expectRefusal,
  status,
  test,
} from "../../support/fixtures.ts";
import { announcer, problems } from "../../support/page/problems.ts";

const application = (page: Page) => page.getByRole("region", { name: "Vendor Application" });

async function fillContact(form: Locator, email: string): Promise<void> {
  await form.getByLabel("Business Name").fill("Swangas & Sauce");
  await form.getByLabel("Contact Name").fill("Trae Tha Cook");
  await form.getByLabel("Email").fill(email);
  await form.getByLabel("Phone").fill("713 555 0177");
}

async function fillBusiness(form: Locator): Promise<void> {
  await form.getByRole("radio", { name: "Food" }).check();
  await form.getByLabel("Business Description").fill("Smoked wings, two generations deep.");
  await form.getByLabel("Products").fill("Wings, links, lemonade");
}

test("a vendor application goes through three steps, is stored, confirmed, cleared and acknowledged by mail", async ({
  page,
  mailbox,
}) => {
  const email = newEmail("vendor");
  await openAlive(page, "/vendors");
  const form = application(page);
  const step = form.locator('[aria-current="step"]');

  await expect(step).toContainText("Contact Info");
  await fillContact(form, email);
  await form.getByRole("button", { name: "Next Step" }).click();
  await expect(step).toContainText("Business Details");
  await fillBusiness(form);
  await form.getByRole("button", { name: "Back" }).click();
  await expect(form.getByLabel("Business Name")).toHaveValue("Swangas & Sauce");
  await form.getByRole("button", { name: "Next Step" }).click();
  await form.getByRole("button", { name: "Review Application" }).click();
  await expect(step).toContainText("Review");
  for (const text of ["Swangas & Sauce", email, "Food", "Wings, links, lemonade"])
    await expect(form).toContainText(text);
  const submit = form.getByRole("button", { name: "Submit Application" });
  await expect(submit).toBeDisabled();
  await form.getByRole("checkbox").check();
  await expectAccessibleAtBothSizes(page);
  await submit.click();

  const alert = page.getByRole("alertdialog", { name: "Application submitted successfully!" });
  await expect(alert).toBeVisible();
  await expect(alert.getByRole("button", { name: "OK" })).toBeFocused();
  const { data } = await serviceClient().from("vendor_applications").select("*").eq("contact_email", email);
  expect(data).toEqual([
    expect.objectContaining({
      status: "pending_review",
      booth_name: "Swangas & Sauce",
      contact_name: "Trae Tha Cook",
      contact_phone: "713 555 0177",
      vendor_type: "food",
      description: "Smoked wings, two generations deep.",
      products: "Wings, links, lemonade",
    }),
  ]);
  for (const part of ["food", "Smoked wings", "lemonade"])
    expect(data![0].description_of_goods).toContain(part);

  await alert.getByRole("button", { name: "OK" }).click();
  await expect(step).toContainText("Contact Info");
  await expect(form.getByLabel("Business Name")).toHaveValue("");
  const { text } = await mailbox.newest(email, /application|vendor/i);
  expect(text).toContain("your vendor application has arrived");
  expect(text).not.toContain("Swangas & Sauce");
});

test("a vendor who moves on while the application is sent stays there, and hears that it was stored", async ({
  page,
}) => {
  await openAlive(page, "/vendors");
  const form = application(page);
  await fillContact(form, newEmail("vendor"));
  await form.getByRole("button", { name: "Next Step" }).click();
  await fillBusiness(form);
  await form.getByRole("button", { name: "Review Application" }).click();
  await form.getByRole("checkbox").check();
  const release = Promise.withResolvers<void>();
  await page.route("**/functions/v1/submit-vendor-application", async (route) => {
    await release.promise;
    await route.fulfill({ json: { success: true } });
  });
  await form.getByRole("button", { name: "Submit Application" }).click();
  await page.getByRole("navigation").getByRole("link", { name: "FAQ" }).first().click();
  await expect(page).toHaveURL((url) => url.pathname === "/faq");
  release.resolve();
  await expect(page.getByText("Application submitted successfully!")).toBeVisible();
  await expect(page).toHaveURL((url) => url.pathname === "/faq");
  await openAlive(page, "/vendors");
  await expect(form.getByLabel("Business Name")).toHaveValue("");
});

test("step buttons never refuse, Submit does; entries and step are kept over a reload, Back, and an application that was not stored", async ({
  page,
  pageErrors,
}) => {
  let sent = false;
  await page.route("**/functions/v1/submit-vendor-application", (route) => {
    sent = true;
    return route.abort();
  });
  await openAlive(page, "/vendors");
  const form = application(page);
  await form.getByRole("button", { name: "Next Step" }).click();
  const steps = form.getByRole("navigation", { name: "Steps of the application" }).getByRole("listitem");
  await expect(steps.first()).toHaveText("Contact Info (incomplete)");
  await form.getByRole("radio", { name: "Food" }).check();
  await form.getByLabel("Business Description").fill("Plates");
  await form.getByLabel("Products").fill("Plates");
  await form.getByRole("button", { name: "Review Application" }).click();
  await expect(steps).toHaveText(["Contact Info (incomplete)", "Business Details (done)", "3Review"]);
  await expectAccessible(page);
  await form.getByRole("checkbox").check();
  await form.getByRole("button", { name: "Submit Application" }).click();
  await expect(form.locator('[aria-current="step"]')).toContainText("Contact Info");
  await expect(form.getByText("Business name is required")).toBeVisible();
  await expect(form.getByText("Valid email is required")).toBeVisible();
  expect(sent).toBe(false);
  await page.unroute("**/functions/v1/submit-vendor-application");
  await test.step("keeps its entries and its step over a reload, and Back goes a step back", async () => {
    const heading = (name: string) => form.getByRole("heading", { name: new RegExp(`${name}$`) });
    await fillContact(form, "reloaded@example.com");
    await form.getByRole("button", { name: "Next Step" }).click();
    await expect(heading("Business Details")).toBeFocused();
    await fillBusiness(form);
    await form.getByRole("button", { name: "Review Application" }).click();
    await expect(heading("Review")).toBeFocused();
    await page.reload();
    await alive(page);
    await expect(heading("Review")).toBeVisible();
    await expect(form).toContainText("reloaded@example.com");
    await expect(form).toContainText("Wings, links, lemonade");
    await page.goBack();
    await expect(heading("Business Details")).toBeVisible();
    await form.getByRole("button", { name: "Back" }).click();
    await expect(heading("Contact Info")).toBeVisible();
    await expect(form.getByLabel("Business Name")).toHaveValue("Swangas & Sauce");
    await page.goForward();
    await expect(heading("Business Details")).toBeVisible();
  });
  await test.step("not stored: not reported as sent, and nothing of it is lost", async () => {
    const why = "Too many submissions from your network. Please try again in a few minutes.";
    await answerWith(page, "**/functions/v1/submit-vendor-application", 429, refusal("rate_limited", why));
    await form.getByRole("button", { name: "Review Application" }).click();
    await form.getByRole("checkbox").check();
    await form.getByRole("button", { name: "Submit Application" }).click();
    await expect(problems(form)).toContainText(why);
    await expect(page.getByRole("alertdialog")).toHaveCount(0);
    await expect(form).toContainText("reloaded@example.com");
    await expect(form.getByRole("checkbox")).toBeChecked();
    expectRefusal(pageErrors, 429);
  });
});

test("a text that is too long stays whole, is named as a mistake, and is not sent until it is shorter", async ({
  page,
}) => {
  await openAlive(page, "/sponsors");
  const sent: string[] = [];
  await page.route("**/functions/v1/submit-sponsor-inquiry", (route) => {
    sent.push(route.request().postData() ?? "");
    return route.fulfill({ json: { success: true } });
  });
  await page.getByRole("button", { name: "Send Inquiry" }).click();
  await expect(announcer(page)).toHaveText(/^4 problems\. Company Name: [^.]+\. Contact Name: /);
  await page.getByLabel("Company Name").fill("Bayou Bank");
  await page.getByLabel("Contact Name").fill("Trae");
  await page.getByLabel("Email").fill("Trae <trae@bank.example>,");
  await page.getByLabel("Phone").fill("713 555 0177");
  await expect(announcer(page), "the mistakes are gone").toBeEmpty();
  const message = page.getByLabel("Message");
  await message.fill("a".repeat(6003));
  await expect(problems(page)).toHaveText("At most 5,000 characters; you have 6,003");
  await expect(announcer(page)).toHaveText("Message: At most 5,000 characters; you have 6,003");
  await page.getByRole("button", { name: "Send Inquiry" }).click();
  await expect(message).toBeFocused();
  await expect(message).toHaveValue("a".repeat(6003));
  await message.fill("a".repeat(5000));
  await expect(problems(page)).toHaveCount(0);
  await page.getByRole("button", { name: "Send Inquiry" }).click();
  await expect(page.getByRole("heading", { name: /thank you/i })).toBeVisible();
  expect(sent.map((body) => (JSON.parse(body) as { email: string }).email)).toEqual(["trae@bank.example"]);

  await openAlive(page, "/vendors");
  const form = application(page);
  await form.getByLabel("Business Name").fill("b".repeat(250));
  await expect(problems(page)).toHaveText("At most 200 characters; you have 250");
  await form.getByRole("button", { name: "Next Step" }).click();
  await form.getByRole("button", { name: "Back" }).click();
  await expect(problems(page), "also when it comes back").toHaveText("At most 200 characters; you have 250");
  await expect(form.getByLabel("Business Name")).toHaveValue("b".repeat(250));
});

test("a sponsor's inquiry requires its mandatory fields, keeps every field when it could not be sent, is stored, and thanks the sender", async ({
  page,
  mailbox,
  request,
  pageErrors,
}) => {
  const email = newEmail("sponsor");
  await openAlive(page, "/sponsors");
  const form = page.getByRole("region", { name: "Sponsor Inquiry" });
  await form.getByRole("button", { name: "Send Inquiry" }).click();
  for (const text of [
    "Company name is required",
    "Name is required",
    "Valid email is required",
    "Valid phone number is required",
  ]) {
    await expect(form.getByText(text, { exact: true })).toBeVisible();
  }
  await expectAccessibleAtBothSizes(page);
  await page.route("**/functions/v1/submit-sponsor-inquiry", (route) => route.abort());
  const fields = [
    ["Company Name", "Bayou Beverages"],
    ["Contact Name", "Mo City Dana"],
    ["Email", email],
    ["Phone", "713 555 0188"],
    ["Message", "Call me after six."],
  ] as const;
  for (const [label, value] of fields) await form.getByLabel(label).fill(value);
  await form.getByLabel("Sponsorship Level").selectOption("gold");
  await form.getByRole("button", { name: "Send Inquiry" }).click();
  await expect(problems(form)).toContainText("No response. Your inquiry may have been received.");
  await expect(problems(form)).toContainText("The server could not be reached");
  for (const [label, value] of fields) await expect(form.getByLabel(label)).toHaveValue(value);
  await page.reload();
  for (const [label, value] of fields) await expect(form.getByLabel(label)).toHaveValue(value);
  pageErrors.length = 0;
  await page.unroute("**/functions/v1/submit-sponsor-inquiry");
  await form.getByRole("button", { name: "Send Inquiry" }).click();
  await expect(page.getByRole("heading", { name: "Thank you, Mo City Dana!" })).toBeVisible();
  await expect(page.getByText("A confirmation email is on its way to your inbox")).toBeVisible();
  await page.reload();
  await expect(form.getByLabel("Company Name")).toHaveValue("");
  const { data } = await serviceClient().from("sponsor_inquiries").select("*").eq("email", email);
  expect(data).toEqual([
    expect.objectContaining({
      company_name: "Bayou Beverages",
      contact_name: "Mo City Dana",
      phone: "713 555 0188",
      sponsorship_level: "gold",
    }),
  ]);
  await mailbox.newest(email, /sponsor|inquiry/i);
  await test.step("the public can read neither applications nor inquiries", async () => {
    for (const table of ["vendor_applications", "sponsor_inquiries"]) {
      const answer = await request.get(`/rest/v1/${table}?select=*`, {
        ...RECONNECTING,
        headers: { apikey: status().ANON_KEY! },
      });
      expect(answer.status(), table).toBe(401);
    }
  });
});
