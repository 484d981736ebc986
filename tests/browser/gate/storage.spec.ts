// A gate phone whose storage fails: it cannot be read at the start, or another page holds it. The person at the gate learns what
// is wrong and continues, and no waiting scan is lost or submitted out of order.
import type { Page } from "@playwright/test";
import { expect, expectAccessible } from "../../support/fixtures.ts";
import { answer, startScanning, typeCode } from "../../support/gate/arrival.ts";
import { test } from "../../support/gate/fixtures.ts";
import { entrances } from "../../support/gate/device.ts";
import { cut, keptForOffline, networkComesAndGoes, SCAN_CALL, scanning } from "../../support/gate/network.ts";

networkComesAndGoes(test, /^read what the gate kept: /);

test.beforeEach(({ page }) => page.addInitScript(failAsTold));

/** Runs in the page: an IndexedDB that cannot be opened, never opens, or opens and cannot be read. */
function failAsTold(): void {
  const told = () => localStorage.getItem("storage");
  const { open } = IDBFactory.prototype;
  IDBFactory.prototype.open = function (this: IDBFactory, ...args) {
    if (told() === "refused") throw new DOMException("Internal error opening backing store.", "UnknownError");
    return told() === "silent" ? (new EventTarget() as IDBOpenDBRequest) : open.apply(this, args);
  };
  const { getAll } = IDBObjectStore.prototype;
  IDBObjectStore.prototype.getAll = function (this: IDBObjectStore, ...args) {
    if (told() === "corrupt") throw new DOMException("Failed to read large IndexedDB value", "DataError");
    return getAll.apply(this, args);
  };
}

const tellStorage = (page: Page, how: "refused" | "silent" | "corrupt" | "well") =>
  page.evaluate((how) => localStorage.setItem("storage", how), how);

/**
 * Opened again without its storage, and with a network only once it is open: otherwise the scans would be submitted before that.
 */
async function openUnread(page: Page): Promise<void> {
  await tellStorage(page, "refused");
  await page.reload();
  await expect(unreadable(page)).toBeVisible();
  await page.context().setOffline(false);
  await page.getByRole("button", { name: "Continue without" }).click();
  await page.getByText("List from").waitFor();
}

const unreadable = (page: Page) => page.getByRole("heading", { name: "Storage can’t be read" });

test("a storage that cannot be read is reported, and the gate opens with all waiting scans once it can be", async ({
  page,
  gate,
}) => {
  const [ticket, next] = await gate.sell("general", "Ula Unread", "Nia Next");
  await scanning(page, gate);
  await keptForOffline(page);
  await cut(page);
  await typeCode(page, ticket!.code);
  await expect(page.getByText("1 scan to sync")).toBeVisible();

  for (const how of ["corrupt", "refused"] as const) {
    await tellStorage(page, how);
    await page.reload();
    await expect(unreadable(page)).toBeVisible();
    await page.getByRole("button", { name: "Try again" }).click();
    await expect(page.getByText("It still cannot be read.")).toBeVisible();
  }
  await expectAccessible(page);

  await tellStorage(page, "well");
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByText("1 scan to sync")).toBeVisible();
  await typeCode(page, ticket!.code);
  await expect(answer(page)).toContainText("Already in");
  await typeCode(page, next!.code);
  await expect(answer(page)).toContainText("Nia Next");
  await page.context().setOffline(false);
  await expect(page.getByText("to sync")).toBeHidden();
  for (const { id } of [ticket!, next!]) await expect.poll(() => gate.admissions(id)).toHaveLength(1);
});

test("people are let in despite an unreadable storage, and their scans are submitted after those in it", async ({
  page,
  gate,
}) => {
  const names = ["Bea Before", "Bo Before", "Ona Online", "Olaf Offline"];
  const [before, too, online, offline] = await gate.sell("general", ...names);
  await scanning(page, gate);
  await keptForOffline(page);
  await cut(page);
  for (const { code } of [before!, too!]) await typeCode(page, code);
  await expect(page.getByText("2 scans to sync")).toBeVisible();
  await openUnread(page);
  await expect(page.getByText("Earlier scans cannot be read yet")).toBeVisible();
  await typeCode(page, online!.code);
  await expect(answer(page)).toContainText("Ona Online");
  await expect.poll(() => gate.admissions(online!.id)).toHaveLength(1);
  await page.getByRole("button", { name: "Read them now" }).click();
  await expect(page.getByRole("button", { name: "Still unreadable. Try again" })).toBeVisible();
  await expectAccessible(page);

  await cut(page);
  await typeCode(page, offline!.code);
  await expect(answer(page)).toContainText("Olaf Offline");
  await expect(page.getByText("1 scan to sync")).toBeVisible();
  await expect(page.getByRole("button", { name: /Read them now/ }), "what waits might be lost").toBeHidden();
  await tellStorage(page, "well");
  await page.reload();
  await expect(page.getByText("3 scans to sync")).toBeVisible();
  for (const { code } of [before!, offline!]) {
    await typeCode(page, code);
    await expect(answer(page)).toContainText("Already in");
  }

  const handedIn = page.waitForRequest(SCAN_CALL);
  await page.context().setOffline(false);
  const { p_scans } = (await handedIn).postDataJSON() as { p_scans: { code_id: string; action: string }[] };
  const letIn = p_scans.filter(({ action }) => action === "in").map(({ code_id }) => code_id);
  expect(letIn, "in the order of the scans").toEqual([before!.id, too!.id, offline!.id]);
  await expect(page.getByText("to sync")).toBeHidden();
  for (const { id } of [before!, too!, online!, offline!])
    await expect.poll(() => gate.admissions(id)).toMatchObject([{ conflicts_with: null }]);
});

test("once it can be read, the waiting scans are also taken from the scanner", async ({ page, gate }) => {
  const [ticket] = await gate.sell("general", "Wade Waiting");
  await scanning(page, gate);
  await keptForOffline(page);
  await cut(page);
  await typeCode(page, ticket!.code);
  await expect(page.getByText("1 scan to sync")).toBeVisible();
  await openUnread(page);
  expect(await gate.admissions(ticket!.id)).toEqual([]);
  await tellStorage(page, "well");
  await page.getByRole("button", { name: "Read them now" }).click();
  await expect.poll(() => gate.admissions(ticket!.id)).toHaveLength(1);
  await expect(page.getByText("Earlier scans cannot be read yet")).toBeHidden();
});

test("a storage that does not answer is reported, and opens automatically when it does", async ({
  page,
  gate,
  context,
}) => {
  await startScanning(page, gate);
  const other = await context.newPage();
  await other.goto("/robots.txt");
  await other.evaluate(holdDatabase);
  await page.clock.install();
  await page.reload();
  await expect(async () => {
    await page.clock.fastForward(5000);
    await expect(unreadable(page)).toBeVisible({ timeout: 500 });
  }).toPass();
  await other.evaluate(() => localStorage.removeItem("hold"));
  await expect(page.getByText("List from")).toBeVisible();
});

test("a second page that holds the storage blocks no scan, and nothing is lost", async ({
  page,
  gate,
  context,
}) => {
  const [held, free] = await gate.sell("general", "Hal Held", "Fran Free");
  await scanning(page, gate);
  await keptForOffline(page);
  const other = await context.newPage();
  await other.goto("/robots.txt");
  await cut(page);
  await other.evaluate(holdDatabase);
  await typeCode(page, held!.code);
  await expect(answer(page)).toContainText("Hal Held");
  await expect(page.getByText("Storage is failing")).toBeVisible();
  await other.evaluate(() => localStorage.removeItem("hold"));
  await other.close();
  await page.reload();
  await expect(page.getByText("1 scan to sync")).toBeVisible();
  await typeCode(page, held!.code);
  await expect(answer(page)).toContainText("Already in");
  await typeCode(page, free!.code);
  await expect(answer(page)).toContainText("Fran Free");
  await page.context().setOffline(false);
  await expect(page.getByText("to sync")).toBeHidden();
  await expect(page.getByText("Storage is failing")).toBeHidden();
  for (const { id } of [held!, free!]) await expect.poll(() => gate.admissions(id)).toHaveLength(1);
});

test("an entrance chosen in one tab is kept, whatever another tab of the phone saves", async ({
  page,
  gate,
  context,
}) => {
  await scanning(page, gate);
  await keptForOffline(page);
  // It opens the phone again only after half a minute, and fetches the list every few seconds.
  const other = await context.newPage();
  await other.goto("/gate");
  await other.getByText("List from").waitFor();
  const lists = () => other.waitForResponse("**/rest/v1/rpc/gate_list");
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("button", { name: "Change entrance or name" }).click();
  await page.getByRole("radio", { name: entrances.express.name }).check();
  await page.getByRole("button", { name: "Start scanning" }).click();
  await expect(page.getByText(entrances.express.name, { exact: true })).toBeVisible();
  // From here on only the other tab saves.
  await page.route("**/rest/v1/rpc/gate_list", (route) => route.abort());
  await lists();
  await lists(); // the page before it is saved by now
  await other.close();
  await cut(page);
  await page.reload();
  await expect(page.getByText(entrances.express.name, { exact: true })).toBeVisible();
});

test("a list that another tab wiped is fetched whole after a reload", async ({ page, gate }) => {
  const [guest, late] = await gate.sell("general", "Wanda Wiped", "Lars Later");
  await scanning(page, gate);
  await keptForOffline(page);
  await page.evaluate(wipeElsewhere);
  const listed = page.waitForResponse(
    async (list) => list.url().endsWith("gate_list") && (await list.text()).includes("Lars Listed"),
  );
  const rename = gate.service.from("tickets").update({ attendee_name: "Lars Listed" }).eq("id", late!.id);
  expect((await rename).error).toBeNull();
  await listed;
  await page.waitForResponse("**/rest/v1/rpc/gate_list"); // the page before it is saved by now
  await page.reload();
  await page.getByText("List from").waitFor();
  await page.waitForResponse("**/rest/v1/rpc/gate_list");
  await page.waitForResponse("**/rest/v1/rpc/gate_list");
  await cut(page);
  await typeCode(page, guest!.code);
  await expect(answer(page)).toContainText("Wanda Wiped");
});

/** Runs in the page, as another tab does whose user was replaced. */
async function wipeElsewhere(): Promise<void> {
  const database = await new Promise<IDBDatabase>((resolve) => {
    const asked = indexedDB.open("houston-culture-festival:gate");
    asked.addEventListener("success", () => resolve(asked.result));
  });
  const wiping = database.transaction(["rows", "saved"], "readwrite");
  wiping.objectStore("rows").clear();
  wiping.objectStore("saved").clear();
  await new Promise((resolve) => wiping.addEventListener("complete", resolve));
  database.close();
}

/** Runs in a second page: nothing else reads or writes the gate's database until local storage has no "hold". */
async function holdDatabase(): Promise<void> {
  localStorage.setItem("hold", "yes");
  const database = await new Promise<IDBDatabase>((resolve) => {
    const asked = indexedDB.open("houston-culture-festival:gate");
    asked.addEventListener("success", () => resolve(asked.result));
  });
  const names = [...database.objectStoreNames];
  await new Promise<void>((resolve) => {
    const store = database.transaction(names, "readwrite").objectStore("saved");
    const goOn = () => {
      if (localStorage.getItem("hold")) store.get("none").addEventListener("success", goOn);
      else database.close();
      resolve();
    };
    goOn();
  });
}

test("a browser that stores nothing at all is a gate while its page is open", async ({ page, gate }) => {
  const [ticket] = await gate.sell("general", "Nell Nothing");
  await page.addInitScript(() => {
    IDBFactory.prototype.open = () => {
      throw new DOMException("The user denied permission to access the database.", "UnknownError");
    };
  });
  await scanning(page, gate);
  await expect(page.getByText("This browser cannot store scans")).toBeVisible();
  await cut(page);
  await typeCode(page, ticket!.code);
  await expect(answer(page)).toContainText("Nell Nothing");
  await typeCode(page, ticket!.code);
  await expect(answer(page)).toContainText("Already in");
  await page.context().setOffline(false);
  await expect(page.getByText("to sync")).toBeHidden();
  await expect.poll(() => gate.admissions(ticket!.id)).toHaveLength(1);
});
