// What a buyer keeps after the sale: documents, the calendar entry, the mails once more, and codes that open without a network.
import { readFile } from "node:fs/promises";
import type { Page, Route } from "@playwright/test";
import { createAccount } from "../../support/shop/accounts.ts";
import { placeOrder } from "../../support/shop/admin-arrival.ts";
import { arriveSignedIn, SESSION_KEY } from "../../support/shop/arrival.ts";
import { expect, expectAccessible, status, test } from "../../support/fixtures.ts";
import { codesOf, openGateDevice } from "../../support/gate/device.ts";
import { expectLogged, hold, routeFromTheStart } from "../../support/page/faults.ts";
import { positionIn } from "../../support/page/code-viewer.ts";

const savedBy = async (page: Page, button: RegExp) => {
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: button }).first().click();
  const file = await saving;
  return {
    name: file.suggestedFilename(),
    head: (await readFile(await file.path())).subarray(0, 5).toString(),
  };
};

const kept = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<string>((done) => {
        const opening = indexedDB.open("houston-culture-festival:tickets");
        opening.onsuccess = () => {
          const database = opening.result;
          if (!database.objectStoreNames.contains("kept")) return done("[]");
          const reading = database.transaction("kept").objectStore("kept").getAll();
          reading.onsuccess = () => {
            database.close();
            done(JSON.stringify(reading.result));
          };
        };
      }),
  );

test("an order's documents are saved, its day is added to the calendar, and its mails are sent again", async ({
  page,
  account,
}) => {
  const order = await placeOrder({ buyerName: "Paula Papers", buyer: account, quantity: 2 });
  const number = order.slice(0, 8);
  await arriveSignedIn(page, account);
  await page.goto(`/order-confirmation?orderId=${order}`);
  expect(await savedBy(page, /^Tickets as PDF/)).toEqual({ name: `tickets-${number}.pdf`, head: "%PDF-" });
  expect(await savedBy(page, /^Receipt as PDF/)).toEqual({ name: `receipt-${number}.pdf`, head: "%PDF-" });
  await expect(page.getByRole("link", { name: "Add to Calendar" })).toHaveAttribute("href", "/festival.ics");
  await expect(page.getByRole("link", { name: "Google Calendar" })).toHaveAttribute(
    "href",
    /^https:\/\/calendar\.google\.com\/.*dates=20250627T160000Z%2F20250628T030000Z/,
  );
  const mails = async () => {
    const answer = await fetch(`${status().MAIL_URL}/api/messages?to=${encodeURIComponent(account.email)}`);
    const { messages } = (await answer.json()) as { messages: { subject: string }[] };
    return messages.filter(({ subject }) => subject.includes(number)).length;
  };
  await expect.poll(mails).toBe(1);
  const again = page.getByRole("button", { name: "Send All Tickets Again" });
  await again.click();
  await expect(page.getByText("Tickets Sent", { exact: true })).toBeVisible();
  await expect.poll(mails).toBe(2);
  await expectAccessible(page);
  await test.step("a computer keeps nothing unless asked to", async () => {
    await page.goto("/my-tickets");
    await expect(page.getByRole("button", { name: "Save on This Device" })).toBeVisible();
    expect(
      await page.evaluate(() => navigator.serviceWorker.getRegistrations().then(({ length }) => length)),
    ).toBe(0);
  });
  await test.step("a browser without room says so", async () => {
    await page.addInitScript(() => {
      const { setItem } = Storage.prototype;
      Storage.prototype.setItem = function (name, text) {
        if (/:keep-tickets|:kept-tickets-of/.test(name)) throw new DOMException("full", "QuotaExceededError");
        setItem.call(this, name, text);
      };
    });
    await page.reload();
    await page.getByRole("button", { name: "Save on This Device" }).click();
    await expect(page.getByText(/^This browser doesn't have room to save your codes\./)).toBeVisible();
    expect(await kept(page)).toBe("[]");
  });
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  test.beforeEach(async ({ page }) => void (await routeFromTheStart(page)));
  // The browser logs every call that finds no network.
  test.afterEach(({ pageErrors }) => {
    const left = pageErrors.filter((error) => !/Failed to fetch|ERR_FAILED .*\/assets\//.test(error));
    pageErrors.splice(0, pageErrors.length, ...left);
  });

  const visitUntilKept = async (page: Page) => {
    await page.goto("/my-tickets");
    await expect(page.getByText(/^Your codes are saved on this device/)).toBeVisible();
    await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  };

  for (const [how, answer] of [
    ["fails", (route: Route) => route.abort()],
    ["does not answer", () => {}],
  ] as const) {
    test(`codes open when the server ${how}, and one on the screen stays when it is back`, async ({
      page,
      account,
      pageErrors,
    }) => {
      await placeOrder({ buyerName: "Stella Stopped", buyer: account, quantity: 1, parking: false });
      await arriveSignedIn(page, account);
      await visitUntilKept(page);
      await page.route("**/rest/v1/**", answer);
      await page.reload();
      await expect(
        page.getByText("Your tickets can't be loaded right now. These are your saved codes."),
      ).toBeVisible({
        timeout: 20_000,
      });
      await page.getByRole("button", { name: "Show Codes" }).click();
      const code = page.getByRole("img", { name: "QR code of the ticket for Guest 1 of Stella Stopped" });
      await expect(code).toBeVisible();
      if (how === "does not answer") return;
      const back = page.waitForResponse(/rest\/v1\/tickets/);
      await page.unroute("**/rest/v1/**");
      await back;
      await expect(code).toBeVisible();
      await page.keyboard.press("Escape");
      await expect(page.getByText(/^Your codes are saved on this device/)).toBeVisible();
      await expectLogged(pageErrors, "net::ERR_FAILED");
    });
  }

  test("codes open without a network after one visit, with an expired token, and nothing is left for the next person", async ({
    page,
    account,
    context,
  }) => {
    await placeOrder({ buyerName: "Olga Offline", buyer: account, quantity: 2, parking: true });
    await arriveSignedIn(page, account);
    await visitUntilKept(page);
    await expectAccessible(page);
    await expect
      .poll(() =>
        page.evaluate(
          async () => (await navigator.serviceWorker.getRegistration("/dashboard"))?.active?.state,
        ),
      )
      .toBe("activated");

    await context.setOffline(true);
    await page.goto("/dashboard");
    await expect(page).toHaveURL("/my-tickets");
    await expect(page.getByText(/^You're offline\. These are your saved codes/)).toBeVisible();
    await page.reload();
    await expect(page.getByText(/^You're offline\. These are your saved codes/)).toBeVisible();
    await expect(page.getByText(/Saved .* CT\./)).toBeVisible();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Show Codes" }).click();
    const viewer = page.getByRole("dialog", { name: "Entry codes" });
    const code = viewer.getByRole("img", { name: "QR code of the ticket for Guest 1 of Olga Offline" });
    await expect
      .poll(() => code.evaluate((image: HTMLImageElement) => image.naturalWidth))
      .toBeGreaterThan(0);
    await viewer.getByRole("button", { name: "Next" }).click();
    await viewer.getByRole("button", { name: "Next" }).click();
    await expect(viewer.getByRole("img", { name: /parking pass General Parking/ })).toBeVisible();
    await expect(positionIn(viewer)).toHaveText(/^3 of 3:/);
    await expectAccessible(page);

    // A token lasts for an hour; without a network it cannot be renewed.
    await page.evaluate((key) => {
      const session = JSON.parse(localStorage.getItem(key)!);
      localStorage.setItem(key, JSON.stringify({ ...session, expires_at: 1 }));
    }, SESSION_KEY);
    await page.reload();
    await page.getByRole("button", { name: "Show Codes" }).click();
    await expect(code).toBeVisible();
    await page.keyboard.press("Escape");

    await context.setOffline(false);
    // The client's pauses between its attempts to renew the token grow up to 13 seconds.
    await expect(page.getByText(/^Your codes are saved on this device/)).toBeVisible({ timeout: 30_000 });
    await expect.poll(() => kept(page)).toContain("Olga Offline");
    await page.getByRole("button", { name: "Remove from This Device" }).click();
    await expect.poll(() => kept(page)).toBe("[]");
    await page.getByRole("button", { name: "Save on This Device" }).click();
    await expect.poll(() => kept(page)).toContain("Olga Offline");

    await context.setOffline(true);
    await expect(page.getByText(/^You're offline\. These are your saved codes/)).toBeVisible();
    await page.getByRole("button", { name: /menu/i }).first().click();
    await page.getByRole("button", { name: "Logout" }).click();
    await expect(page.getByText("You're offline and not signed in.")).toBeVisible();
    await expect.poll(() => kept(page)).toBe("[]");
    await page.reload();
    await expect(page.getByText("You're offline and not signed in.")).toBeVisible();
    await expect(page.getByText("Olga Offline")).toHaveCount(0);
  });

  test("a second tab keeps nothing again once the codes were removed in the first", async ({
    page,
    account,
    context,
  }) => {
    const order = await placeOrder({ buyerName: "Tia Twotabs", buyer: account });
    await arriveSignedIn(page, account);
    await visitUntilKept(page);
    const second = await context.newPage();
    await visitUntilKept(second);
    await page.getByRole("button", { name: "Remove from This Device" }).click();
    await expect.poll(() => kept(page)).toBe("[]");
    const { tickets } = await codesOf(order);
    const phone = await openGateDevice(`Twotabs ${order.slice(0, 8)}`);
    expect(await phone.scan({ code_id: tickets[0]! })).toMatchObject([{ result: "admitted" }]);
    await expect(second.getByRole("article").filter({ hasText: "Tia Twotabs" })).toContainText("Checked in");
    await expect(second.getByRole("button", { name: "Save on This Device" })).toBeVisible();
    expect(await kept(page)).toBe("[]");
    await second.getByRole("button", { name: "Save on This Device" }).click();
    await expect(page.getByRole("button", { name: "Remove from This Device" })).toBeVisible();
    await expect.poll(() => kept(page)).toContain("Tia Twotabs");
  });

  for (const keeps of ["every code", "none"])
    test(`a log-out keeps no codes again on a phone that was to keep ${keeps}`, async ({ page, account }) => {
      const order = await placeOrder({ buyerName: "Nia Nothing", buyer: account });
      // The log-out waits for a check of the session, however long that takes.
      await page.addInitScript((patienceMs) => {
        const set = setTimeout;
        const patient = (run: () => void, ms?: number) => (ms === patienceMs ? 0 : set(run, ms));
        globalThis.setTimeout = patient as typeof setTimeout;
      }, 4000);
      await arriveSignedIn(page, account);
      await visitUntilKept(page);
      await page.getByRole("button", { name: "Remove from This Device" }).click();
      await expect.poll(() => kept(page)).toBe("[]");
      if (keeps === "every code") {
        await page.getByRole("button", { name: "Save on This Device" }).click();
        await expect.poll(() => kept(page)).toContain("Nia Nothing");
      }
      const choice = () => page.evaluate(() => localStorage.getItem("houston-culture-festival:keep-tickets"));
      expect(await choice()).toBe(keeps === "none" ? "no" : "yes");
      const goOn = await hold(page, "**/auth/v1/user");
      const check = page.waitForRequest("**/auth/v1/user");
      await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
      await check;
      await page.getByRole("button", { name: /menu/i }).first().click();
      await page.getByRole("button", { name: "Logout" }).click();
      await expect.poll(choice).toBeNull();
      await expect.poll(() => kept(page)).toBe("[]");
      const { tickets } = await codesOf(order);
      const phone = await openGateDevice(`Nothing ${order.slice(0, 8)}`);
      expect(await phone.scan({ code_id: tickets[0]! })).toMatchObject([{ result: "admitted" }]);
      await expect(page.getByRole("article").filter({ hasText: "Nia Nothing" })).toContainText("Checked in");
      expect(await kept(page)).toBe("[]");
      goOn();
      await expect(page).toHaveURL("/auth");
      expect(await kept(page)).toBe("[]");
    });

  test("another person's sign-in removes the codes of the previous one", async ({ page, account }) => {
    await placeOrder({ buyerName: "Olga Offline", buyer: account });
    await arriveSignedIn(page, account);
    await visitUntilKept(page);
    await expect.poll(() => kept(page)).toContain("Olga Offline");
    await arriveSignedIn(page, await createAccount(status()));
    await page.goto("/tickets");
    await expect.poll(() => kept(page)).toBe("[]");
  });
});
