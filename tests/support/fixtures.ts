// The test and expect of every browser test: any console error or uncaught exception of a page fails its test, and the running
// festival, its mailbox and ready-made accounts are at hand.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test as base, expect, type Page } from "@playwright/test";
import { type Account, createAccount } from "./shop/accounts.ts";
import { createMailbox, type Mailbox } from "./server/mailbox.ts";

export { expect };

interface Fixtures {
  readonly baseURL: string;
  readonly mailbox: Mailbox;
  /** This test's own confirmed account. */
  readonly account: Account;
  /** Console errors and exceptions of the page; any left at the end fail the test. */
  readonly pageErrors: string[];
}

export const status = (): Readonly<Record<string, string>> =>
  JSON.parse(process.env.FESTIVAL_STATUS ?? "{}") as Record<string, string>;

/**
 * Chromium's own line for a request while a test blocks the network: which requests are made depends on what runs at the same
 * time.
 */
const WITHOUT_NETWORK = "net::ERR_INTERNET_DISCONNECTED";

export const test = base.extend<Fixtures>({
  baseURL: async ({}, use) => use(status().API_URL),
  mailbox: async ({}, use) => use(createMailbox(status().MAIL_URL!)),
  account: async ({}, use) => use(await createAccount(status())),
  pageErrors: [
    async ({ page }, use) => {
      const errors: string[] = [];
      page.on("console", (message) => {
        if (message.type() !== "error" || message.text().includes(WITHOUT_NETWORK)) return;
        errors.push(`${message.text()} (${message.location().url})`);
      });
      page.on("pageerror", (error) => errors.push(error.stack ?? error.message));
      // Chromium logs nothing for a violation that a script catches; Firefox writes it to the console.
      await page.addInitScript(() =>
        addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sourceFile }) =>
          console.error(`${violatedDirective} forbids ${blockedURI} in ${sourceFile}`),
        ),
      );
      await use(errors);
      try {
        expect(errors, "console errors and uncaught exceptions").toEqual([]);
      } finally {
        // A handler that still answers when the page closes would fail the test after this one.
        if (!page.isClosed()) await page.unrouteAll({ behavior: "ignoreErrors" });
      }
    },
    { auto: true },
  ],
});

/** The browser itself logs refused requests: removes those with this status, and fails if there is none. */
export function expectRefusal(pageErrors: string[], code: number): void {
  const refusals = pageErrors.filter((error) => error.includes(`responded with a status of ${code}`));
  expect(refusals, `refused requests with status ${code} among ${pageErrors.join("\n")}`).not.toEqual([]);
  for (const refusal of refusals) pageErrors.splice(pageErrors.indexOf(refusal), 1);
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** No violation of WCAG 2.2 A and AA that axe can detect. */
export async function expectAccessible(page: Page): Promise<void> {
  // Once a document, since parsing it takes as long as a check: 0.07 s of processor time. Frames answer only if they have it.
  for (const frame of page.frames()) {
    if (!(await frame.evaluate(() => "axe" in window))) await frame.evaluate(axeSource);
  }
  const found = await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: typeof import("axe-core") };
    const runOnly = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
    // By default axe also describes every element that passed: 1.8 s of processor time on the home page instead of 1.2 s.
    const { violations } = await axe.run({ runOnly, resultTypes: ["violations"] });
    return violations.map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map(({ html, failureSummary }) => `${html}\n${failureSummary}`).join("\n")}`,
    );
  });
  expect(found).toEqual([]);
}

/** The same on a phone, where pages are laid out differently, and on a desktop, which the window stays. */
export async function expectAccessibleAtBothSizes(page: Page): Promise<void> {
  for (const viewport of [
    { width: 390, height: 844 },
    { width: 1280, height: 800 },
  ]) {
    await page.setViewportSize(viewport);
    await expectAccessible(page);
  }
}
