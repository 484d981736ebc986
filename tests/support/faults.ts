// Faults between the page and the server: refused, cut off and held requests, and the console's record of them.
import { expect, type Page } from "@playwright/test";

/**
 * For what Playwright fetches itself: its connections outlive a test, and one that stood idle may be closing just as it is
 * used again (ECONNRESET).
 */
export const RECONNECTING = { maxRetries: 3 };

/** For what is awaited from before all the steps that lead to it. */
export const ARRIVING = { timeout: 45_000 };

/** Answers every request to the path with this status and body. Returns how to let requests through again. */
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

/** Keeps requests to the path waiting until the returned function is called. */
export async function hold(page: Page, path: string | ((url: URL) => boolean)): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(path, async (route) => {
    await promise;
    await route.continue().catch(() => {}); // the page may have left meanwhile
  });
  return resolve;
}

/** The fault was logged to the console; takes it and the browser's own lines about it out of the record. */
export async function expectLogged(pageErrors: string[], text: string): Promise<void> {
  await expect.poll(() => pageErrors.join("\n"), { message: "the console's errors" }).toContain(text);
  pageErrors.length = 0;
}

/** Before the page is opened: its sockets open and are never answered. For stock that a test bends, which the server would correct. */
export const silenceSockets = (page: Page): Promise<void> =>
  page.routeWebSocket(/\/realtime\/v1\/websocket/, () => {});
