// The gate on a network that comes and goes, with a wrong clock, a full storage and a device that lost its rights: nobody
// switches a mode, and no scan is lost.
import type { Page } from "@playwright/test";
import { fakeCamera } from "../support/fake-camera.ts";
import { expect, status, test } from "../support/fixtures.ts";
import { answer, choose, openGate, signInHere, startScanning, typeCode } from "../support/gate-arrival.ts";

const camera = await fakeCamera();
test.use({
  launchOptions: camera.launchOptions,
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
});
test.beforeEach(() => camera.show({ seconds: 1 }));
// The browser logs every call that finds no network.
test.afterEach(({ pageErrors }) => {
  const left = pageErrors.filter(
    (error) => !/ERR_INTERNET_DISCONNECTED|ERR_FAILED|status of 403/.test(error),
  );
  pageErrors.splice(0, pageErrors.length, ...left);
});

const HOUR = 3_600_000;

/** Until the service worker keeps the whole gate. */
async function keptForOffline(page: Page): Promise<void> {
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
}

/** Cuts the API off; the page's own files come from the service worker when it is reloaded. */
async function cut(page: Page): Promise<void> {
  await page.context().setOffline(true);
}

test("lets people in offline, survives a reload, and hands the scans in by itself", async ({ page }) => {
  const gate = await openGate(status());
  const [first, second] = await gate.sell("general", "Olga Offline", "Rita Reload");
  await startScanning(page, await gate.newGatekeeper());
  await keptForOffline(page);
  await cut(page);
  await typeCode(page, first!.code);
  await expect(answer(page)).toContainText("Olga Offline");
  await expect(page.getByText("Offline since")).toBeVisible();
  await expect(page.getByText("1 scan to sync")).toBeVisible();

  await page.reload();
  await expect(page.getByText("1 scan to sync")).toBeVisible();
  await typeCode(page, first!.code);
  await expect(answer(page)).toContainText("Already in");
  await typeCode(page, second!.code);
  await expect(answer(page)).toContainText("Rita Reload");
  expect(await gate.admissions(first!.id)).toEqual([]);

  await page.context().setOffline(false);
  await expect(page.getByText("Online")).toBeVisible();
  await expect(page.getByText("to sync")).toBeHidden();
  expect(await gate.admissions(first!.id)).toMatchObject([{ is_offline: true, conflicts_with: null }]);
  expect(await gate.admissions(second!.id)).toHaveLength(1);
});

test("a server that does not answer in 1.2 s is not waited for, and its late answer counts once", async ({
  page,
}) => {
  const gate = await openGate(status());
  const [ticket] = await gate.sell("general", "Lena Late");
  await startScanning(page, await gate.newGatekeeper());
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route("**/rest/v1/rpc/gate_scan", async (route) => {
    const answered = await route.fetch();
    await released;
    await route.fulfill({ response: answered }).catch(() => {});
  });
  await typeCode(page, ticket!.code);
  await expect(answer(page)).toContainText("Lena Late");
  await expect(answer(page)).toContainText("Decided on this phone");
  release();
  await page.unroute("**/rest/v1/rpc/gate_scan");
  await expect(page.getByText("to sync")).toBeHidden();
  expect(await gate.admissions(ticket!.id)).toMatchObject([{ conflicts_with: null }]);
});

test("one code let in at two offline gates is a conflict that names both", async ({
  page,
  browser,
  baseURL,
}) => {
  const gate = await openGate(status());
  const [ticket] = await gate.sell("general", "Dora Double");
  await startScanning(page, await gate.newGatekeeper(), "main", "Gate north");
  const context = await browser.newContext({ baseURL, permissions: ["camera"] });
  const other = await context.newPage();
  await startScanning(other, await gate.newGatekeeper(), "main", "Gate south");
  for (const phone of [page, other]) {
    await cut(phone);
    await typeCode(phone, ticket!.code);
    await expect(answer(phone)).toContainText("Dora Double");
  }
  await page.context().setOffline(false);
  await expect(page.getByText("to sync")).toBeHidden();
  await context.setOffline(false);
  await other.getByRole("button", { name: "1 conflict: look" }).click();
  await expect(other.getByRole("dialog")).toContainText("Gate north");
  await expect(other.getByRole("dialog")).toContainText("Gate south");
  expect(await gate.admissions(ticket!.id)).toHaveLength(2);
  await context.close();
});

test("a clock that is three hours off writes down the right time, also offline", async ({ page }) => {
  const gate = await openGate(status());
  const [ticket] = await gate.sell("general");
  await page.clock.install({ time: Date.now() - 3 * HOUR });
  await startScanning(page, await gate.newGatekeeper());
  await expect(page.getByText("clock is 3 hours behind")).toBeVisible();
  await cut(page);
  await typeCode(page, ticket!.code);
  await expect(answer(page)).toContainText("Admit");
  const scannedAt = Date.now();
  await page.context().setOffline(false);
  await expect(page.getByText("to sync")).toBeHidden();
  const [admission] = await gate.admissions(ticket!.id);
  expect(Math.abs(Date.parse(String(admission!.admitted_at)) - scannedAt)).toBeLessThan(60_000);
});

test("a full storage is shown, and no scan is lost", async ({ page }) => {
  const gate = await openGate(status());
  const [ticket] = await gate.sell("general");
  await page.addInitScript(() => {
    const put = IDBObjectStore.prototype.put;
    IDBObjectStore.prototype.put = function (this: IDBObjectStore, ...args: Parameters<typeof put>) {
      if (this.name === "queue") throw new DOMException("full", "QuotaExceededError");
      return put.apply(this, args);
    };
  });
  await startScanning(page, await gate.newGatekeeper());
  await keptForOffline(page);
  await cut(page);
  await typeCode(page, ticket!.code);
  await expect(answer(page)).toContainText("Admit");
  await expect(page.getByText("Storage full")).toBeVisible();
  await page.reload();
  await expect(page.getByText("1 scan to sync")).toBeVisible();
  await page.context().setOffline(false);
  await expect(page.getByText("to sync")).toBeHidden();
  expect(await gate.admissions(ticket!.id)).toHaveLength(1);
});

test("a revoked device forgets the names, keeps its queue, and an administrator hands it in", async ({
  page,
}) => {
  const gate = await openGate(status());
  const [ticket] = await gate.sell("general", "Stella Stolen");
  await startScanning(page, await gate.newGatekeeper(), "main", "Stolen phone");
  await cut(page);
  await typeCode(page, ticket!.code);
  await expect(answer(page)).toContainText("Stella Stolen");
  const { error } = await gate.service
    .from("gate_devices")
    .update({ revoked_at: new Date().toISOString() })
    .eq("name", "Stolen phone");
  expect(error).toBeNull();
  await page.context().setOffline(false);
  await expect(page.getByRole("heading", { name: "Access removed" })).toBeVisible();
  await expect(page.getByText("1 scan waits on this phone")).toBeVisible();
  const names = await page.evaluate(
    () =>
      new Promise<unknown[]>((resolve) => {
        const asked = indexedDB.open("houston-culture-festival:gate");
        asked.addEventListener("success", () => {
          const all = asked.result.transaction("rows").objectStore("rows").getAll();
          all.addEventListener("success", () => resolve(all.result as unknown[]));
        });
      }),
  );
  expect(names).toEqual([]);

  await page.getByRole("button", { name: "Sign in as somebody else" }).click();
  await signInHere(page, await gate.newGatekeeper("admin"));
  await expect(page.getByText("1 scan waits")).toBeHidden();
  await expect.poll(async () => (await gate.admissions(ticket!.id)).length).toBe(1);
});

test("a role that is taken away closes the gate, and given back opens it again", async ({ page }) => {
  const gate = await openGate(status());
  const account = await gate.newGatekeeper();
  const [ticket] = await gate.sell("general");
  await startScanning(page, account);
  await gate.service.from("user_roles").delete().eq("user_id", account.id);
  await expect(page.getByRole("heading", { name: "Access removed" })).toBeVisible();
  await gate.service.from("user_roles").insert({ user_id: account.id, role: "gate" });
  await page.getByRole("button", { name: "Check again" }).click();
  await page.getByText("List from").waitFor();
  await typeCode(page, ticket!.code);
  await expect(answer(page)).toContainText("Admit");
});

test("without a camera or its permission, search and keyboard scanners go on", async ({ page }) => {
  const gate = await openGate(status());
  const [ticket] = await gate.sell("general");
  await page.addInitScript(() => {
    navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException("", "NotAllowedError"));
  });
  await page.goto("/gate");
  await signInHere(page, await gate.newGatekeeper());
  await choose(page, "main", "No camera");
  await expect(page.getByText("Camera not allowed")).toBeVisible();
  await typeCode(page, ticket!.code);
  await expect(answer(page)).toContainText("Admit");
});
