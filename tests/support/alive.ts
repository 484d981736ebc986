// Opening a built page and waiting until its script answers. Presses of buttons are kept until then; what is typed, tapped with
// a mouse or read off the window is not.
import type { Page } from "@playwright/test";

/** Resolves once React has hydrated the whole page and its effects have run. It marks each element as it takes it over. */
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
