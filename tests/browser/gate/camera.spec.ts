// A camera that another app holds, and one that comes without what the gate needs beside it. Nothing stays on that is not used.
import { randomUUID } from "node:crypto";
import type { Page } from "@playwright/test";
import { expect } from "../../support/fixtures.ts";
import { answer, startScanning } from "../../support/gate/arrival.ts";
import { test } from "../../support/gate/fixtures.ts";

interface Watched {
  readonly tracks: MediaStreamTrack[];
  readonly workers: { isOn: boolean }[];
  muted: boolean;
}

interface Faults {
  /** From the start. */
  readonly muted?: boolean;
  readonly lacksReader?: boolean;
  readonly lacksCamera?: boolean;
}

/** In one script: Playwright does not promise the order of several. */
const watch = (page: Page, faults: Faults) => page.addInitScript(watchCamera, faults);

/** Runs in the page: notes each camera and each worker, and mutes the camera on request, whose pictures then never begin. */
function watchCamera({ muted = false, lacksReader = false, lacksCamera = false }: Faults): void {
  const watched: Watched = { tracks: [], workers: [], muted };
  Object.assign(globalThis, { watched });
  const devices = navigator.mediaDevices;
  const { getUserMedia } = devices;
  devices.getUserMedia = async (asked) => {
    if (lacksCamera) throw new DOMException("", "NotAllowedError");
    const stream = await getUserMedia.call(devices, asked);
    watched.tracks.push(...stream.getTracks());
    return stream;
  };
  globalThis.Worker = class extends Worker {
    readonly note = { isOn: true };
    constructor(url: string | URL, options?: WorkerOptions) {
      super(lacksReader ? "/no-such-reader.js" : url, options);
      watched.workers.push(this.note);
    }
    override terminate(): void {
      this.note.isOn = false;
      super.terminate();
    }
  };
  Object.defineProperty(MediaStreamTrack.prototype, "muted", { get: () => watched.muted });
  const { play } = HTMLMediaElement.prototype;
  HTMLMediaElement.prototype.play = function (this: HTMLMediaElement) {
    return watched.muted ? new Promise(() => {}) : play.call(this);
  };
}

const camerasOn = (page: Page) =>
  page.evaluate(() =>
    (globalThis as unknown as { watched: Watched }).watched.tracks.map(({ readyState }) => readyState),
  );
const readersOn = (page: Page) =>
  page.evaluate(() =>
    (globalThis as unknown as { watched: Watched }).watched.workers.map(({ isOn }) => isOn),
  );
const setMuted = (page: Page, muted: boolean) =>
  page.evaluate((muted) => {
    const { watched } = globalThis as unknown as { watched: Watched };
    watched.muted = muted;
    for (const track of watched.tracks) track.dispatchEvent(new Event(muted ? "mute" : "unmute"));
  }, muted);

test("a camera that starts in another app's hands says so, shows codes once it is free, and is off after signing out", async ({
  page,
  gate,
}) => {
  await watch(page, { muted: true });
  await startScanning(page, gate, { account: await gate.newGatekeeper() });
  await expect(page.getByText("Camera busy")).toBeVisible();
  await setMuted(page, false);
  await expect(page.getByText("Camera busy")).toBeHidden();
  expect(await camerasOn(page)).toContain("live");
  await setMuted(page, true);
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Yes, sign out" }).click();
  await expect(page.getByRole("form", { name: "Sign in" })).toBeVisible();
  expect(await camerasOn(page)).not.toContain("live");
});

test("a camera without a code reader is switched off again", async ({ page, gate, pageErrors }) => {
  await watch(page, { lacksReader: true });
  await startScanning(page, gate);
  await expect(page.getByText("Code reader missing")).toBeVisible();
  await expect.poll(() => camerasOn(page)).not.toContain("live");
  await expect.poll(() => readersOn(page)).not.toContain(true);
  pageErrors.length = 0; // the browser logs the file that was not loaded
});

test("a code reader without a camera is closed again", async ({ page, gate }) => {
  await watch(page, { lacksCamera: true });
  await startScanning(page, gate);
  await expect(page.getByText("Camera not allowed")).toBeVisible();
  await expect.poll(() => readersOn(page)).toContain(false);
  expect(await readersOn(page)).not.toContain(true);
});

test("a ticket is read with an advert beside, above or in the corner of it; two tickets in one picture are not", async ({
  page,
  gate,
  camera,
}) => {
  const names = ["Bea Beside", "Abe Above", "Cora Corner"] as const;
  const [beside, above, corner] = await gate.sell("general", ...names);
  const [left, right] = await gate.sell("general", "Lee Left", "Ray Right");
  const advert = { code: "https://example.com/buy-two-lemonades" };
  const name = `Phone ${randomUUID().slice(0, 6)}`;
  camera.show(
    { codes: [{ ...advert, left: 445, top: 160, side: 190 }], seconds: 0.5 },
    {
      codes: [
        { code: beside!.code, left: 0, top: 20, side: 440 },
        { ...advert, left: 445, top: 160, side: 190 },
      ],
      seconds: 1.5,
    },
    {
      codes: [
        { ...advert, left: 240, top: 0, side: 150 },
        { code: above!.code, left: 150, top: 155, side: 320 },
      ],
      seconds: 1.5,
    },
    {
      codes: [
        { code: corner!.code, left: 0, top: 0, side: 440 },
        { ...advert, left: 480, top: 325, side: 150 },
      ],
      seconds: 1.5,
    },
  );
  await startScanning(page, gate, { name });
  for (const [at, ticket] of [beside, above, corner].entries()) {
    await expect(answer(page)).toContainText(names[at]!);
    await expect.poll(() => gate.admissions(ticket!.id)).toMatchObject([{ conflicts_with: null }]);
  }
  const refusals = () => gate.service.from("gate_refusals").select("reason").eq("device_name", name);
  expect((await refusals()).data!.filter(({ reason }) => reason === "unknown")).toEqual([]);

  camera.show({
    codes: [
      { code: left!.code, left: 0, top: 80, side: 315 },
      { code: right!.code, left: 320, top: 80, side: 315 },
    ],
    seconds: 1,
  });
  await page.reload();
  await expect(page.getByText("Several tickets in view. Show one.")).toBeVisible();
  await expect(answer(page)).toBeHidden();
  expect(await Promise.all([left, right].map((ticket) => gate.admissions(ticket!.id)))).toEqual([[], []]);

  camera.show({ codes: [{ ...advert, left: 200, top: 100, side: 190 }], seconds: 1 });
  await page.reload();
  await expect(answer(page)).toContainText("not for this festival");
  await expect.poll(async () => (await refusals()).data).toContainEqual({ reason: "unknown" });
});
