// At the gate with a network: people with the role let others in, by camera, keyboard scanner and search, and everybody else
// learns why not.
import { fakeCamera } from "../support/fake-camera.ts";
import { expect, expectAccessible, status, test } from "../support/fixtures.ts";
import { answer, openGate, signInHere, startScanning, typeCode } from "../support/gate-arrival.ts";

const camera = await fakeCamera();
test.use({
  launchOptions: camera.launchOptions,
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
});
test.beforeEach(() => camera.show({ seconds: 1 }));

test("a code in front of the camera is let in once, and afterwards shows when and where", async ({
  page,
}) => {
  const gate = await openGate(status());
  const [ticket] = await gate.sell("general", "Ana Guest");
  camera.show({ code: ticket!.code, seconds: 1 });
  await startScanning(page, await gate.newGatekeeper(), "main", "Camera phone");
  await expect(answer(page)).toContainText("Admit");
  await expect(answer(page)).toContainText("Ana Guest");
  expect(await gate.admissions(ticket!.id)).toMatchObject([{ is_offline: false, conflicts_with: null }]);
  await expectAccessible(page);

  await typeCode(page, ticket!.code);
  await expect(answer(page)).toContainText("Already in");
  await expect(answer(page)).toContainText("Main Entrance, Camera phone");
  expect(await gate.admissions(ticket!.id)).toHaveLength(1);
});

test("an admission is undone with a reason", async ({ page }) => {
  const gate = await openGate(status());
  const [ticket] = await gate.sell("general");
  await startScanning(page, await gate.newGatekeeper());
  await typeCode(page, ticket!.code);
  await answer(page).getByRole("button", { name: "Undo" }).click();
  await page.getByRole("button", { name: "Did not go in" }).click();
  await expect(answer(page)).toContainText("Undone");
  expect(await gate.admissions(ticket!.id)).toMatchObject([{ undo_reason: "Did not go in" }]);
  await typeCode(page, ticket!.code);
  await expect(answer(page)).toContainText("Admit");
});

test("each bad code has a clear answer, and none of them lets anybody in", async ({ page }) => {
  const gate = await openGate(status());
  const [ticket] = await gate.sell("general");
  const [permit] = await gate.sell("preferred");
  await startScanning(page, await gate.newGatekeeper());
  const cases = [
    [await gate.forge(ticket!), "The signature is not ours"],
    [ticket!.code.slice(0, 100), "Only part of the code"],
    [await gate.sign({ ...ticket!, event: "hcf-2024" }), "another festival"],
    ["https://example.com/not-a-ticket", "not a code of this festival"],
    [permit!.code, "Send to Parking"],
    [await gate.sign({ ...ticket!, issue: 9 }), "has a newer code"],
  ] as const;
  for (const [code, words] of cases) {
    await typeCode(page, code);
    await expect(answer(page)).toContainText(words);
  }
  expect(await gate.admissions(ticket!.id)).toEqual([]);
  expect(await gate.admissions(permit!.id)).toEqual([]);
});

test("a dirty picture is read, and half a picture is not", async ({ page }) => {
  const gate = await openGate(status());
  const [whole, half] = await gate.sell("general", "Dusty Screen", "Half Screen");
  camera.show({ code: half!.code, shown: 0.6, seconds: 1 }, { code: whole!.code, dirt: 0.03, seconds: 1 });
  await startScanning(page, await gate.newGatekeeper());
  await expect(answer(page)).toContainText("Dusty Screen");
  expect(await gate.admissions(half!.id)).toEqual([]);
});

test("people are found by name and by the end of a code, and let in from there", async ({ page }) => {
  const gate = await openGate(status());
  const [ticket] = await gate.sell("general", "Quincy Lookupson");
  await startScanning(page, await gate.newGatekeeper());
  await page.getByRole("button", { name: "Search" }).click();
  const field = page.getByLabel(/^Name, email, order/);
  await field.fill("lookupson");
  await expect(page.getByText("Quincy Lookupson").first()).toBeVisible();
  await field.fill(ticket!.id.slice(-6));
  await expect(page.getByRole("listitem")).toHaveCount(1);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Admit Quincy Lookupson" }).click();
  await expect(answer(page)).toContainText("Admit");
  expect(await gate.admissions(ticket!.id)).toHaveLength(1);
});

test("VIP says what it includes, and the express lane is for VIP alone", async ({ page }) => {
  const gate = await openGate(status());
  const [vip] = await gate.sell("vip", "Vera Vip");
  const [general] = await gate.sell("general");
  await startScanning(page, await gate.newGatekeeper(), "express");
  await typeCode(page, general!.code);
  await expect(answer(page)).toContainText("Wrong entrance");
  await expect(answer(page)).toContainText("Send to Main Entrance");
  await typeCode(page, vip!.code);
  await expect(answer(page)).toContainText("VIP, parking included");
});

test("a parking code is admitted with its plate", async ({ page }) => {
  const gate = await openGate(status());
  const [permit] = await gate.sell("preferred", "Otto Mobile");
  await startScanning(page, await gate.newGatekeeper(), "parking");
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("switch", { name: "Ask for license plates" }).check();
  await page.getByRole("button", { name: "Close", exact: true }).click();
  await typeCode(page, permit!.code);
  await page.getByLabel("License plate").fill("tx slab 1");
  await page.getByRole("button", { name: "Admit" }).click();
  await expect(answer(page)).toContainText("Plate TX SLAB 1");
  expect(await gate.admissions(permit!.id)).toMatchObject([{ plate: "TX SLAB 1" }]);
});

test("an account without the role learns how to get it, and goes on once it has it", async ({
  page,
  pageErrors,
}) => {
  const gate = await openGate(status());
  const account = await gate.newGatekeeper("user");
  await page.goto("/gate");
  await signInHere(page, account);
  await expect(page.getByRole("heading", { name: "No gate access" })).toBeVisible();
  await expectAccessible(page);
  await gate.service.from("user_roles").upsert({ user_id: account.id, role: "gate" });
  await page.getByRole("button", { name: "Check again" }).click();
  await expect(page.getByRole("heading", { name: "Your entrance" })).toBeVisible();
  pageErrors.length = 0; // the browser logs the refused call
});

test("a second phone of one name is given a number", async ({ page, browser, baseURL }) => {
  const gate = await openGate(status());
  await startScanning(page, await gate.newGatekeeper(), "main", "Twin phone");
  const context = await browser.newContext({ baseURL, permissions: ["camera"] });
  const second = await context.newPage();
  await startScanning(second, await gate.newGatekeeper(), "main", "Twin phone");
  await expect(second.getByText("Twin phone 2", { exact: true })).toBeVisible();
  await context.close();
});
