import { expect, type Page, type Request } from "@playwright/test";

/**
 * Installs a clock in the page and returns how to jump forward. A jump waits until no call is under way: one that meets the time limit of
 * every call (15 s) on its way would be given up, as those that the test holds (`held`) are meant to be.
 */
export async function installJumpingClock(
  page: Page,
  held?: RegExp,
): Promise<(by: number | string) => Promise<void>> {
  const underWay = new Set<Request>();
  page.on("request", (request) => {
    if (request.resourceType() === "fetch" && !held?.test(request.url())) underWay.add(request);
  });
  for (const ended of ["requestfinished", "requestfailed"] as const)
    page.on(ended as "requestfinished", (request) => underWay.delete(request));
  await page.clock.install();
  return async (by) => {
    await expect.poll(() => underWay.size).toBe(0);
    await page.clock.fastForward(by);
  };
}
