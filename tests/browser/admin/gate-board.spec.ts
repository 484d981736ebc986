// The gate board in the back office: it follows what phones do, and its decisions take effect at the gate.
import { randomUUID } from "node:crypto";
import { arriveAsAdmin, placeOrder } from "../../support/shop/admin-arrival.ts";
import { figure } from "../../support/shop/admin-figures.ts";
import { serviceClient } from "../../support/shop/arrival.ts";
import { expect, expectAccessible, status, test } from "../../support/fixtures.ts";
import { answer, openGate, startScanning, typeCode } from "../../support/gate/arrival.ts";
import { codesOf, entrances, openGateDevice } from "../../support/gate/device.ts";
import { tomorrow } from "../../support/shop/houston.ts";
import { keepToast } from "../../support/page/toasts.ts";
import { problems } from "../../support/page/problems.ts";

// One after the other: settings and entrances are shared by the whole gate.
test.describe.configure({ mode: "default" });

const unique = () => randomUUID().slice(0, 8);

test("the board follows the gate, and decides about devices, invitations, entrances and doors", async ({
  page,
  context,
  pageErrors,
}) => {
  test.slow();
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await arriveAsAdmin(page);
  // Earlier messages may still be there, each with its own button.
  const undo = (message: string) =>
    page.getByRole("listitem").filter({ hasText: message }).getByRole("button", { name: "Undo" }).click();
  await test.step("the board follows an admission, a refusal and a conflict with both places", async () => {
    const buyerName = `Gail ${unique()}`;
    const order = await placeOrder({ buyerName, quantity: 2, parking: true });
    const { tickets, permits } = await codesOf(order);
    const north = await openGateDevice(`North ${unique()}`);
    const south = await openGateDevice(`South ${unique()}`, "parking");
    await page.goto("/admin/gate");
    await expect(page.getByText("Live", { exact: true })).toBeVisible();
    const device = page.getByRole("region", { name: "Gate devices" }).getByRole("row");
    const mine = device.filter({ hasText: north.name });
    await expect(mine).toContainText(entrances.main.name);
    await expect(mine).toContainText("Online");
    const inside = figure(page, "Inside Now");
    const people = async () => Number((await inside.textContent())!.replaceAll(",", ""));
    await expect(inside).toHaveText(/\d/);
    const before = await people();

    const [first] = await north.scan({ code_id: tickets[0]! });
    expect(first?.result).toBe("admitted");
    // Other tests may let people in meanwhile; the device's own count is exact.
    await expect.poll(people, "without a reload").toBeGreaterThan(before);
    await expect(mine.getByRole("cell").nth(4)).toHaveText("1");

    const [again] = await north.scan({ code_id: tickets[0]! });
    expect(again?.result).toBe("already_in");
    const refusals = page.getByRole("region", { name: "Latest refusals" });
    await expect(refusals).toContainText(`Already in: Guest 1 of ${buyerName}`);

    await south.scan({ code_id: permits[0]! });
    await south.scan({ code_id: tickets[0]!, decided: "admitted", at: Date.now() - 1000 });
    const twice = page
      .getByRole("region", { name: "Codes admitted twice" })
      .getByRole("row")
      .filter({ hasText: `Guest 1 of ${buyerName}` });
    await expect(twice).toContainText(`${entrances.main.name}, ${north.name}`);
    await expect(twice).toContainText(`${entrances.parking.name}, ${south.name}`);
    await expectAccessible(page);
  });
  await test.step("a revoked device cannot scan, until it is restored", async () => {
    const order = await placeOrder({ buyerName: "Rita Revoked", quantity: 2 });
    const { tickets } = await codesOf(order);
    const phone = await openGateDevice(`Lost ${unique()}`);
    const row = page
      .getByRole("region", { name: "Gate devices" })
      .getByRole("row")
      .filter({ hasText: phone.name });
    await row.getByRole("button", { name: `Revoke ${phone.name}` }).click();
    await page.getByRole("button", { name: "Revoke the device" }).click();
    await expect(row).toContainText("Access removed");
    await expect(row).toContainText("device revoked");
    await expect(phone.scan({ code_id: tickets[0]! })).rejects.toMatchObject({
      code: "42501",
      hint: "device_revoked",
    });
    await row.getByRole("button", { name: `Restore ${phone.name}` }).click();
    await expect(row).toContainText("Online");
    const [scan] = await phone.scan({ code_id: tickets[0]! });
    expect(scan?.result).toBe("admitted");

    const device = await serviceClient().from("gate_devices").select("user_id").eq("id", phone.id).single();
    const removed = await serviceClient().from("user_roles").delete().eq("user_id", device.data!.user_id);
    expect(removed.error).toBeNull();
    await expect(row).toContainText("role removed");
    await expect(row.getByRole("button"), "nothing here gives the role back").toHaveCount(0);
  });
  await test.step("on a phone six devices are shown at first, and all of them on request", async () => {
    await Promise.all(Array.from({ length: 7 }, () => openGateDevice(`Folded ${unique()}`)));
    await page.setViewportSize({ width: 390, height: 844 });
    const rows = page.getByRole("region", { name: "Gate devices" }).getByRole("row");
    const head = 1;
    await expect(rows).toHaveCount(head + 6);
    await expect(rows.filter({ hasText: "Access removed" }), "those that scan come first").toHaveCount(0);
    await page.getByRole("button", { name: /^Show All \d+$/ }).click();
    await expect.poll(() => rows.count()).toBeGreaterThanOrEqual(head + 7);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Show Fewer" }).click();
    await expect(rows).toHaveCount(head + 6);
    await page.setViewportSize({ width: 1280, height: 800 });
  });
  await test.step("an invitation is shown once, copied, and revoked", async () => {
    const label = `Crew ${unique()}`;
    await page.getByRole("button", { name: "Invite for a Day" }).click();
    const form = page.getByRole("dialog", { name: "Invite for a day" });
    await form.getByRole("button", { name: "Create Link" }).click();
    await expect(problems(form)).toHaveText("Enter who the invitation is for.");
    await form.getByRole("textbox", { name: "For" }).fill(label);
    await form.getByLabel("Entrance").selectOption(entrances.express.name);
    await form.getByLabel("Phones").fill("0");
    await form.getByRole("button", { name: "Create Link" }).click();
    await expect(problems(form)).toHaveText("An invitation can be for 1 to 200 phones.");
    await form.getByLabel("Phones").fill("3");
    await form.getByLabel("Phones").hover();
    await page.mouse.wheel(0, 100);
    await expect(form.getByLabel("Phones")).not.toBeFocused();
    await expect(form.getByLabel("Phones")).toHaveValue("3");
    // An invitation for today would end with the day, which may happen during this test.
    await form.getByLabel("Day").fill(tomorrow());
    await form.getByRole("button", { name: "Create Link" }).click();
    const made = page.getByRole("dialog", { name: `Invitation “${label}”` });
    await expect(made.getByRole("img", { name: `QR code of the invitation ${label}` })).toBeVisible();
    const link = await made.getByLabel("Link").inputValue();
    expect(link).toMatch(/\/gate#invite=[\w-]{32,200}$/);
    await made.getByRole("button", { name: "Copy Link" }).click();
    await expect(page.getByText("Link copied")).toBeVisible();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(link);
    await made.getByRole("button", { name: "Done" }).click();

    const row = page
      .getByRole("region", { name: "Gate invitations" })
      .getByRole("row")
      .filter({ hasText: label });
    await expect(row).toContainText(entrances.express.name);
    await expect(row).toContainText("Active");
    await expect(row).toContainText("0 of 3");
    await expect(row).toContainText(", midnight");
    expect(await page.content(), "the link is nowhere any more").not.toContain(link.split("=")[1]);
    await row.getByRole("button", { name: `Revoke the invitation ${label}` }).click();
    await page.getByRole("button", { name: "Revoke the invitation", exact: true }).click();
    await expect(row).toContainText("Revoked");
    await expect(row.getByRole("button")).toHaveCount(0);
  });
  await test.step("an entrance is added, limited to a type, closed and reopened", async () => {
    const name = `East ${unique()}`;
    await page.getByRole("button", { name: "Add Entrance" }).click();
    const dialog = page.getByRole("dialog", { name: "New entrance" });
    await dialog.getByLabel("Name").fill(entrances.main.name.toUpperCase());
    await dialog.getByRole("button", { name: "Add", exact: true }).click();
    await expect(problems(dialog)).toHaveText("Another entrance already has this name.");
    pageErrors.length = 0; // the browser logs the 409
    await dialog.getByLabel("Name").fill(name);
    await dialog.getByLabel("Admits").selectOption("Tickets and parking");
    await dialog.getByLabel("VIP", { exact: true }).check();
    await dialog.getByRole("button", { name: "Add", exact: true }).click();
    const row = page
      .getByRole("region", { name: "Gate entrances" })
      .getByRole("row")
      .filter({ hasText: name });
    await expect(row).toContainText("VIP, parking");
    await row.getByRole("button", { name: `Close ${name}` }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Keep it open" }).click();
    await expect(row).toContainText("Open");
    await row.getByRole("button", { name: `Close ${name}` }).click();
    await page.getByRole("button", { name: "Close the entrance" }).click();
    await keepToast(page, `${name} is closed`);
    await expect(row).toContainText("Closed");
    await undo(`${name} is closed`);
    const entrance = async () =>
      (await serviceClient().from("gate_entrances").select("id, is_open").eq("name", name).single()).data;
    await expect.poll(async () => (await entrance())?.is_open).toBe(true);
    await expect(row.getByRole("button", { name: `Close ${name}` })).toBeVisible();
    const data = await entrance();
    const audit = await serviceClient().from("audit_logs").select("action_type").eq("record_id", data!.id);
    expect(audit.data?.map(({ action_type }) => action_type as string).toSorted()).toEqual([
      "CREATE",
      "UPDATE",
      "UPDATE",
    ]);
    await serviceClient().from("gate_entrances").delete().eq("id", data!.id);
  });
  await test.step("a change and its undo leave alone what another administrator changed meanwhile", async () => {
    const name = `West ${unique()}`;
    const { data: made } = await serviceClient()
      .from("gate_entrances")
      .insert({ name, admits: "tickets" })
      .select("id")
      .single();
    const stored = () =>
      serviceClient().from("gate_entrances").select("name, admits, is_express").eq("id", made!.id).single();
    const entrance = page.getByRole("dialog", { name: `Edit ${name}` });
    await page.getByRole("button", { name: `Edit ${name}` }).click();
    await serviceClient().from("gate_entrances").update({ is_express: true }).eq("id", made!.id);
    await entrance.getByLabel("Admits").selectOption("Tickets and parking");
    await entrance.getByRole("button", { name: "Save" }).click();
    await keepToast(page, `${name} saved`);
    expect((await stored()).data).toEqual({ name, admits: "both", is_express: true });
    await serviceClient()
      .from("gate_entrances")
      .update({ name: `${name}b` })
      .eq("id", made!.id);
    await undo(`${name} saved`);
    await expect
      .poll(async () => (await stored()).data)
      .toEqual({ name: `${name}b`, admits: "tickets", is_express: true });

    // Nothing changed: nothing is written.
    const written: unknown[] = [];
    await page.route("**/rest/v1/gate_entrances*", (route) => {
      if (route.request().method() === "PATCH") written.push(route.request().postDataJSON());
      return route.fallback();
    });
    await page.getByRole("button", { name: `Edit ${name}b` }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await expect(page.getByRole("dialog")).toHaveCount(0);
    expect(written).toEqual([]);
    await page.unroute("**/rest/v1/gate_entrances*");
    await serviceClient().from("gate_entrances").delete().eq("id", made!.id);
  });
  await test.step("door times are set in Central time, never with closing before opening, and undone", async () => {
    const doors = async () =>
      (await serviceClient().from("gate_settings").select("doors_open_at, doors_close_at, reentry").single())
        .data;
    const none = { doors_open_at: null, doors_close_at: null, reentry: false };
    const form = page.getByRole("form", { name: "Doors and re-entry" });
    await form.getByLabel("Doors open").fill("2020-06-27T11:00");
    await form.getByLabel("Doors close").fill("2020-06-27T10:00");
    await form.getByRole("button", { name: "Apply" }).click();
    await expect(problems(form)).toHaveText("The doors must close after they open.");
    await form.getByLabel("Doors close").fill("2099-06-27T23:00");
    await form.getByLabel(/^Re-entry/).check();
    try {
      await form.getByRole("button", { name: "Apply" }).click();
      await keepToast(page, "Doors and re-entry saved");
      const set = await doors();
      expect(Date.parse(set?.doors_open_at as string)).toBe(Date.parse("2020-06-27T16:00:00Z"));
      expect(set?.reentry).toBe(true);
      await undo("Doors and re-entry saved");
      await expect.poll(doors).toEqual(none);
      await expect(form.getByLabel(/^Re-entry/)).not.toBeChecked();
    } finally {
      await serviceClient().from("gate_settings").update(none).eq("only_row", true);
    }
  });
  await test.step("a board without answers shows since when it is not live, and becomes live again", async () => {
    await expect(page.getByText("Live", { exact: true })).toBeVisible();
    await page.route("**/rest/v1/rpc/gate_board", (route) => route.abort());
    await expect(page.getByText(/^Not live since \d?\d:\d\d [AP]M CT$/)).toBeVisible();
    await expect(page.getByRole("heading", { name: "Devices" }), "the last figures stay").toBeVisible();
    await page.unroute("**/rest/v1/rpc/gate_board");
    await expect(page.getByText("Live", { exact: true })).toBeVisible();
    pageErrors.length = 0; // the browser logs each refused request
  });
  await test.step("the board fills the screen for a wall, and Escape leaves it", async () => {
    const open = page.getByRole("button", { name: "Full Screen", exact: true });
    const button = await open.elementHandle(); // hidden behind the wall view
    await open.click();
    const wall = page.getByRole("dialog", { name: "Gate board" });
    await expect(wall).toContainText("Inside now");
    await expect(wall).toContainText(entrances.main.name);
    await expectAccessible(page);
    // Opened again before the browser has left its full screen, it stays open.
    await page.waitForFunction(() => document.fullscreenElement);
    // Installed in a separate round trip: the key press could overtake a call that is still on its way.
    const left = await page.evaluateHandle(opensAtOnce, button);
    await page.keyboard.press("Escape");
    await left.evaluate(({ done }) => done);
    await expect(wall).toBeVisible();
    await wall.getByRole("button", { name: "Leave Full Screen" }).click();
    await expect(wall).toBeHidden();
    await open.click();
    await expect(wall).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(wall).toBeHidden();
  });
});

test("with re-entry on, a code is scanned out and in again", async ({ page }) => {
  const reentry = (on: boolean) =>
    serviceClient().from("gate_settings").update({ reentry: on }).eq("only_row", true);
  const gate = await openGate(status());
  const [ticket] = await gate.sell("general");
  expect((await reentry(true)).error).toBeNull();
  try {
    await startScanning(page, gate);
    for (const [direction, word] of [
      ["In", "Admit"],
      ["Out", "Out"],
      ["In", "Admit"],
    ] as const) {
      await page.getByRole("radio", { name: direction, exact: true }).check();
      await typeCode(page, ticket!.code);
      await expect(answer(page)).toContainText(word);
      await answer(page).getByRole("button", { name: "Next" }).click();
    }
    await page.getByRole("radio", { name: "Out", exact: true }).check();
    await typeCode(page, ticket!.code);
    await answer(page).getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: "Scanned by mistake" }).click();
    await expect(answer(page)).toContainText("Undone");
    await typeCode(page, ticket!.code);
    await expect(answer(page), "the way out was taken back: they may leave again").toContainText("Out");
  } finally {
    await reentry(false);
  }
});

/**
 * Presses the button as soon as there is no dialog. `done` resolves once the browser has left its full
 * screen.
 */
function opensAtOnce(button: Node | null): { readonly done: Promise<void> } {
  new MutationObserver((_changes, observer) => {
    if (document.querySelector("[role=dialog]")) return;
    observer.disconnect();
    (button as HTMLElement).click();
  }).observe(document.body, { childList: true, subtree: true });
  const done = new Promise<void>((resolve) => {
    document.addEventListener("fullscreenchange", () => document.fullscreenElement ?? setTimeout(resolve));
  });
  return { done };
}
