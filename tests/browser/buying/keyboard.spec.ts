// The purchase by a buyer without a pointer: every control is reached with Tab and operated with the
// keyboard.
import type { Locator, Page } from "@playwright/test";
import { arriveSignedIn } from "../../support/shop/arrival.ts";
import { hold } from "../../support/page/faults.ts";
import { announcer } from "../../support/page/problems.ts";
import { buyer } from "../../support/shop/buyer.ts";
import { expect, expectRefusal, test } from "../../support/fixtures.ts";

/** Tabs to the control. Fails if it is not reached, or shows no focus. */
async function tabTo(page: Page, control: Locator): Promise<void> {
  await control.waitFor();
  for (let i = 0; i < 80; i++) {
    if (await control.evaluate((element) => element === document.activeElement)) {
      const { outline, shadow } = await control.evaluate((element) => {
        const style = getComputedStyle(element);
        return {
          outline: style.outlineStyle !== "none" && style.outlineWidth !== "0px",
          shadow: style.boxShadow !== "none",
        };
      });
      expect(outline || shadow, `a visible focus on ${control.toString()}`).toBe(true);
      return;
    }
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab never reached ${control.toString()}`);
}

async function typeInto(page: Page, field: Locator, text: string): Promise<void> {
  await tabTo(page, field);
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type(text);
}

test("buys a ticket by keyboard alone, also after a declined card", async ({ page, account, pageErrors }) => {
  await arriveSignedIn(page, account);
  await page.goto("/tickets");
  await tabTo(page, page.getByRole("button", { name: "Increase General Admission" }));
  await page.keyboard.press("Enter");
  await tabTo(page, page.getByRole("link", { name: "Proceed to Checkout" }));
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL("/checkout");

  const about = page.getByRole("group", { name: "Buyer Information" });
  await typeInto(page, about.getByLabel("Full Name"), buyer.name);
  await typeInto(page, about.getByLabel("Phone"), buyer.phone);
  const attendee = page.getByRole("group", { name: /^Attendee 1/ });
  await tabTo(page, attendee.getByRole("button", { name: /Same as buyer/ }));
  await page.keyboard.press("Space");
  await expect(attendee.getByLabel("Full Name")).toHaveValue(buyer.name);
  await tabTo(page, page.getByRole("button", { name: "Continue to Payment" }));
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Payment", exact: true })).toBeFocused();

  await expect(page).toHaveTitle(/^Payment \|/);

  const form = page.getByRole("form", { name: "Payment" });
  await tabTo(page, form.getByRole("tab", { name: "Card" }));
  await page.keyboard.press("ArrowRight");
  await expect(form.getByRole("tab", { name: "Apple Pay" })).toBeFocused();
  await page.keyboard.press("ArrowLeft");
  await typeInto(page, form.getByLabel("Card number"), "4000000000000002");
  await typeInto(page, form.getByLabel("Expiry"), "1234");
  await typeInto(page, form.getByLabel("CVC"), "123");
  await page.keyboard.press("Enter");
  // After the decline the focus is where it was.
  await expect(page.getByText("Your card was declined.").first()).toBeVisible();
  expectRefusal(pageErrors, 402);
  await expect(form.getByLabel("CVC")).toBeFocused();
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Shift+Tab");
  await expect(form.getByLabel("Card number")).toBeFocused();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("4242424242424242");
  const release = await hold(page, "**/functions/v1/process-payment");
  await tabTo(page, form.getByRole("button", { name: /^Pay / }));
  await page.keyboard.press("Enter");
  await expect(announcer(page)).toHaveText("Payment approved. Finishing your order...");
  await expect(form.getByRole("button", { name: /^Pay / }), "while the order is finished").toBeFocused();
  release();
  await expect(page.getByRole("heading", { name: "Order Confirmed!" })).toBeVisible();
  await expect(page).toHaveTitle(/^Order Confirmed \|/);
  await tabTo(page, page.getByRole("link", { name: "View Your Tickets" }));
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL("/dashboard");
  await expect(page.getByRole("article", { name: `General Admission for ${buyer.name}` })).toBeVisible();

  // A working button keeps the focus.
  const data = page.getByRole("button", { name: "Download My Data" });
  const download = page.waitForEvent("download");
  await tabTo(page, data);
  await page.keyboard.press("Enter");
  await download;
  await expect(data).toBeFocused();
});
