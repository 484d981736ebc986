// The two public forms: what is refused, what is stored, what is kept when storing fails.
import { expect, expectRefusal, test } from "./fixtures.ts";

test("a vendor's application walks three steps, is validated on submit, and is confirmed once it is stored", async ({
  page,
  mailbox,
}) => {
  const email = `vendor-${Date.now()}@example.com`;
  await page.goto("/vendors");
  await expect(page.getByRole("banner").getByRole("link", { name: "Login" })).toBeVisible();
  // The step buttons do not ask.
  await page.getByRole("button", { name: "Next Step" }).click();
  await page.getByRole("button", { name: "Review Application" }).click();
  const submit = page.getByRole("button", { name: "Submit Application" });
  await expect(submit).toBeDisabled();
  const terms = page.getByRole("checkbox", { name: /I agree to the vendor terms/ });
  await terms.check();
  await submit.click();
  await expect(page.getByText("Business name is required")).toBeVisible();

  await page.getByLabel("Business Name").fill("Third Ward Smoke");
  await page.getByLabel("Contact Name").fill("Dana Cole");
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Phone").fill("713-555-0100");
  await page.getByRole("button", { name: "Next Step" }).click();
  await page.getByRole("radio", { name: "Food" }).check();
  await page.getByLabel("Business Description").fill("Brisket since 1984");
  await page.getByRole("textbox", { name: "Products" }).fill("Plates, links, sides");
  await page.getByRole("button", { name: "Review Application" }).click();
  await expect(page.getByText("Plates, links, sides")).toBeVisible();
  await expect(terms).toBeChecked();
  await submit.click();

  const alert = page.getByRole("alertdialog");
  await expect(alert).toContainText("Application submitted successfully!");
  await alert.getByRole("button", { name: "OK" }).click();
  await expect(page.getByLabel("Business Name")).toHaveValue("");
  await mailbox.newest(email, /application/i);
});

test("a vendor's application that is not stored keeps everything and says why", async ({
  page,
  pageErrors,
}) => {
  await page.route("**/functions/v1/submit-vendor-application", (route) =>
    route.fulfill({
      status: 429,
      json: { error: { code: "rate_limited", message: "Too many applications." } },
    }),
  );
  await page.goto("/vendors");
  await expect(page.getByRole("banner").getByRole("link", { name: "Login" })).toBeVisible();
  await page.getByLabel("Business Name").fill("Third Ward Smoke");
  await page.getByLabel("Contact Name").fill("Dana Cole");
  await page.getByLabel("Email").fill("dana@example.com");
  await page.getByLabel("Phone").fill("713-555-0100");
  await page.getByRole("button", { name: "Next Step" }).click();
  await page.getByRole("radio", { name: "Other" }).check();
  await page.getByLabel("Business Description").fill("Hats");
  await page.getByRole("textbox", { name: "Products" }).fill("Felt and straw");
  await page.getByRole("button", { name: "Review Application" }).click();
  await page.getByRole("checkbox").check();
  await page.getByRole("button", { name: "Submit Application" }).click();
  await expect(page.getByRole("alert")).toContainText("Too many applications.");
  await expect(page.getByRole("alertdialog")).toHaveCount(0);
  await page.getByRole("button", { name: "Back" }).click();
  await page.getByRole("button", { name: "Back" }).click();
  await expect(page.getByLabel("Business Name")).toHaveValue("Third Ward Smoke");
  expectRefusal(pageErrors, 429);
});

test("a sponsor's inquiry is validated, stored and thanked for", async ({ page, mailbox }) => {
  const email = `sponsor-${Date.now()}@example.com`;
  await page.goto("/sponsors");
  await expect(page.getByRole("banner").getByRole("link", { name: "Login" })).toBeVisible();
  const send = page.getByRole("button", { name: "Send Inquiry" });
  await send.click();
  await expect(page.getByText("Company name is required")).toBeVisible();
  await page.getByLabel("Company Name").fill("Bayou Ice");
  await page.getByLabel("Contact Name").fill("Lee Tran");
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Phone").fill("713-555-0111");
  await page.getByRole("combobox", { name: "Sponsorship Level" }).selectOption("gold");
  await send.click();
  await expect(page.getByRole("heading", { name: "Thank you, Lee Tran!" })).toBeVisible();
  await mailbox.newest(email, /sponsor/i);
});
