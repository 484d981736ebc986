// How a ticket gets into a phone's wallet: a button below each ticket for every wallet with the organizer's keys, and none without.
// The result of a click is opened as the wallet does.
import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { makeWalletKeys, type WalletKeys } from "../../../shop/testing/wallets.ts";
import type { Account } from "../../support/shop/accounts.ts";
import { placeOrder } from "../../support/shop/admin-arrival.ts";
import { arriveSignedIn, serviceClient } from "../../support/shop/arrival.ts";
import { expect, expectAccessible, test } from "../../support/fixtures.ts";
import { ARRIVING } from "../../support/page/faults.ts";
import { useOwnFestival } from "../../support/server/own-festival.ts";

test.describe.configure({ mode: "default" });

/** Opens My Tickets with one ticket and its code, once the page knows which wallets are offered. */
async function arriveWithTicket(page: Page, buyer: Account) {
  const order = await placeOrder({ buyerName: "Wanda Wallet", buyer });
  const { data, error } = await serviceClient().from("tickets").select("id").eq("order_id", order).single();
  if (error) throw error;
  await arriveSignedIn(page, buyer);
  const answer = page.waitForResponse(/\/functions\/v1\/wallet-pass$/, ARRIVING);
  await page.goto("/my-tickets");
  const offers = (await (await answer).json()) as Record<string, boolean>;
  const code = page.getByRole("img", { name: "QR code of the ticket for Guest 1 of Wanda Wallet" });
  await expect.poll(() => code.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
  return { ticketId: data.id as string, offers };
}

const button = (page: Page, wallet: string) =>
  page.getByRole("button", { name: `Add to ${wallet}: Guest 1 of Wanda Wallet` });

test.describe("with the organizer's keys", () => {
  let keys: WalletKeys;
  useOwnFestival(async () => {
    keys = makeWalletKeys();
    return keys.settings;
  });
  test.afterAll(() => keys.close());

  test("Apple's file opens as a signed pass, and Google's link contains the signed ticket", async ({
    page,
    account,
  }) => {
    const { ticketId } = await arriveWithTicket(page, account);
    await expect(button(page, "Google Wallet")).toBeVisible();
    await expectAccessible(page);

    const saving = page.waitForEvent("download");
    await button(page, "Apple Wallet").click();
    const file = await saving;
    expect(file.suggestedFilename()).toBe(`ticket-${ticketId.slice(0, 8)}.pkpass`);
    const files = keys.openPass(await readFile(await file.path()));
    const pass = JSON.parse(files.get("pass.json")!.toString());
    expect(pass).toMatchObject({ passTypeIdentifier: "pass.test", serialNumber: ticketId });
    expect(JSON.stringify(pass.eventTicket)).toContain("Guest 1 of Wanda Wallet");

    await page.route("https://pay.google.com/**", (route) =>
      route.fulfill({ contentType: "text/html", body: "<!doctype html><title>Save</title>" }),
    );
    await button(page, "Google Wallet").click();
    await page.waitForURL("https://pay.google.com/**");
    const { payload } = await keys.openLink(page.url());
    expect(payload).toMatchObject({
      eventTicketObjects: [
        { id: expect.stringContaining(ticketId), ticketHolderName: "Guest 1 of Wanda Wallet" },
      ],
    });
  });
});

test("without keys, no wallet is offered", async ({ page, account }) => {
  expect((await arriveWithTicket(page, account)).offers).toEqual({ apple: false, google: false });
  await expect(page.getByRole("button", { name: /^Add to/ })).toHaveCount(0);
});
