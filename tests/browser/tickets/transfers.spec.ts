// A ticket changes hands: from its buyer to a person without an account, and to a person with one, who corrects it.
import type { Page } from "@playwright/test";
import { createAccount, newEmail } from "../../support/shop/accounts.ts";
import { placeOrder } from "../../support/shop/admin-arrival.ts";
import { arriveSignedIn } from "../../support/shop/arrival.ts";
import { signIn } from "../../support/shop/buyer.ts";
import { expect, expectAccessible, expectRefusal, status, test } from "../../support/fixtures.ts";
import { codesOf, openGateDevice } from "../../support/gate/device.ts";
import { linkIn } from "../../support/server/mailbox.ts";
import { problems } from "../../support/page/problems.ts";

const cardOf = (page: Page, name: string) =>
  page.getByRole("article", { name: `General Admission for ${name}` });

/** Shown on every page about the ticket. */
const WHEN = /\d{4}, .*(AM|PM)/;

async function offer(page: Page, holder: string, name: string, email: string) {
  await page.getByRole("button", { name: `Transfer the ticket of ${holder}` }).click();
  const dialog = page.getByRole("dialog", { name: /^Transfer Ticket/ });
  await dialog.getByLabel("Their Full Name").fill(name);
  await dialog.getByLabel("Their Email").fill(email);
  await dialog.getByRole("button", { name: "Offer Ticket" }).click();
  return dialog;
}

test("a ticket is transferred to a person without an account: their code admits, the buyer's is void, and the buyer sees who has it", async ({
  page,
  account,
  browser,
  baseURL,
  mailbox,
  pageErrors,
}) => {
  test.slow();
  const order = await placeOrder({ buyerName: "Tara Giver", buyer: account, quantity: 2 });
  const [first, second] = ["Guest 1 of Tara Giver", "Guest 2 of Tara Giver"] as const;
  const { tickets } = await codesOf(order);
  const email = newEmail("ben");
  await arriveSignedIn(page, account);
  await page.goto("/my-tickets");
  await expect(cardOf(page, first).getByRole("img", { name: /^QR code/ })).toBeVisible();

  // Refused, and what was typed is still there.
  const dialog = await offer(page, first, "Ben Diaz", account.email);
  await expect(problems(dialog)).toContainText("That is your own address");
  expectRefusal(pageErrors, 400);
  await expect(dialog.getByLabel("Their Full Name")).toHaveValue("Ben Diaz");
  await expectAccessible(page);
  await dialog.getByLabel("Their Email").fill(email);
  await dialog.getByRole("button", { name: "Offer Ticket" }).click();
  await expect(cardOf(page, first)).toContainText(`Offered to Ben Diaz (${email}), not accepted yet`);
  await expect(cardOf(page, first).getByRole("heading")).toBeFocused();
  await expect(cardOf(page, first).getByRole("img", { name: /^QR code/ })).toBeVisible();
  await expectAccessible(page);

  // Another one is recalled before anybody has opened it.
  const other = newEmail("eve");
  await offer(page, second, "Eve Late", other);
  const dead = linkIn(await mailbox.newest(other, /waiting for you/), "/transfer#");
  await page.getByRole("button", { name: "Cancel offer to Eve Late" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Cancel Offer" }).click();
  await expect(page.getByRole("button", { name: `Transfer the ticket of ${second}` })).toBeVisible();
  await expect(cardOf(page, second).getByRole("heading")).toBeFocused();

  const context = await browser.newContext({ baseURL });
  const ben = await context.newPage();
  await ben.goto(dead);
  await expect(ben.getByRole("heading", { level: 1, name: "Offer Canceled" })).toBeVisible();
  await ben.goto(`/transfer#${"0".repeat(64)}`);
  await expect(ben.getByRole("heading", { level: 1, name: "Link Not Found" })).toBeVisible();
  await ben.goto(linkIn(await mailbox.newest(email, /waiting for you/), "/transfer#"));
  await expect(ben.getByText("Tara Giver would like to transfer 1 ticket to you.")).toBeVisible();
  await expectAccessible(ben);
  await ben.getByRole("button", { name: "Accept the Ticket" }).click();
  await expect(ben.getByRole("heading", { level: 1, name: "The Ticket Is Yours" })).toBeVisible();
  await expect(ben.getByRole("img", { name: /^Entry code of the General Admission/ })).toBeVisible();
  await expect(ben.getByRole("main").getByText(WHEN)).toBeVisible();
  await expectAccessible(ben);
  const mail = await mailbox.newest(email, /^Your ticket for/);
  expect(mail.attachments.map(({ filename }) => filename)).toEqual([`ticket-${tickets[0]}.png`]);
  await ben.reload();
  await expect(ben.getByRole("heading", { level: 1, name: "Already Accepted" })).toBeVisible();
  await expect(ben.getByRole("main").getByText(WHEN)).toBeVisible();
  await ben.getByRole("button", { name: "Send the Code Again" }).click();
  await expect(ben.getByText("It is on its way.")).toBeVisible();
  await expectAccessible(ben);

  // The buyer's page updates itself.
  await expect(page.getByText(`General Admission #${tickets[0]!.slice(0, 8)} to Ben Diaz`)).toBeVisible({
    timeout: 30_000,
  });
  await expect(cardOf(page, first)).toHaveCount(0);
  await expect(cardOf(page, second)).toBeVisible();
  await expectAccessible(page);

  const phone = await openGateDevice(`Door ${order.slice(0, 8)}`);
  const [old] = await phone.scan({ code_id: tickets[0]!, issue_number: 1 });
  expect(old).toMatchObject({ result: "old_code", detail: "transferred", person: { name: "" } });
  const [admitted] = await phone.scan({ code_id: tickets[0]!, issue_number: 2 });
  expect(admitted).toMatchObject({ result: "admitted", person: { name: "Ben Diaz" } });
  await context.close();
});

test("a ticket is accepted after signing in, appears under the user's own tickets, and is corrected there with a new code", async ({
  page,
  account,
  mailbox,
  pageErrors,
}) => {
  test.slow();
  const giver = await createAccount(status());
  await placeOrder({ buyerName: "Gil Giver", buyer: giver });
  await arriveSignedIn(page, giver);
  await page.goto("/my-tickets");
  await offer(page, "Guest 1 of Gil Giver", "Cid Onno", account.email);
  const link = linkIn(await mailbox.newest(account.email, /waiting for you/), "/transfer#");
  await page.goto(link);
  await expect(page.getByRole("heading", { level: 1, name: "Your Own Offer" })).toBeVisible();
  await page.getByRole("banner").getByRole("button", { name: "Logout" }).click();
  await expect(page.getByRole("banner").getByRole("link", { name: "Login" })).toBeVisible();

  await page.goto(link);
  await page.getByRole("link", { name: "Sign In First" }).click();
  await expect(page).toHaveURL("/auth");
  await signIn(page, account);
  await page.getByRole("button", { name: "Accept the Ticket" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "The Ticket Is Yours" })).toBeVisible();
  await page.getByRole("main").getByRole("link", { name: "My Tickets" }).click();
  await expect(page.getByText("transferred by Gil Giver")).toBeVisible();
  const code = cardOf(page, "Cid Onno").getByRole("img", { name: /^QR code/ });
  await expect(code).toBeVisible();
  const before = await code.getAttribute("src");

  await page.getByRole("button", { name: "Edit Name or Email for Cid Onno" }).click();
  const dialog = page.getByRole("dialog", { name: "Edit Name or Email" });
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog.getByRole("alert")).toHaveText(
    "Nothing has changed. Edit the name or the email address first.",
  );
  await dialog.getByLabel("Full Name").fill("");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog.getByText("Name is required")).toBeVisible();
  await dialog.getByLabel("Full Name").fill("Cid Ono");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Save" }).click();
  const corrected = cardOf(page, "Cid Ono").getByRole("img", { name: /^QR code/ });
  await expect(corrected).toBeVisible();
  expect(await corrected.getAttribute("src")).not.toBe(before);
  expect((await mailbox.newest(account.email, /^Your updated ticket for/)).text).toContain("Cid Ono");
  expect(pageErrors).toEqual([]);
});
