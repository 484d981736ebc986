// Captchas, as people meet them: the site shows the maker's widget and sends its token. The makers' scripts are ours, served at
// the makers' addresses, so that the page's policy decides about them. The server asks a verifier on this machine.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Locator, Page } from "@playwright/test";
import { newEmail } from "../../support/shop/accounts.ts";
import { ARRIVING, RECONNECTING } from "../../support/page/faults.ts";
import { expect, expectAccessible, test } from "../../support/fixtures.ts";
import { useOwnFestival } from "../../support/server/own-festival.ts";

test.describe.configure({ mode: "default" });

const MAKERS = {
  hcaptcha: {
    script: "https://js.hcaptcha.com/1/api.js",
    frame: "https://newassets.hcaptcha.com/captcha.html",
  },
  turnstile: {
    script: "https://challenges.cloudflare.com/turnstile/v0/api.js",
    frame: "https://challenges.cloudflare.com/captcha.html",
  },
} as const;
type Maker = keyof typeof MAKERS;

/** Draws a frame with one button; each click creates a new token. */
const scriptOf = (maker: Maker) => `
  let last = 0;
  const shown = new Map();
  addEventListener("message", ({ data, source }) => {
    for (const { frame, options } of shown.values())
      if (frame.contentWindow === source && data === "person") options.callback("${maker} " + options.sitekey + " " + crypto.randomUUID());
  });
  window.${maker} = {
    render(place, options) {
      const frame = document.createElement("iframe");
      frame.src = "${MAKERS[maker].frame}";
      frame.title = "captcha";
      place.append(frame);
      shown.set(++last, { frame, options });
      return last;
    },
    remove(id) { shown.get(id).frame.remove(); shown.delete(id); },
  };
  window[new URL(document.currentScript.src).searchParams.get("onload")]();`;

const FRAME = `<!doctype html><title>captcha</title><button onclick="parent.postMessage('person', '*')">I am a person</button>`;

let verifier: Server;
/** The tokens the server has verified, each once. */
let asked: string[] = [];

async function openVerifier(): Promise<string> {
  verifier = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const form = new URLSearchParams(Buffer.concat(chunks).toString());
      const token = form.get("response")!;
      const success = form.get("secret") === "the secret" && !asked.includes(token);
      asked.push(token);
      response.end(JSON.stringify({ success, "error-codes": success ? [] : ["timeout-or-duplicate"] }));
    });
  });
  await new Promise<void>((ready) => verifier.listen(0, "127.0.0.1", ready));
  return `http://127.0.0.1:${(verifier.address() as AddressInfo).port}`;
}

async function playMaker(page: Page, maker: Maker): Promise<void> {
  const { script, frame } = MAKERS[maker];
  await page.route(`${script}*`, (route) =>
    route.fulfill({ contentType: "text/javascript", body: scriptOf(maker) }),
  );
  await page.route(frame, (route) => route.fulfill({ contentType: "text/html", body: FRAME }));
}

/** `place`: the form with the captcha, since another form with its own captcha may still be shown. */
const answer = (place: Page | Locator) =>
  place.frameLocator('iframe[title="captcha"]').getByRole("button", { name: "I am a person" }).click();

for (const maker of Object.keys(MAKERS) as Maker[]) {
  test.describe(maker, () => {
    useOwnFestival(async () => ({
      NODE_OPTIONS: `--import=${join(import.meta.dirname, "../../support/server/captcha-makers.ts")}`,
      CAPTCHA_VERIFIER: await openVerifier(),
      GOTRUE_SECURITY_CAPTCHA_ENABLED: "true",
      GOTRUE_SECURITY_CAPTCHA_PROVIDER: maker,
      GOTRUE_SECURITY_CAPTCHA_SECRET: "the secret",
      GOTRUE_SECURITY_CAPTCHA_SITE_KEY: "site-key",
      GOTRUE_SMTP_MAX_FREQUENCY: "1ms",
    }));
    test.afterAll(() => {
      verifier.closeAllConnections();
      verifier.close();
    });
    test.beforeEach(async ({ page }) => {
      asked = [];
      await playMaker(page, maker);
    });

    test("guards a password, each attempt needs its own answer, and only its maker's hosts are admitted into the pages", async ({
      page,
      request,
      account,
      pageErrors,
    }) => {
      await page.goto("/auth");
      const form = page.getByRole("form", { name: "Sign in" });
      await expect(form.getByRole("group", { name: "Human verification" })).toBeVisible();
      await expectAccessible(page);
      await form.getByLabel("Email").fill(account.email);
      await form.getByLabel("Password").fill("not the password");
      // Pressed too early: it continues automatically once the check is answered.
      await form.getByRole("button", { name: "Sign In", exact: true }).click();
      await expect(form.getByText("Please complete the check above.")).toBeVisible();
      expect(asked).toEqual([]);
      await answer(page);
      await expect(page.getByText("Invalid login credentials")).toBeVisible();
      expect(pageErrors.splice(0)).toEqual([expect.stringContaining("400")]);

      await form.getByLabel("Password").fill(account.password);
      await answer(page);
      await form.getByRole("button", { name: "Sign In", exact: true }).click();
      await expect(page.getByRole("heading", { name: "Welcome!" })).toBeVisible();
      expect(asked).toEqual([
        expect.stringContaining(`${maker} site-key`),
        expect.stringContaining(`${maker} site-key`),
      ]);
      const policy = (await request.get("/auth", RECONNECTING)).headers()["content-security-policy"]!;
      const hosts = new Set(policy.match(/https:\/\/[^\s;]+/g));
      expect([...hosts]).toEqual(
        maker === "hcaptcha"
          ? ["https://hcaptcha.com", "https://*.hcaptcha.com"]
          : ["https://challenges.cloudflare.com"],
      );
    });

    // The rest is the same for both makers.
    if (maker !== "hcaptcha") return;

    test("guards a new account, a code and a new password", async ({ page, mailbox }) => {
      const email = newEmail("captcha");
      await page.goto("/auth?mode=sign-up");
      const signUp = page.getByRole("form", { name: "Create account" });
      await signUp.getByLabel("Email").fill(email);
      await signUp.getByLabel("Password", { exact: true }).fill("swangas and vogues");
      await signUp.getByLabel("Confirm Password").fill("swangas and vogues");
      await answer(page);
      await signUp.getByRole("button", { name: "Create Account" }).click();
      await expect(page.getByText("Check your email at")).toBeVisible();
      await mailbox.newest(email, /confirm/i);

      await page.getByRole("link", { name: "Forgot your password?" }).click();
      await answer(page.getByRole("form", { name: "Reset password" }));
      await page.getByRole("button", { name: "Send Reset Link" }).click();
      await expect(page.getByText("are on their way")).toBeVisible();

      await page.goto("/auth?mode=code");
      await answer(page);
      await page.getByRole("button", { name: "Email Me a Code" }).click();
      const typing = page.getByRole("form", { name: "Type your code" });
      await expect(typing).toBeVisible();
      // The check appears with the click, a minute later.
      await page.evaluate(() => {
        for (const key of Object.keys(sessionStorage))
          if (key.endsWith("awaited-code"))
            sessionStorage.setItem(
              key,
              JSON.stringify({ ...JSON.parse(sessionStorage.getItem(key)!), sentAt: 0 }),
            );
      });
      await page.reload();
      await expect(page.locator("iframe")).toHaveCount(0);
      await typing.getByRole("button", { name: "Send Another Code" }).click();
      await answer(page);
      await expect(typing.getByText("We sent another code.")).toBeVisible();
      expect(asked).toHaveLength(4);
    });

    test("says so when its script does not load, and loads it again", async ({
      page,
      account,
      pageErrors,
    }) => {
      const { script } = MAKERS[maker];
      await page.route(`${script}*`, (route) => route.abort());
      await page.goto("/auth");
      await expect(page.getByText("could not be loaded. Please check your connection")).toBeVisible();
      await expectAccessible(page);
      expect(pageErrors.splice(0)).toEqual([expect.stringContaining("ERR_FAILED")]);
      await page.unroute(`${script}*`);
      await playMaker(page, maker);
      await page.getByRole("button", { name: "Reload" }).click();
      await page.getByLabel("Email").fill(account.email);
      await page.getByLabel("Password").fill(account.password);
      await answer(page);
      await page.getByRole("button", { name: "Sign In", exact: true }).click();
      await expect(page.getByRole("heading", { name: "Welcome!" })).toBeVisible();
    });

    test("appears with the click if the form could not learn about it earlier", async ({
      page,
      account,
      pageErrors,
    }) => {
      const settings = "**/auth/v1/settings";
      await page.route(settings, (route) => route.abort());
      const failed = page.waitForEvent("requestfailed", {
        predicate: (request) => request.url().endsWith("/settings"),
        ...ARRIVING,
      });
      await page.goto("/auth");
      await failed;
      await page.unroute(settings);
      await page.getByLabel("Email").fill(account.email);
      await page.getByLabel("Password").fill(account.password);
      await page.getByRole("button", { name: "Sign In", exact: true }).click();
      await answer(page);
      await expect(page.getByRole("heading", { name: "Welcome!" })).toBeVisible();
      expect(pageErrors.splice(0).filter((error) => !error.includes("ERR_FAILED"))).toEqual([]);
    });
  });
}

test("is not shown, and admits no hosts into the pages, where it is switched off", async ({
  page,
  request,
}) => {
  const policy = (await request.get("/auth", RECONNECTING)).headers()["content-security-policy"]!;
  expect(policy).not.toContain("https://");
  await page.goto("/auth");
  await expect(page.getByRole("button", { name: "Sign In", exact: true })).toBeVisible();
  await expect(page.locator("iframe")).toHaveCount(0);
});
