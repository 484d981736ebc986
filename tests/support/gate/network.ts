// A gate whose network comes and goes.
import type { Page } from "@playwright/test";
import { ARRIVING } from "../page/faults.ts";
import { startScanning } from "./arrival.ts";
import type { test as gateTest } from "./fixtures.ts";

export const SCAN_CALL = "**/rest/v1/rpc/gate_scan";

/** For every test of a file. `logged`: what the app itself also logs there. */
export function networkComesAndGoes(test: typeof gateTest, logged?: RegExp): void {
  // The browser logs every call that a test refuses.
  test.afterEach(({ pageErrors }) => {
    const left = pageErrors.filter(
      (error) =>
        !/(ERR_FAILED|status of (403|503)).*\/(rest|auth|realtime)\/v1\//.test(error) &&
        !/^look up the role: .*Failed to fetch/.test(error) &&
        !logged?.test(error),
    );
    pageErrors.splice(0, pageErrors.length, ...left);
  });
}

/** Waits until the service worker has cached the whole gate. */
export async function keptForOffline(page: Page): Promise<void> {
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
}

/** Ready to scan, including the code reader: a first visit fetches it, and would miss it when the network is cut. */
export async function scanning(page: Page, ...rest: Tail<Parameters<typeof startScanning>>): Promise<void> {
  const reader = page.waitForEvent("requestfinished", {
    predicate: (request) => request.url().includes("zxing_reader"),
    ...ARRIVING,
  });
  await startScanning(page, ...rest);
  await reader;
}
type Tail<T extends unknown[]> = T extends [unknown, ...infer Rest] ? Rest : never;

/** Cuts the API off; on a reload the service worker serves the page's own files. */
export async function cut(page: Page): Promise<void> {
  await page.context().setOffline(true);
}
