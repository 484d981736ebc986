// Faults between the page and the server: refused, blocked and held requests, and the console's record of them.
import { expect, type Locator, type Page } from "@playwright/test";

/** For Playwright's own requests: its connections outlive a test, and an idle one may be closing just as it is reused (ECONNRESET). */
export const RECONNECTING = { maxRetries: 3 };

/** Timeout for a wait that begins before the steps that lead to it. */
export const ARRIVING = { timeout: 45_000 };

/** Answers every request to the path with this status and body. Returns a function that lets requests through again. */
export async function answerWith(
  page: Page,
  path: string | RegExp,
  status: number,
  json: unknown,
): Promise<() => Promise<void>> {
  await page.route(path, (route) => route.fulfill({ status, json }));
  return () => page.unroute(path);
}

/** A refusal of an edge function, in the shape of contract/errors. */
export const refusal = (code: string, message: string) => ({ error: { code, message } });

/**
 * Presses the button, "Try Again", until it is gone. A live change may reload what could not be read just then, and takes the button
 * with it.
 */
export async function tryAgain(button: Locator): Promise<void> {
  await expect(async () => {
    if (await button.isVisible()) await button.click({ timeout: 1000 });
    await expect(button).toBeHidden({ timeout: 1000 });
  }).toPass();
}

/** Holds requests to the path until the returned function is called. */
export async function hold(page: Page, path: string | ((url: URL) => boolean)): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(path, async (route) => {
    await promise;
    await route.continue().catch(() => {}); // the page may have been left meanwhile
  });
  return resolve;
}

/**
 * Call before the page is opened where a service worker will take it over. The worker gets a copy of the page's network. A first route
 * that is added later may never reach the copy, and calls go past it to the server: 3 of 300 pages, and none of 400 with a route from
 * the start.
 */
export const routeFromTheStart = (page: Page): Promise<unknown> =>
  page.route("**/from-the-start", (route) => route.fallback());

/** Expects that the fault was logged to the console, and removes it and the browser's own lines about it from the record. */
export async function expectLogged(pageErrors: string[], text: string): Promise<void> {
  await expect.poll(() => pageErrors.join("\n"), { message: "the console's errors" }).toContain(text);
  pageErrors.length = 0;
}

/**
 * Call before the page is opened: its sockets open and are never answered. For stock that a test changes, which the server would
 * correct.
 */
export const silenceSockets = (page: Page): Promise<void> =>
  page.routeWebSocket(/\/realtime\/v1\/websocket/, () => {});
