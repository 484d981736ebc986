// The gate on a network that comes and goes, with a wrong clock, a full storage and a device that lost its rights: nobody
// switches a mode, and no scan is lost.
import { RECONNECTING } from "../../support/page/faults.ts";
import { expect, expectAccessible, status } from "../../support/fixtures.ts";
import { answer, signInHere, typeCode } from "../../support/gate/arrival.ts";
import { type GateBuilds, serveBuilds } from "../../support/gate/builds.ts";
import { test } from "../../support/gate/fixtures.ts";
import { cut, keptForOffline, networkComesAndGoes, SCAN_CALL, scanning } from "../../support/gate/network.ts";

networkComesAndGoes(test);

const HOUR = 3_600_000;
test("lets people in offline, survives a reload, and submits the scans automatically", async ({
  page,
  gate,
}) => {
  const [first, second] = await gate.sell("general", "Olga Offline", "Rita Reload");
  await scanning(page, gate);
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

test("reads codes with the camera after a reload without a network, even if the browser's own cache is empty", async ({
  page,
  gate,
  camera,
}) => {
  const [ticket] = await gate.sell("general", "Cora Camera");
  await scanning(page, gate);
  await keptForOffline(page);
  camera.show({ code: ticket!.code, seconds: 1 });
  const browser = await page.context().newCDPSession(page);
  await browser.send("Network.clearBrowserCache");
  await cut(page);
  await page.addInitScript(shakeAsUntouched);
  await page.reload();
  await expect(answer(page)).toContainText("Cora Camera");
  await expect(page.getByText("Code reader missing")).toBeHidden();
});

/**
 * Runs in the page: vibrates as Chrome does on a page that nobody has touched. Playwright's own calls count as a touch.
 */
function shakeAsUntouched(): void {
  Object.defineProperty(navigator, "userActivation", { value: { hasBeenActive: false } });
  navigator.vibrate = () => {
    console.error("Blocked call to navigator.vibrate");
    return false;
  };
}

/** Runs in the page: closes connections as Safari does for a page that was in the background. */
function endConnections(): void {
  const { transaction } = IDBDatabase.prototype;
  const { open } = IDBFactory.prototype;
  let isEnded = true;
  IDBDatabase.prototype.transaction = function (this: IDBDatabase, ...args) {
    if (isEnded) throw new DOMException("The database connection is closing.", "InvalidStateError");
    return transaction.apply(this, args);
  };
  IDBFactory.prototype.open = function (this: IDBFactory, ...args) {
    isEnded = false;
    return open.apply(this, args);
  };
}

test("an admission is undone offline from the recent scans, also after a reload, and submitted", async ({
  page,
  gate,
}) => {
  const [ticket] = await gate.sell("general", "Ora Offline");
  await scanning(page, gate);
  await keptForOffline(page);
  await cut(page);
  await page.evaluate(endConnections);
  await typeCode(page, ticket!.code);
  await expect(answer(page)).toContainText("Ora Offline");
  await expect(page.getByText("Storage full")).toBeHidden();
  await page.evaluate(() => localStorage.removeItem("houston-culture-festival:gate-queue"));
  await page.reload();
  await page.getByRole("button", { name: "Recent" }).click();
  await page.getByRole("button", { name: "Undo Ora Offline" }).click();
  await page.getByRole("button", { name: "Did not go in" }).click();
  await expect(answer(page)).toContainText("Undone");
  await expect(page.getByText("2 scans to sync")).toBeVisible();
  await page.context().setOffline(false);
  await expect(page.getByText("to sync")).toBeHidden();
  expect(await gate.admissions(ticket!.id)).toMatchObject([{ undo_reason: "Did not go in" }]);
});

test("what is slow is waited for only where it may be, and lets nobody in by mistake", async ({
  page,
  gate,
}) => {
  // In the phone's list, which does without the server's answer.
  const [first, second, , late] = await gate.sell(
    "general",
    "Fay First",
    "Sue Second",
    "Pia Previous",
    "Lena Late",
  );
  await scanning(page, gate);
  await test.step("input from a keyboard scanner waits while a code is checked", async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route(SCAN_CALL, async (route) => {
      await released;
      await route.continue();
    });
    const asked = page.waitForRequest(SCAN_CALL);
    await typeCode(page, first!.code);
    await asked;
    await typeCode(page, second!.code);
    release();
    await expect(answer(page)).toContainText("Sue Second");
    await expect.poll(() => gate.admissions(first!.id)).toHaveLength(1);
    await expect.poll(() => gate.admissions(second!.id)).toHaveLength(1);
    await page.unroute(SCAN_CALL);
    await answer(page).getByRole("button", { name: "Next" }).click();
  });
  await test.step("the previous search's results let nobody in while the next search runs", async () => {
    await page.getByRole("button", { name: "Search" }).click();
    const field = page.getByLabel(/^Name, email, order/);
    const found = page.getByLabel("Found", { exact: true });
    await field.fill("pia previous");
    await expect(found).toContainText("Pia Previous");
    await expect(found).not.toHaveAttribute("inert");
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route("**/rest/v1/rpc/gate_search", async (route) => {
      await released;
      await route.continue();
    });
    await field.fill("pia nobody");
    await expect(page.getByText("Searching…")).toBeVisible();
    await expect(found).toHaveAttribute("inert");
    release();
    await expect(page.getByText("No results for “pia nobody”.")).toBeVisible();
    await page.unroute("**/rest/v1/rpc/gate_search");
    await page.getByRole("button", { name: "Close", exact: true }).click();
  });
  await test.step("a server that does not answer in 1.2 s is not waited for, and its late answer counts once", async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route(SCAN_CALL, async (route) => {
      const answered = await route.fetch(RECONNECTING);
      await released;
      await route.fulfill({ response: answered }).catch(() => {});
    });
    await typeCode(page, late!.code);
    await expect(answer(page)).toContainText("Lena Late");
    await expect(answer(page)).toContainText("Decided on this phone");
    release();
    await page.unroute(SCAN_CALL);
    await expect(page.getByText("to sync")).toBeHidden();
    expect(await gate.admissions(late!.id)).toMatchObject([{ conflicts_with: null }]);
  });
});

test("one code admitted at two offline gates is a conflict that names both", async ({
  page,
  gate,
  browser,
  baseURL,
}) => {
  const [ticket] = await gate.sell("general", "Dora Double");
  await scanning(page, gate, { name: "Gate north" });
  const context = await browser.newContext({ baseURL, permissions: ["camera"] });
  const other = await context.newPage();
  await scanning(other, gate, { name: "Gate south" });
  for (const phone of [page, other]) {
    await cut(phone);
    await typeCode(phone, ticket!.code);
    await expect(answer(phone)).toContainText("Dora Double");
  }
  await page.context().setOffline(false);
  await expect(page.getByText("to sync")).toBeHidden();
  await context.setOffline(false);
  await other.getByRole("button", { name: "1 conflict: view" }).click();
  await expect(other.getByRole("dialog")).toContainText("Gate north");
  await expect(other.getByRole("dialog")).toContainText("Gate south");
  expect(await gate.admissions(ticket!.id)).toHaveLength(2);
  await context.close();
});

test("a clock that is three hours off does not matter: doors open in time, and the right time is recorded", async ({
  page,
  gate,
}) => {
  const [ticket] = await gate.sell("general");
  let opensAt = Date.now() + HOUR;
  await page.route("**/rest/v1/rpc/gate_{open,list}", async (route) => {
    const response = await route.fetch(RECONNECTING);
    const opened = (await response.json()) as { settings?: object };
    await route.fulfill({
      response,
      json: { ...opened, settings: { ...opened.settings, doors_open_at: opensAt } },
    });
  });
  await page.clock.install({ time: Date.now() - 3 * HOUR });
  await scanning(page, gate);
  await expect(page.getByText("clock is 3 hours behind")).toBeVisible();
  const closed = page.getByText(/^Doors open .*\.$/);
  await expect(closed).toBeVisible();
  await cut(page);
  await typeCode(page, ticket!.code);
  await expect(answer(page)).toContainText("Not now");
  await expect(answer(page)).toContainText("Doors open");
  opensAt = Date.now() - HOUR; // by the phone's own clock still two hours away
  await page.context().setOffline(false);
  await expect(closed).toBeHidden();
  await expect(page.getByText("to sync")).toBeHidden();
  await cut(page);
  await typeCode(page, ticket!.code);
  await expect(answer(page)).toContainText(/Admit(?!ted)/);
  const scannedAt = Date.now();
  await page.context().setOffline(false);
  await expect(page.getByText("to sync")).toBeHidden();
  const [admission] = await gate.admissions(ticket!.id);
  expect(Math.abs(Date.parse(String(admission!.admitted_at)) - scannedAt)).toBeLessThan(60_000);
});

test("a full storage is reported, no scan is lost, and the list is complete again once there is room", async ({
  page,
  gate,
}) => {
  const [ticket, later] = await gate.sell("general", "Fay Full", "Rory Room");
  await page.addInitScript(() => {
    const put = IDBObjectStore.prototype.put;
    IDBObjectStore.prototype.put = function (this: IDBObjectStore, ...args: Parameters<typeof put>) {
      if (this.name !== "saved" && !localStorage.getItem("room"))
        throw new DOMException("full", "QuotaExceededError");
      return put.apply(this, args);
    };
  });
  await scanning(page, gate);
  await keptForOffline(page);
  await cut(page);
  await typeCode(page, ticket!.code);
  await expect(answer(page)).toContainText(/Admit(?!ted)/);
  await expect(page.getByText("Storage full")).toBeVisible();
  await page.evaluate(() => localStorage.setItem("room", "yes"));
  await page.reload();
  await expect(page.getByText("1 scan to sync")).toBeVisible();
  await page.context().setOffline(false);
  await expect(page.getByText("to sync")).toBeHidden();
  expect(await gate.admissions(ticket!.id)).toHaveLength(1);
  // The scan is submitted first, and the list follows. Until then it has only the scanned code.
  await page.getByRole("button", { name: "Menu" }).click();
  await expect(page.getByText(/^([2-9]|[1-9]\d+) codes from/)).toBeVisible();
  await page.getByRole("button", { name: "Close" }).click();
  await cut(page);
  await typeCode(page, later!.code);
  await expect(answer(page), "the row that found no room was fetched again").toContainText("Rory Room");
});

test("hundreds of scans reach a server that fails, disconnects and refuses, each once, and the number left is shown", async ({
  page,
  gate,
}) => {
  const [ticket, refused] = await gate.sell("general", "Hana Hundreds", "Nora Never");
  const name = `Long queue ${Date.now()}`;
  await scanning(page, gate, { name });
  await keptForOffline(page);
  await cut(page);
  for (const { code } of [refused!, ticket!]) {
    await typeCode(page, code);
    await expect(answer(page)).toContainText("Decided on this phone");
  }
  await page.evaluate(queueRefusals, 300);
  await page.reload();
  await expect(page.getByText("302 scans to sync")).toBeVisible();

  let calls = 0;
  let lets = () => {};
  const looked = new Promise<void>((resolve) => (lets = resolve));
  await page.route(SCAN_CALL, async (route) => {
    calls++;
    if (calls === 1) return route.fulfill({ status: 503, json: { message: "busy" } });
    const body = route.request().postDataJSON() as { p_scans: { id: string; code_id: string | null }[] };
    const p_scans = body.p_scans.filter(({ code_id }) => code_id !== refused!.id);
    const response = await route.fetch({ ...RECONNECTING, postData: { ...body, p_scans } });
    if (calls === 2) return route.abort(); // recorded, but the answer never arrives
    if (calls === 4) await looked;
    await route.fulfill({ response });
  });
  await page.context().setOffline(false);
  // After two failures, with a pause of three seconds before each next call.
  await expect(page.getByText(/^2\d\d scans to sync$/)).toBeVisible({ timeout: 30_000 });
  lets();
  await expect(page.getByText("1 scan to sync", { exact: true })).toBeVisible();
  expect(await gate.admissions(refused!.id), "kept, and in nobody's way").toEqual([]);
  await page.unroute(SCAN_CALL);
  await expect(page.getByText("to sync")).toBeHidden();
  for (const { id } of [refused!, ticket!]) expect(await gate.admissions(id)).toHaveLength(1);
  const { count } = await gate.service
    .from("gate_refusals")
    .select("id, gate_devices!inner()", { count: "exact", head: true })
    .eq("gate_devices.name", name);
  expect(count).toBe(300);
});

/** Runs in the page: as if this many bad codes had been shown while it was offline. */
async function queueRefusals(count: number): Promise<void> {
  const database = await new Promise<IDBDatabase>((resolve) => {
    const asked = indexedDB.open("houston-culture-festival:gate");
    asked.addEventListener("success", () => resolve(asked.result));
  });
  const transaction = database.transaction("queue", "readwrite");
  for (let seq = 101; seq <= 100 + count; seq++) {
    const scan = {
      id: crypto.randomUUID(),
      code_id: null,
      issue_number: null,
      action: "refused",
      at: Date.now(),
      decided: "unknown",
      reason: "malformed",
      by: "camera",
    };
    transaction.objectStore("queue").put({ seq, scan });
  }
  await new Promise((resolve) => transaction.addEventListener("complete", resolve));
  database.close();
}

test.describe("with a new build", () => {
  let builds: GateBuilds;
  test.use({
    baseURL: async ({}, use) => {
      builds = await serveBuilds(status().API_URL!);
      await use(builds.url);
      builds.close();
    },
  });

  test("it waits while somebody scans, loses nothing, and takes over when the gate is next opened", async ({
    page,
    gate,
  }) => {
    const [ticket] = await gate.sell("general", "Una Update");
    await scanning(page, gate);
    await keptForOffline(page);
    // A call may be in progress when the page is closed.
    await page.route(SCAN_CALL, (route) => route.abort().catch(() => {}));
    await typeCode(page, ticket!.code);
    await expect(answer(page)).toContainText("Una Update");
    builds.release();
    expect(await page.evaluate(waitForBuild), "the new build beside the old").toBe(2);
    await expect(answer(page), "the answer stays").toContainText("Una Update");
    await expect(page.getByText("1 scan to sync")).toBeVisible();

    // Next opened: the phone's last page of the gate was closed.
    const next = await page.context().newPage();
    await next.goto("/robots.txt");
    await page.close();
    await expect.poll(() => next.evaluate(buildsKept)).toBe(1);
    await next.goto("/gate");
    await expect.poll(() => gate.admissions(ticket!.id)).toHaveLength(1);
  });
});

/** Runs in the page. */
const buildsKept = async () => (await caches.keys()).filter((name) => name.startsWith("gate-")).length;

/** Runs in the page: requests a new service worker and waits until it has fetched its files. */
async function waitForBuild(): Promise<number> {
  const registration = (await navigator.serviceWorker.getRegistration())!;
  while (!navigator.serviceWorker.controller) await new Promise((resolve) => setTimeout(resolve, 20));
  await registration.update();
  while (!registration.waiting) await new Promise((resolve) => setTimeout(resolve, 20));
  return (await caches.keys()).filter((name) => name.startsWith("gate-")).length;
}

test("a revoked device deletes the names, keeps its queue, and an administrator only submits it", async ({
  page,
  gate,
}) => {
  const [ticket] = await gate.sell("general", "Stella Stolen");
  const stolen = `Stolen phone ${Date.now()}`;
  await scanning(page, gate, { account: await gate.newGatekeeper(), name: stolen });
  await cut(page);
  await typeCode(page, ticket!.code);
  await expect(answer(page)).toContainText("Stella Stolen");
  const { error } = await gate.service
    .from("gate_devices")
    .update({ revoked_at: new Date().toISOString() })
    .eq("name", stolen);
  expect(error).toBeNull();
  await page.context().setOffline(false);
  await expect(page.getByRole("heading", { name: "Access removed" })).toBeVisible();
  await expect(page.getByText("1 scan waits on this phone")).toBeVisible();
  await expectAccessible(page);
  await expect.poll(() => page.evaluate(namesKept)).toEqual([]);

  await page.getByRole("button", { name: "Use another account" }).click();
  await signInHere(page, await gate.newGatekeeper("admin"));
  await expect(page.getByText("1 scan waits")).toBeHidden();
  await expect.poll(async () => (await gate.admissions(ticket!.id)).length).toBe(1);
  await expect(page.getByRole("heading", { name: "Access removed" })).toBeVisible();
  await page.reload();
  await expect(page.getByRole("heading", { name: "Access removed" })).toBeVisible();
  await expect(page.getByText("An administrator has revoked this phone.")).toBeVisible();
  await expect.poll(() => page.evaluate(namesKept)).toEqual([]);
});

/** Runs in the page. */
function namesKept(): Promise<unknown[]> {
  return new Promise((resolve) => {
    const asked = indexedDB.open("houston-culture-festival:gate");
    asked.addEventListener("success", () => {
      const all = asked.result.transaction("rows").objectStore("rows").getAll();
      all.addEventListener("success", () => {
        asked.result.close();
        resolve(all.result as unknown[]);
      });
    });
  });
}

test("a revoked role closes the gate, and a restored one opens it again", async ({ page, gate }) => {
  const account = await gate.newGatekeeper();
  const [ticket] = await gate.sell("general");
  await scanning(page, gate, { account });
  await gate.service.from("user_roles").delete().eq("user_id", account.id);
  await expect(page.getByRole("heading", { name: "Access removed" })).toBeVisible();
  await gate.service.from("user_roles").insert({ user_id: account.id, role: "gate" });
  await page.getByRole("button", { name: "Check again" }).click();
  await page.getByText("List from").waitFor();
  await typeCode(page, ticket!.code);
  await expect(answer(page)).toContainText(/Admit(?!ted)/);
});
