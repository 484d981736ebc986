// An invitation link turns a phone into a gate for a day, until it is revoked.
import { randomUUID } from "node:crypto";
import type { Page } from "@playwright/test";
import { expect, expectAccessible } from "../../support/fixtures.ts";
import { answer, type Gate, startScanning, typeCode } from "../../support/gate/arrival.ts";
import { test } from "../../support/gate/fixtures.ts";
import { entrances } from "../../support/gate/device.ts";
import { tomorrow } from "../../support/shop/houston.ts";

async function invite(gate: Gate, entranceId: string | null = entrances.express.id) {
  const admin = await gate.as(await gate.newGatekeeper("admin"));
  const { data, error } = await admin.rpc("create_gate_invitation", {
    p_label: `Crew ${randomUUID().slice(0, 6)}`,
    p_entrance_id: entranceId,
    // An invitation for today would end at midnight.
    p_day: tomorrow(),
    p_phones: 2,
  });
  expect(error).toBeNull();
  const { id, token } = data as { id: string; token: string };
  return {
    id,
    link: `/gate#invite=${token}`,
    revoke: () => admin.rpc("revoke_gate_invitation", { p_invitation_id: id }),
  };
}

const deviceOf = (page: Page) =>
  page.evaluate(() => localStorage.getItem("houston-culture-festival:gate-device"));

test("a link opens the gate on each phone, continues when it is opened again, and ends at once when revoked", async ({
  page,
  gate,
  browser,
  baseURL,
  pageErrors,
}) => {
  const [vip] = await gate.sell("vip", "Ines Invited");
  const [general] = await gate.sell("general");
  const { link, revoke } = await invite(gate);
  const name = `Phone of Ines ${randomUUID().slice(0, 6)}`;
  await page.goto(link);
  await page.getByLabel("Phone name").fill(name);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Start" }).click();
  await page.getByText("List from").waitFor();
  await expect(page.getByText(entrances.express.name, { exact: true })).toBeVisible();
  await expect(page.getByText(name, { exact: true })).toBeVisible();
  expect(page.url(), "the token is gone from the address").not.toContain("invite");
  await typeCode(page, vip!.code);
  await expect(answer(page)).toContainText("Ines Invited");
  await answer(page).getByRole("button", { name: "Next" }).click();

  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("button", { name: "Change name" }).click();
  await expect(page.getByText("for this entrance only")).toBeVisible();
  await expect(page.getByRole("radio"), "bound to its entrance").toHaveCount(1);
  await page.getByRole("button", { name: "Start scanning" }).click();
  await page.getByRole("button", { name: "Menu" }).waitFor();
  await page.context().setOffline(true);
  await typeCode(page, general!.code);
  await expect(answer(page), "also without a network").toContainText("Send to Main Entrance");
  await page.context().setOffline(false);
  await expect(page.getByText("to sync")).toBeHidden();

  await page.goto("about:blank");
  await page.goto(link);
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByText(name, { exact: true })).toBeVisible();

  await page.goto("about:blank");
  await page.goto(link);
  await page.getByRole("button", { name: "Use the invitation" }).click();
  await page.getByLabel("Phone name").fill(name);
  await page.getByRole("button", { name: "Start" }).click();
  await expect(page.getByText(name, { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Recent" }).click();
  await expect(page.getByRole("dialog"), "its account is the same").toContainText("Ines Invited");
  await page.keyboard.press("Escape");

  const context = await browser.newContext({ baseURL, permissions: ["camera"] });
  const second = await context.newPage();
  await second.goto(link);
  await second.getByLabel("Phone name").fill(name);
  await second.getByRole("button", { name: "Start" }).click();
  await expect(second.getByText(`${name} (2)`, { exact: true })).toBeVisible();

  expect((await revoke()).error).toBeNull();
  await typeCode(page, vip!.code);
  for (const phone of [page, second])
    await expect(phone.getByRole("heading", { name: "Access removed" })).toBeVisible();
  await context.close();
  pageErrors.length = 0; // the browser logs the refused calls
});

test("an invitation used on a phone in use starts anew, in every tab, and takes the phone over", async ({
  page,
  gate,
  context,
}) => {
  test.slow(); // a device is opened again after half a minute
  const [guest, other] = await gate.sell("general", "Fay Former", "Nora Next");
  const { link } = await invite(gate, entrances.main.id);
  await startScanning(page, gate);
  await typeCode(page, guest!.code);
  await expect(answer(page)).toContainText("Fay Former");
  const device = await deviceOf(page);

  const second = await context.newPage();
  await second.goto(link);
  await second.getByRole("button", { name: "Use the invitation" }).click();
  const name = `Taken over ${randomUUID().slice(0, 6)}`;
  await second.getByLabel("Phone name").fill(name);
  await second.getByRole("button", { name: "Start" }).click();
  await expect(second.getByText(name, { exact: true })).toBeVisible();
  expect(await deviceOf(page), "the former user has put it away").toBe(device);
  // If this tab was first to open the device for its next user, it reads the name with its next opening.
  await expect(page.getByText(name, { exact: true })).toBeVisible({ timeout: 45_000 });
  for (const tab of [second, page]) {
    await tab.getByRole("button", { name: "Recent" }).click();
    await expect(tab.getByText("No scans on this phone yet.")).toBeVisible();
    await tab.keyboard.press("Escape");
  }
  await typeCode(second, other!.code);
  await expect(answer(second)).toContainText("Nora Next");
});

test("an invitation that fails at the last step leaves the phone to whoever is signed in", async ({
  page,
  gate,
  pageErrors,
}) => {
  const [guest] = await gate.sell("general", "Stan Still");
  const { link } = await invite(gate);
  await startScanning(page, gate);
  const id = await deviceOf(page);
  await page.route("**/auth/v1/verify", (route) => route.abort());
  await page.goto("about:blank");
  await page.goto(link);
  await page.getByRole("button", { name: "Use the invitation" }).click();
  const left = page.waitForResponse("**/rest/v1/rpc/gate_leave");
  await page.getByRole("button", { name: "Start" }).click();
  expect((await left).status()).toBe(204);
  await page.getByRole("button", { name: "Sign in instead" }).click();
  const leftAt = async () => {
    const { data } = await gate.service.from("gate_devices").select("left_at").eq("id", id).single();
    return data?.left_at as unknown;
  };
  await expect.poll(leftAt, "the phone is in use again").toBeNull();
  await typeCode(page, guest!.code);
  await expect(answer(page)).toContainText("Stan Still");
  pageErrors.length = 0; // the browser logs the call that was cut off
});

test("an invitation without an entrance asks for the name once, and never opens a phone without it", async ({
  page,
  gate,
}) => {
  const { link } = await invite(gate, null);
  const name = `Once ${randomUUID().slice(0, 6)}`;
  const names: unknown[] = [];
  await page.route("**/rest/v1/rpc/gate_open", (route) => {
    names.push((route.request().postDataJSON() as { p_name: unknown }).p_name);
    return route.continue();
  });
  await page.goto(link);
  await page.getByLabel("Phone name").fill(name);
  await page.getByRole("button", { name: "Start" }).click();
  await page.getByRole("radio", { name: entrances.main.name }).check();
  await expect(page.getByLabel("Phone name")).toBeHidden();
  await page.getByRole("button", { name: "Start scanning" }).click();
  await page.getByText("List from").waitFor();
  await expect(page.getByText(name, { exact: true })).toBeVisible();
  expect(names[0], "the board never shows it as a device without a name").toBe(name);
});

test("a link that expired, was revoked or never existed says so, and leads to signing in", async ({
  page,
  gate,
  pageErrors,
}) => {
  const [revoked, ended] = await Promise.all([invite(gate), invite(gate)]);
  await revoked.revoke();
  const over = { expires_at: new Date(Date.now() - 1000).toISOString() };
  expect((await gate.service.from("gate_invitations").update(over).eq("id", ended.id)).error).toBeNull();
  for (const link of [revoked.link, ended.link, "/gate#invite=nobody-made-this-link"]) {
    await page.goto(link);
    await page.getByRole("button", { name: "Start" }).click();
    await expect(page.getByText("This invitation no longer works. Ask for a new one.")).toBeVisible();
    await page.getByRole("button", { name: "Sign in instead" }).click();
    await expect(page.getByRole("form", { name: "Sign in" })).toBeVisible();
  }
  pageErrors.length = 0; // the browser logs the refused calls
});
