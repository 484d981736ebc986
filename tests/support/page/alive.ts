// Opens a built page and waits until its script responds. Until then clicks on buttons are kept, but typed text, mouse taps and
// window measurements are not.
import type { Page } from "@playwright/test";

/** Resolves once React has hydrated the whole page and its effects have run. React marks each element as it hydrates it. */
export async function alive(page: Page): Promise<void> {
  await page.waitForFunction(
    () =>
      document.readyState === "complete" &&
      Object.keys(document.documentElement).some((key) => key.startsWith("__reactP")),
  );
  // Effects run after the next paint.
  await page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))),
  );
}

export async function openAlive(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await alive(page);
}
