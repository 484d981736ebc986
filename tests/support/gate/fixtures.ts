// The `test` of every gate's browser test: a phone with a camera that plays films, and one gate, with its key and its crew, for
// all tests of a worker.
import { fakeCamera, type FakeCamera } from "./fake-camera.ts";
import { status, test as base } from "../fixtures.ts";
import { routeFromTheStart } from "../page/faults.ts";
import { type Gate, openGate } from "./arrival.ts";

const camera = await fakeCamera();

export const test = base.extend<{ camera: FakeCamera }, { gate: Gate }>({
  launchOptions: [camera.launchOptions, { scope: "worker" }],
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
  gate: [async ({}, use) => use(await openGate(status())), { scope: "worker" }],
  page: async ({ page }, use) => {
    await routeFromTheStart(page);
    await use(page);
  },
  camera: [
    async ({}, use) => {
      camera.show({ seconds: 1 });
      await use(camera);
    },
    { auto: true },
  ],
});
