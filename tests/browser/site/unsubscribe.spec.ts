// The way out of the organizers' messages, from a message to the page behind its link (PRODUCT 9.30).
import { createAccount } from "../../support/shop/accounts.ts";
import { arriveAsAdmin, placeOrder } from "../../support/shop/admin-arrival.ts";
import { serviceClient } from "../../support/shop/arrival.ts";
import { expect, expectAccessibleAtBothSizes, expectRefusal, status } from "../../support/fixtures.ts";
import { answerWith, refusal } from "../../support/page/faults.ts";
import { problems } from "../../support/page/problems.ts";
import { linkIn } from "../../support/server/mailbox.ts";
import { test } from "../../support/shop/own-items.ts";

test("the reader of a message unsubscribes with one press, undoes it, and is left out of the next", async ({
  page,
  browser,
  baseURL,
  mailbox,
  makeTicketType,
}) => {
  const type = await makeTicketType({ called: "Porch" });
  const [ana, ben] = await Promise.all([createAccount(status()), createAccount(status())]);
  for (const buyer of [ana, ben]) await placeOrder({ buyerName: "Porch fan", buyer, type });
  await arriveAsAdmin(page);
  await page.goto("/admin/messages/new");
  await page.getByLabel(type.name).check();
  await page.getByLabel("Subject").fill(`News of ${type.name}`);
  await page
    .getByLabel("Text")
    .fill("Bring a chair. Questions? Write to the-porch-fans-of-houston@bayoucitysocial.example.");
  await page.getByRole("button", { name: "Send to 2 People" }).click();
  await page.getByRole("button", { name: "Send it" }).click();
  await expect(page).toHaveURL(/\/admin\/messages$/);

  const reader = await (await browser.newContext({ baseURL })).newPage();
  const mail = await mailbox.newest(ana.email, /News of/);
  await test.step("a long address does not widen the mail on the narrowest phone", async () => {
    await reader.setViewportSize({ width: 320, height: 640 });
    await reader.setContent(mail.html!);
    expect(await reader.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  });
  await reader.goto(linkIn(mail, "/unsubscribe#"));
  const heading = (name: string) => reader.getByRole("heading", { level: 1, name });
  await expect(heading("Unsubscribe")).toBeVisible();
  await expect(reader.getByRole("main")).toContainText(
    "you'll still get emails about your orders and tickets",
  );
  await expectAccessibleAtBothSizes(reader);
  await test.step("on the narrowest phone a button's words stay on one line", async () => {
    await reader.setViewportSize({ width: 320, height: 640 });
    const lines = () =>
      reader.getByRole("link", { name: "Go to the Home Page" }).evaluate((link) => {
        const words = document.createRange();
        words.selectNodeContents(link);
        return words.getClientRects().length;
      });
    await expect.poll(lines).toBe(1);
  });
  await reader.getByRole("button", { name: "Unsubscribe" }).click();
  await expect(heading("You're Unsubscribed")).toBeVisible();
  await expect(reader.getByRole("status").filter({ has: heading("You're Unsubscribed") })).toBeFocused();
  await expectAccessibleAtBothSizes(reader);
  await reader.reload();
  await expect(heading("You're Unsubscribed")).toBeVisible();

  await page.goto("/admin/messages/new");
  await page.getByLabel(type.name).check();
  await expect(page.getByText("Reaches 1 person")).toBeVisible();
  await expect(page.getByText("1 more person unsubscribed and won't get it.")).toBeVisible();

  await reader.getByRole("button", { name: "Send Them Again" }).click();
  await expect(heading("You're Subscribed Again")).toBeVisible();
  await expect(reader.getByRole("button", { name: "Unsubscribe" })).toBeVisible();
  await page.reload();
  await expect(page.getByText("Reaches 2 people")).toBeVisible();
  await expect(page.getByText("unsubscribed and won't get it")).toBeHidden();
});

test("a link that is cut or made up says so, and a press that fails changes nothing", async ({
  page,
  pageErrors,
}) => {
  const { data: token } = await serviceClient().rpc("opt_out_token", { p_email: "reader@people.test" });
  for (const address of [
    "/unsubscribe",
    `/unsubscribe#${token.slice(0, 70)}`,
    `/unsubscribe#${"0".repeat(96)}`,
  ]) {
    await page.goto("/");
    await page.goto(address);
    await expect(page.getByRole("heading", { level: 1, name: "Link Not Found" })).toBeVisible();
    await expect(page.getByRole("button", { name: "Unsubscribe" })).toBeHidden();
  }
  await expectAccessibleAtBothSizes(page);

  await page.goto("/");
  await page.goto(`/unsubscribe#${token}`);
  const unsubscribe = page.getByRole("button", { name: "Unsubscribe" });
  await expect(unsubscribe).toBeVisible();
  const failing = refusal("unavailable", "Not right now.");
  const letThrough = await answerWith(page, "**/functions/v1/unsubscribe", 503, failing);
  await unsubscribe.click();
  await expect(problems(page)).toContainText("Not right now.");
  expectRefusal(pageErrors, 503);
  await letThrough();
  await unsubscribe.click();
  await expect(page.getByRole("heading", { level: 1, name: "You're Unsubscribed" })).toBeVisible();
  await expect(problems(page)).toBeHidden();
});
