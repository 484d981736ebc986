// At the gate with a network: people with the role let others in, by camera, keyboard scanner and search, and everybody else
// learns why they cannot.
import { randomUUID } from "node:crypto";
import type { Page } from "@playwright/test";
import { placeOrder } from "../../support/shop/admin-arrival.ts";
import { arriveSignedIn } from "../../support/shop/arrival.ts";
import { hold } from "../../support/page/faults.ts";
import { type FakeCamera, pictureOf } from "../../support/gate/fake-camera.ts";
import { expect, expectAccessible } from "../../support/fixtures.ts";
import {
  answer,
  choose,
  signInHere,
  startScanning,
  typeCode,
  typeCodeInFrench,
} from "../../support/gate/arrival.ts";
import { entrances } from "../../support/gate/device.ts";
import { test } from "../../support/gate/fixtures.ts";
import { expectFits, setLargeText } from "../../support/page/large-text.ts";

test("a code in front of the camera is admitted once, then shows when and where, and is undone with a reason", async ({
  page,
  gate,
  camera,
}) => {
  const [ticket] = await gate.sell("general", "Ana Guest");
  camera.show({ code: ticket!.code, seconds: 1 });
  await startScanning(page, gate, { account: await gate.newGatekeeper(), name: "Camera phone" });
  await expect(answer(page)).toContainText(/Admit(?!ted)/);
  await expect(answer(page)).toContainText("Ana Guest");
  await takeAway(page, camera);
  await expect.poll(() => gate.admissions(ticket!.id)).toMatchObject([{ conflicts_with: null }]);
  await expectAccessible(page);

  await typeCode(page, ticket!.code);
  await expect(answer(page)).toContainText("Already in");
  await expect(answer(page)).toContainText("Main Entrance, Camera phone");
  await expect.poll(() => gate.admissions(ticket!.id)).toHaveLength(1);

  const [mistaken] = await gate.sell("general");
  await typeCode(page, mistaken!.code);
  await expect(answer(page)).toContainText(/Admit(?!ted)/);
  await answer(page).getByRole("button", { name: "Undo" }).click();
  await page.getByRole("button", { name: "Did not go in" }).click();
  await expect(answer(page)).toContainText("Undone");
  await expect.poll(() => gate.admissions(mistaken!.id)).toMatchObject([{ undo_reason: "Did not go in" }]);
  await typeCode(page, mistaken!.code);
  await expect(answer(page)).toContainText(/Admit(?!ted)/);
});

/** The film continues, and a busy page that missed two seconds of it would read its code again, over the next answer. */
async function takeAway(page: Page, camera: FakeCamera): Promise<void> {
  camera.show({ seconds: 1 });
  await page.evaluate(() => {
    const stream = document.querySelector("video")!.srcObject as MediaStream;
    for (const track of stream.getTracks()) track.stop();
  });
}

test("a ticket is admitted from its buyer's screen, and a screenshot of its older code is not", async ({
  page,
  account,
  gate,
  camera,
}) => {
  await placeOrder({ buyerName: "Ana Guest", buyer: account });
  await arriveSignedIn(page, account);
  await page.goto("/my-tickets");
  const code = page.getByRole("img", { name: /^QR code of the ticket for/ });
  await expect(code).toBeVisible();
  const tickets = () =>
    gate.service.from("tickets").select("id, qr_code_data, orders!inner()").eq("orders.user_id", account.id);
  const [screenshot] = (await tickets()).data!;
  const reissued = { issue_number: 2, qr_code_data: null, qr_code_url: null };
  expect((await gate.service.from("tickets").update(reissued).eq("id", screenshot!.id)).error).toBeNull();
  await page.reload();
  await expect(code).toBeVisible();
  camera.show({ picture: await pictureOf(code), seconds: 1 });

  await startScanning(page, gate);
  await expect(answer(page)).toContainText(/Admit(?!ted)/);
  await takeAway(page, camera);
  await expect.poll(() => gate.admissions(String(screenshot!.id))).toHaveLength(1);
  await typeCode(page, String(screenshot!.qr_code_data));
  await expect(answer(page)).toContainText("has a newer code");
});

test("one phone reads typed numbers, undoes, searches, and answers every bad code", async ({
  page,
  gate,
}) => {
  test.slow();
  const kinfolk = `Kinfolk${randomUUID().slice(0, 6)}`;
  const [mae, moe, max] = [`Mae ${kinfolk}`, `Moe ${kinfolk}`, `Max ${kinfolk}`] as const;
  const [mother, son, refunded] = await gate.sell("general", mae, moe, max);
  const voided = { voided_at: new Date().toISOString() };
  expect((await gate.service.from("tickets").update(voided).eq("id", refunded!.id)).error).toBeNull();
  // All are sold before the phone fetches its list: it decides by that when the server is late.
  const nora = `Nora Number${randomUUID().slice(0, 6)}`;
  const [numbered, other] = await gate.sell("general", nora, "Oda Other");
  const family = `Kept${randomUUID().slice(0, 6)}`;
  const [again, searched, looked] = await gate.sell(
    "general",
    `Uma ${family}`,
    `Ursula ${family}`,
    `Ulf ${family}`,
  );
  const surname = `Lookup${randomUUID().slice(0, 6)}`;
  const quincy = `Quincy ${surname}`;
  const [found, replaced, large] = await gate.sell("general", quincy, "Ray Replaced", "Ana Guest");
  const [entered, tabbed, silent] = await gate.sell("general", "Enya Enter", "Tara Tab", "Sila Silent");
  const [french, fielded, old] = await gate.sell("general", "Fleur French", "Fay Field", "Olga Old");
  const [permit] = await gate.sell("preferred");
  await startScanning(page, gate);
  await test.step("a printed number that is typed opens the search with its ticket, and counts no refusal", async () => {
    // A result is on the screen, as after every scan.
    await typeCode(page, other!.code);
    await expect(answer(page)).toContainText(/Admit(?!ted)/);
    await typeCode(page, numbered!.id.slice(0, 8).toUpperCase());
    await expect(page.getByLabel(/^Name, email, order/)).toHaveValue(numbered!.id.slice(0, 8));
    await page.getByRole("button", { name: `Admit ${nora}` }).click();
    await expect(answer(page)).toContainText(nora);
    await expect.poll(() => gate.admissions(numbered!.id)).toHaveLength(1);
    await typeCode(page, "HELLO-WORLD");
    await expect(answer(page)).toContainText("not for this festival");
    await answer(page).getByRole("button", { name: "Next" }).click();
    await page.getByRole("button", { name: "Recent" }).click();
    const here = page.getByRole("list", { name: "This phone" }).getByRole("listitem");
    await expect(here.filter({ hasText: "Unknown" })).toHaveCount(1);
    await page.getByRole("button", { name: "Close", exact: true }).click();
  });
  await test.step("an admission is undone after Next: from the next answer, from a search, and from the recent scans", async () => {
    const undoes = async (button: string) => {
      await page.getByRole("button", { name: button, exact: true }).click();
      await page.getByRole("button", { name: "Wrong person" }).click();
      await expect(answer(page).getByText("Undone", { exact: true })).toBeVisible();
      await answer(page).getByRole("button", { name: "Next" }).click();
    };
    for (const { code } of [again!, searched!, looked!]) {
      await typeCode(page, code);
      await expect(answer(page)).toContainText(/Admit(?!ted)/);
      await answer(page).getByRole("button", { name: "Next" }).click();
    }
    await typeCode(page, again!.code);
    await expect(answer(page)).toContainText("Already in");
    await undoes("Undo");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByLabel(/^Name, email, order/).fill(family.toLowerCase());
    await undoes(`Undo Ursula ${family}`);
    await page.getByRole("button", { name: "Close", exact: true }).click();
    await page.getByRole("button", { name: "Recent" }).click();
    const uma = page.getByRole("listitem").filter({ hasText: `Uma ${family}` });
    await expect(uma.last()).toContainText("Undone");
    await expect(uma.filter({ hasText: "Undone" })).toHaveCount(1);
    await expectAccessible(page);
    await undoes(`Undo Ulf ${family}`);
    for (const { id } of [again!, searched!, looked!])
      await expect.poll(() => gate.admissions(id)).toMatchObject([{ undo_reason: "Wrong person" }]);
    await page.getByRole("button", { name: "Close", exact: true }).click();
  });
  await test.step("a family is let in from one search, and members already in or refunded have no button that fails", async () => {
    await page.getByRole("button", { name: "Search" }).click();
    const field = page.getByLabel(/^Name, email, order/);
    await expect(field).toBeFocused();
    await field.fill(kinfolk.toLowerCase());
    for (const name of [mae, moe]) {
      await page.getByRole("button", { name: `Admit ${name}` }).click();
      await expect(answer(page)).toContainText(name);
      await expect(answer(page).getByRole("button", { name: "Next" })).toBeFocused();
      await page.keyboard.press("Enter");
      await expect(field, "the search goes on").toHaveValue(kinfolk.toLowerCase());
    }
    await expect(page.getByRole("listitem").filter({ hasText: mae })).toContainText("Admitted");
    await expect(page.getByRole("listitem").filter({ hasText: max })).toContainText("No longer valid");
    await expect(page.getByRole("button", { name: /^Admit/ })).toHaveCount(0);
    for (const { id } of [mother!, son!]) await expect.poll(() => gate.admissions(id)).toHaveLength(1);
  });
  await test.step("a scanner's code in the search field replaces the last search, and is scanned however it ends", async () => {
    const field = page.getByLabel(/^Name, email, order/);
    for (const [{ code }, name, end] of [
      [entered!, "Enya Enter", "Enter"],
      [tabbed!, "Tara Tab", "Tab"],
      [silent!, "Sila Silent", undefined],
    ] as const) {
      await expect(field).toBeFocused();
      await page.keyboard.insertText(code);
      if (end) await page.keyboard.press(end);
      await expect(answer(page)).toContainText(/Admit(?!ted)/);
      await expect(answer(page)).toContainText(name);
      await answer(page).getByRole("button", { name: "Next" }).click();
      await expect(field, "it was scanned, so the search is over").toBeHidden();
      await page.getByRole("button", { name: "Search" }).click();
    }
    await typeCodeInFrench(page, fielded!.code, "input[type=search]");
    await expect(answer(page)).toContainText("Fay Field");
    await answer(page).getByRole("button", { name: "Next" }).click();
    await typeCodeInFrench(page, french!.code);
    await expect(answer(page)).toContainText("Fleur French");
    await answer(page).getByRole("button", { name: "Next" }).click();
    await typeCode(page, await gate.signOld(old!));
    await expect(answer(page)).toContainText("Olga Old");
    await answer(page).getByRole("button", { name: "Next" }).click();
  });
  await test.step("people are found by name and by the end of a code, and let in from there", async () => {
    await page.getByRole("button", { name: "Search" }).click();
    const field = page.getByLabel(/^Name, email, order/);
    const people = page.getByLabel("Found", { exact: true });
    await field.fill(surname.toLowerCase());
    await expect(people).toContainText(quincy);
    await field.fill(found!.id.slice(2, 8));
    await expect(people).not.toHaveAttribute("inert");
    await expect(page.getByRole("listitem")).toHaveCount(1);
    await expectAccessible(page);
    await page.getByRole("button", { name: `Admit ${quincy}` }).click();
    await expect(answer(page)).toContainText(/Admit(?!ted)/);
    await expect.poll(() => gate.admissions(found!.id)).toHaveLength(1);
    await answer(page).getByRole("button", { name: "Next" }).click();
    await page.getByRole("button", { name: "Close", exact: true }).click();
  });
  await test.step("each bad code has a clear answer, and none of them admits anybody", async () => {
    const cases = [
      [await gate.forge(replaced!), "This code is not signed by us"],
      [replaced!.code.slice(0, 100), "Code incomplete. Scan again."],
      ["HELLO-WORLD", "not for this festival"],
      ["01234567890123456789", "not for this festival"],
      [await gate.sign({ ...replaced!, event: "hcf-2024" }), "another festival"],
      ["https://example.com/not-a-ticket", "not for this festival"],
      [permit!.code, "Send to Parking"],
      [await gate.sign({ ...replaced!, issue: 0 }), "has a newer code"],
    ] as const;
    for (const [code, words] of cases) {
      await typeCode(page, code);
      await expect(answer(page)).toContainText(words);
    }
    for (const { id } of [replaced!, permit!]) expect(await gate.admissions(id)).toEqual([]);
  });
  await test.step("a phone whose text is set to twice its size shows the whole scan, and every button", async () => {
    await answer(page).getByRole("button", { name: "Next" }).click();
    await setLargeText(page);
    await expectFits(page, "the scanner");
    for (const button of ["Search", "Recent", "Menu"])
      await expect(page.getByRole("button", { name: button })).toBeInViewport({ ratio: 1 });
    await typeCode(page, large!.code);
    await expect(answer(page)).toContainText("Ana Guest");
    await expectFits(page, "the answer");
    await answer(page).getByRole("button", { name: "Next" }).click();
    await page.getByRole("button", { name: "Menu" }).click();
    await expectFits(page, "the menu");
  });
});

test("without a mouse and without seeing: each step has a title and keeps the focus, and an answer is read once", async ({
  page,
  gate,
}) => {
  const name = "Bartholomew Featherstone";
  const [ticket] = await gate.sell("general", name);
  const heading = page.getByRole("heading", { level: 1 });
  await page.goto("/gate");
  await signInHere(page, await gate.newGatekeeper());
  await expect(page).toHaveTitle(/^Your entrance \| /);
  await expect(heading).toBeFocused();
  await choose(page, "main", `Phone ${randomUUID().slice(0, 6)}`);
  await expect(page).toHaveTitle(/^Gate, Main Entrance \| /);
  await expect(heading).toBeFocused();

  const menu = page.getByRole("button", { name: "Menu" });
  await menu.press("Enter");
  await page.getByRole("button", { name: "Sign out" }).press("Enter");
  await expect(page.getByRole("heading", { name: "Menu" }), "the pressed button is gone").toBeFocused();
  await page.keyboard.press("Escape");
  await expect(menu).toBeFocused();

  await typeCode(page, ticket!.code);
  await expect(answer(page)).toContainText(/Admit(?!ted)/);
  await page.keyboard.press("Enter");
  await expect(answer(page)).toBeHidden();
  await expect(heading).toBeFocused();

  await page.setViewportSize({ width: 320, height: 256 }); // 1280 by 1024 at 400 percent
  await typeCode(page, ticket!.code);
  for (const words of ["Already in", name])
    await expect(answer(page).getByText(words, { exact: true })).toBeInViewport({ ratio: 1 });
  const words = await answer(page).innerText();
  expect(words).toMatch(/Admitted \d+ seconds? ago/);
  for (let beat = 0; beat < 2; beat++) await page.waitForResponse("**/rpc/gate_list");
  expect(await answer(page).innerText()).toBe(words);
});

test("a dirty picture is read, and half a picture is not", async ({ page, gate, camera }) => {
  const [whole, half] = await gate.sell("general", "Dusty Screen", "Half Screen");
  camera.show({ code: half!.code, shown: 0.6, seconds: 1 }, { code: whole!.code, dirt: 0.03, seconds: 1 });
  await startScanning(page, gate);
  await expect(answer(page)).toContainText("Dusty Screen");
  expect(await gate.admissions(half!.id)).toEqual([]);
});

test("the express lane is for VIP and says what it includes; parking is let in with its plate", async ({
  page,
  gate,
}) => {
  const [vip] = await gate.sell("vip", "Vera Vip");
  const [general] = await gate.sell("general");
  const [permit] = await gate.sell("preferred", "Otto Mobile");
  await startScanning(page, gate, { entrance: "express" });
  await typeCode(page, general!.code);
  await expect(answer(page)).toContainText("Wrong entrance");
  await expect(answer(page)).toContainText("Send to Main Entrance");
  await typeCode(page, vip!.code);
  await expect(answer(page)).toContainText("VIP, parking included");
  await answer(page).getByRole("button", { name: "Next" }).click();

  await page.getByRole("button", { name: "Menu" }).click();
  const change = page.getByRole("button", { name: "Change entrance or name" });
  await change.click();
  await test.step("the answer to a change that was given up leaves alone what is typed since", async () => {
    const release = await hold(page, "**/rpc/gate_open");
    await page.getByRole("button", { name: "Start scanning" }).click();
    await page.getByRole("button", { name: "Keep as is" }).click();
    await page.getByRole("button", { name: "Menu" }).click();
    await change.click();
    const name = page.getByLabel("Phone name");
    await name.fill("Lot phone");
    const answered = page.waitForResponse("**/rpc/gate_open");
    release();
    await answered;
    await page.evaluate(() => new Promise((drawn) => setTimeout(drawn, 100)));
    await expect(name).toHaveValue("Lot phone");
    await page.unroute("**/rpc/gate_open");
  });
  await page.getByRole("radio", { name: "Parking" }).check();
  await page.getByRole("button", { name: "Start scanning" }).click();
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("switch", { name: "Ask for license plates" }).check();
  await page.getByRole("button", { name: "Close", exact: true }).click();
  await typeCode(page, permit!.code);
  await page.getByLabel("License plate").fill("tx slab 1");
  await page.getByRole("button", { name: "Admit" }).click();
  await expect(answer(page)).toContainText("Plate TX SLAB 1");
  await expect.poll(() => gate.admissions(permit!.id)).toMatchObject([{ plate: "TX SLAB 1" }]);
});

test("an account without the role learns how to get it, and continues once it has it", async ({
  page,
  pageErrors,
  gate,
}) => {
  const account = await gate.newGatekeeper("user");
  await page.goto("/gate");
  await signInHere(page, account);
  await expect(page.getByRole("heading", { name: "No gate access" })).toBeVisible();
  await expectAccessible(page);
  await gate.service.from("user_roles").upsert({ user_id: account.id, role: "gate", sells_at_door: true });
  await page.getByRole("button", { name: "Check again" }).click();
  await expect(page.getByRole("heading", { name: "Your entrance" })).toBeVisible();
  await choose(page, "main", "Till 1");
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("link", { name: "Door Sales" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Door Sales" })).toBeVisible();
  pageErrors.length = 0; // the browser logs the refused call
});

test("the phone lights up, sounds, vibrates and stays awake", async ({ page, gate }) => {
  const [ticket] = await gate.sell("general");
  await page.addInitScript(spyOnPhone);
  await startScanning(page, gate);
  await page.getByRole("button", { name: "Torch" }).click();
  await expect(page.getByRole("button", { name: "Torch", pressed: true })).toBeVisible();
  await tellCamera(page, "mute"); // a phone call
  await expect(page.getByText("Camera busy")).toBeVisible();
  await tellCamera(page, "unmute");
  await expect(page.getByText("Camera busy")).toBeHidden();
  await expect.poll(() => page.evaluate(soundIsAwake)).toBe(true);
  await typeCode(page, ticket!.code);
  await expect(answer(page)).toContainText(/Admit(?!ted)/);
  const used = () => page.evaluate(() => (globalThis as unknown as { used: string[] }).used);
  await expect.poll(used).toEqual(["awake", "torch true", "shake 60", "sound 880", "sound 1320"]);

  await typeCode(page, "not a code of anybody");
  await expect(answer(page)).toContainText("Unknown");
  await expect.poll(used, "another pulse and other tones").toContain("shake [220,80,220]");
  await answer(page).getByRole("button", { name: "Next" }).click();
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("switch", { name: "Sound" }).uncheck();
  await page.getByRole("button", { name: "Close", exact: true }).click();
  const before = (await used()).length;
  await typeCode(page, ticket!.code);
  await expect(answer(page)).toContainText("Already in");
  expect((await used()).slice(before), "muted").toEqual(["shake [220,80,220]"]);
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("switch", { name: "Sound" }).check();
  await page.getByRole("button", { name: "Close", exact: true }).click();
  await page.reload();
  await page.getByRole("button", { name: "Menu" }).waitFor();
  await page.getByRole("main").tap({ position: { x: 195, y: 300 } });
  await expect.poll(() => page.evaluate(soundIsAwake)).toBe(true);
  await typeCode(page, ticket!.code);
  await expect(answer(page)).toContainText("Already in");
  await expect.poll(used, "after a reload a tap anywhere wakes the sound").toContain("sound 180");
});

const tellCamera = (page: Page, event: string) =>
  page.evaluate((event) => {
    const stream = document.querySelector("video")!.srcObject as MediaStream;
    stream.getVideoTracks()[0]!.dispatchEvent(new Event(event));
  }, event);

/** Runs in the page. A busy machine takes a while to begin, and a tone that is too late is skipped. */
const soundIsAwake = () =>
  (globalThis as unknown as { sounds: AudioContext[] }).sounds.some(({ state }) => state === "running");

/** Runs in the page: a camera with a torch, and a phone that records the calls made to it. */
function spyOnPhone(): void {
  const used: string[] = [];
  const sounds: AudioContext[] = [];
  Object.assign(globalThis, { used, sounds });
  globalThis.AudioContext = class extends AudioContext {
    constructor() {
      super();
      sounds.push(this);
    }
  };
  navigator.vibrate = (pattern) => used.push(`shake ${JSON.stringify(pattern)}`) > 0;
  navigator.wakeLock.request = () => {
    used.push("awake");
    return Promise.reject(new DOMException("", "NotAllowedError"));
  };
  const { start } = OscillatorNode.prototype;
  OscillatorNode.prototype.start = function (this: OscillatorNode, at) {
    used.push(`sound ${this.frequency.value}`);
    start.call(this, at);
  };
  const track = MediaStreamTrack.prototype;
  const { getCapabilities } = track;
  track.getCapabilities = function (this: MediaStreamTrack) {
    return Object.assign(getCapabilities.call(this), { torch: true });
  };
  track.applyConstraints = (asked) => {
    const [first] = (asked?.advanced ?? []) as { torch?: boolean }[];
    used.push(`torch ${String(first?.torch)}`);
    return Promise.resolve();
  };
}

test("on a phone that supports and allows nothing, search and keyboard scanners still work", async ({
  page,
  gate,
}) => {
  const [ticket] = await gate.sell("general");
  await page.addInitScript(() => {
    navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException("", "NotAllowedError"));
    Object.assign(navigator, { vibrate: undefined });
    for (const name of ["wakeLock", "storage"])
      Object.defineProperty(navigator, name, { value: undefined, configurable: true });
    Reflect.deleteProperty(Navigator.prototype, "wakeLock");
    Reflect.deleteProperty(navigator, "wakeLock");
    Reflect.deleteProperty(globalThis, "AudioContext");
  });
  await startScanning(page, gate);
  await expect(page.getByText("Camera not allowed")).toBeVisible();
  await expect(page.getByRole("button", { name: "Torch" })).toBeHidden();
  await typeCode(page, ticket!.code);
  await expect(answer(page)).toContainText(/Admit(?!ted)/);
});

test("a browser that cannot be a gate says so instead of loading forever", async ({ page, pageErrors }) => {
  // As on an address without https.
  await page.addInitScript(() => Object.assign(crypto, { randomUUID: undefined }));
  await page.goto("/gate");
  await expect(page.getByRole("heading", { name: "No gate here" })).toBeVisible();
  await expectAccessible(page);
  expect(pageErrors.splice(0).join()).toContain("start the gate");
});

test("a scan that fails at once, or whose plate is not given, leaves no earlier answer on the screen", async ({
  page,
  pageErrors,
  gate,
}) => {
  const [first] = await gate.sell("preferred", "Edna Earlier");
  const [second] = await gate.sell("preferred", "Nat Now");
  await startScanning(page, gate, { entrance: "parking" });
  await typeCode(page, first!.code);
  await expect(answer(page)).toContainText("Edna Earlier");
  await page.evaluate(() => {
    crypto.randomUUID = () => {
      throw new Error("broken on purpose");
    };
  });
  await typeCode(page, second!.code);
  await expect(answer(page)).toContainText("Scan again");
  await expect(answer(page)).not.toContainText("Edna Earlier");
  await expectAccessible(page);
  expect(pageErrors.splice(0).join()).toContain("broken on purpose");
  await page.reload();
  await page.getByText("List from").waitFor();

  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("switch", { name: "Ask for license plates" }).check();
  await page.getByRole("button", { name: "Close", exact: true }).click();
  await typeCode(page, first!.code);
  await expect(answer(page)).toContainText("Already in");
  await typeCode(page, second!.code);
  await page.getByLabel("License plate").waitFor();
  await page.getByRole("button", { name: "Close", exact: true }).click();
  await expect(page.getByLabel("License plate")).toBeHidden();
  await expect(answer(page)).toBeHidden();
  expect(await gate.admissions(second!.id)).toEqual([]);
});

test("a second phone of the same name gets a number, and undoes an admission of the first", async ({
  page,
  gate,
  browser,
  baseURL,
}) => {
  const name = `Twin ${Date.now()}`;
  const guest = `Tina ${randomUUID().slice(0, 6)}`;
  const [ticket] = await gate.sell("general", guest);
  await startScanning(page, gate, { name });
  await typeCode(page, ticket!.code);
  await expect(answer(page)).toContainText(/Admit(?!ted)/);
  // The list of the other phones is requested when it is opened.
  await expect.poll(() => gate.admissions(ticket!.id)).toHaveLength(1);
  const context = await browser.newContext({ baseURL, permissions: ["camera"] });
  const second = await context.newPage();
  await startScanning(second, gate, { name });
  await expect(second.getByText(`${name} (2)`, { exact: true })).toBeVisible();
  await second.route("**/rest/v1/rpc/gate_recent", (route) => route.abort(), { times: 1 });
  await second.getByRole("button", { name: "Recent" }).click();
  const other = second.getByRole("list", { name: "Other phones" }).getByRole("listitem");
  await expect(other.filter({ hasText: guest })).toContainText(name);
  await second.getByRole("button", { name: `Undo ${guest}` }).click();
  await second.getByRole("button", { name: "Scanned by mistake" }).click();
  await expect(answer(second)).toContainText("Undone");
  await expect.poll(() => gate.admissions(ticket!.id)).toMatchObject([{ undo_reason: "Scanned by mistake" }]);
  await answer(second).getByRole("button", { name: "Next" }).click();
  await expect(other.filter({ hasText: guest })).toContainText("Undone");
  await context.close();
});

test("whoever signs in after the last user logged out elsewhere gets none of their scans", async ({
  page,
  gate,
  pageErrors,
}) => {
  const [guest] = await gate.sell("general", "Fern Former");
  const [former, next] = await Promise.all([gate.newGatekeeper(), gate.newGatekeeper()]);
  await startScanning(page, gate, { account: former });
  await typeCode(page, guest!.code);
  await expect(answer(page)).toContainText("Fern Former");
  await page.goto("/dashboard");
  await page.getByRole("main").getByRole("button", { name: "Logout" }).click();
  await expect(page).toHaveURL("/auth");
  await signInHere(page, next);
  await expect(page).toHaveURL("/dashboard");
  await page.goto("/gate");
  await page.getByRole("radio", { name: entrances.main.name }).check(); // the phone keeps its name
  await page.getByRole("button", { name: "Start scanning" }).click();
  await page.getByRole("button", { name: "Recent" }).click();
  await expect(page.getByRole("dialog")).toContainText("No scans on this phone yet.");
  pageErrors.length = 0; // the browser logs that the phone is still the former user's
});

test("forced colors keep the frame to scan in, the mark of the connection and the result's shape", async ({
  page,
  gate,
}) => {
  await page.emulateMedia({ forcedColors: "active" });
  const [ticket] = await gate.sell("general");
  await startScanning(page, gate);
  const canvas = await page.evaluate(() => {
    const probe = document.createElement("p");
    probe.style.cssText = "forced-color-adjust: none; background: Canvas";
    document.body.append(probe);
    return getComputedStyle(probe).backgroundColor;
  });
  await expect(page.locator(".gate-frame")).toHaveCSS("background-image", /gradient/);
  const mark = () =>
    page.locator(".gate-words b").evaluate((words) => getComputedStyle(words, "::before").backgroundColor);
  expect(await mark()).not.toBe(canvas);
  await typeCode(page, ticket!.code);
  await expect(answer(page)).toContainText("ADMIT", { ignoreCase: true });
  const shape = answer(page).locator(".gate-shape");
  await expect(shape).not.toHaveCSS("fill", canvas);
  await expect(shape.locator("[data-cut]")).toHaveCSS("stroke", canvas);
});
