// The frame of every public page: top bar, mobile menu, footer, and the scroll reveal.
import type { Page } from "@playwright/test";
import { alive, openAlive } from "../../support/page/alive.ts";
import { arriveSignedIn, serviceClient } from "../../support/shop/arrival.ts";
import { ARRIVING, hold, RECONNECTING } from "../../support/page/faults.ts";
import { expect, expectAccessible, test } from "../../support/fixtures.ts";

const places = [
  ["Home", "/"],
  ["Tickets", "/tickets"],
  ["Vendors", "/vendors"],
  ["Sponsors", "/sponsors"],
  ["FAQ", "/faq"],
  ["About", "/about"],
  ["Schedule", "/schedule"],
  ["Map", "/map"],
] as const;

/** The color as the browser paints it, whatever its notation in the style. */
const looksOf = (page: Page) =>
  page.getByRole("banner").evaluate((bar) => {
    const { backgroundColor, boxShadow, backdropFilter } = getComputedStyle(bar);
    const canvas = document.createElement("canvas").getContext("2d")!;
    canvas.fillStyle = backgroundColor;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
    return {
      clear: alpha === 0,
      white: alpha! > 128 && Math.min(red!, green!, blue!) >= 250,
      shadow: boxShadow !== "none" && !boxShadow.endsWith("rgba(0, 0, 0, 0) 0px 0px 0px 0px"),
      blurred: backdropFilter.includes("blur"),
    };
  });

/** Scrolls, and resolves when the page has painted the result. */
const scrolled = (page: Page, top: number) =>
  page.evaluate(
    (to) =>
      new Promise((done) => {
        const painted = () => requestAnimationFrame(() => requestAnimationFrame(done));
        addEventListener("scroll", painted, { once: true });
        scrollTo(0, to);
      }),
    top,
  );

test("Back, Forward and a reload show a page where it was left, a link shows the next one from its start", async ({
  page,
}) => {
  const isAt = (top: number) => expect.poll(() => page.evaluate(() => Math.round(scrollY))).toBe(top);
  await openAlive(page, "/");
  await page.evaluate(() => scrollTo(0, 900));
  await page.getByRole("banner").getByRole("link", { name: "FAQ", exact: true }).click();
  await expect(page).toHaveURL("/faq");
  await isAt(0);
  await page.evaluate(() => scrollTo(0, 400));
  await page.goBack();
  await isAt(900);
  await page.goForward();
  await isAt(400);
  await page.reload();
  await isAt(400);
});

test("the bar is clear up to 20 px of scroll, then white, blurred and shadowed", async ({ page }) => {
  await openAlive(page, "/");
  for (const viewport of [
    { width: 390, height: 844 },
    { width: 1280, height: 800 },
  ]) {
    await page.setViewportSize(viewport);
    const banner = page.getByRole("banner");
    await expect(banner).toHaveCSS("position", "fixed");
    expect(await looksOf(page)).toMatchObject({ clear: true, shadow: false });
    await scrolled(page, 20);
    expect(await looksOf(page)).toMatchObject({ clear: true, shadow: false });
    await page.evaluate(() => window.scrollTo(0, 21));
    await expect
      .poll(() => looksOf(page))
      .toEqual({ clear: false, white: true, shadow: true, blurred: true });
    await page.evaluate(() => window.scrollTo(0, 0));
    await expect.poll(async () => (await looksOf(page)).clear).toBe(true);
  }
});

test("a visitor skips to the content, is led to every place with its heading focused, and is offered Login and Buy Tickets", async ({
  page,
}) => {
  await openAlive(page, "/about");
  await expect(page.locator("body")).toBeFocused();
  await test.step("the first Tab stop skips to the content", async () => {
    await page.keyboard.press("Tab");
    const skip = page.getByRole("link", { name: "Skip to content" });
    await expect(skip).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(page.getByRole("main")).toBeFocused();
  });
  await test.step("after a page change its heading has the focus and its title is announced", async () => {
    const bar = page.getByRole("navigation", { name: "Main" });
    for (const [name, heading, title] of [
      ["FAQ", "Frequently Asked Questions", "Frequently Asked Questions | Houston Culture Festival"],
      ["Home", "Houston Culture Festival", "Houston Culture Festival: That's So Houston, June 27, 2025"],
      ["Tickets", "Get Your Tickets", "Tickets and Parking | Houston Culture Festival"],
    ] as const) {
      await bar.getByRole("link", { name, exact: true }).press("Enter");
      await expect(page.getByRole("heading", { level: 1, name: heading })).toBeFocused();
      await expect(page.locator("[aria-live=polite]").filter({ hasText: title })).toHaveCount(1);
      expect(await page.evaluate(() => scrollY)).toBe(0);
    }
  });
  await test.step("the bar links to every place and marks the current one", async () => {
    const bar = page.getByRole("navigation", { name: "Main" });
    for (const [label, path] of places) {
      await bar.getByRole("link", { name: label, exact: true }).click();
      await expect(page).toHaveURL(path);
      await expect(bar.getByRole("link", { name: label, exact: true })).toHaveAttribute(
        "aria-current",
        "page",
      );
      await expect(bar.locator('[aria-current="page"]')).toHaveCount(1);
    }
  });
  await test.step("a visitor is offered Login and Buy Tickets", async () => {
    const bar = page.getByRole("banner");
    await expect(bar.getByRole("link", { name: "Login", exact: true })).toHaveAttribute("href", "/auth");
    await expect(bar.getByRole("link", { name: "Buy Tickets" })).toHaveAttribute("href", "/tickets");
    for (const name of ["My Account", "Admin"]) await expect(bar.getByRole("link", { name })).toHaveCount(0);
    await expect(bar.getByRole("button", { name: "Logout" })).toHaveCount(0);
  });
});

test("a buyer is offered My Account and Logout, which says goodbye, and an administrator the back office as well", async ({
  page,
  account,
}) => {
  await arriveSignedIn(page, account);
  await page.goto("/faq");
  const bar = page.getByRole("banner");
  await expect(bar.getByRole("link", { name: "My Account" })).toHaveAttribute("href", "/dashboard");
  await expect(bar.getByRole("link", { name: /^Admin/ })).toHaveCount(0);
  await expect(bar.getByRole("link", { name: "Login" })).toHaveCount(0);
  await test.step("an administrator", async () => {
    const { error } = await serviceClient().from("user_roles").upsert({ user_id: account.id, role: "admin" });
    expect(error).toBeNull();
    await page.reload();
    await expect(page.getByRole("banner").getByRole("link", { name: "Admin", exact: true })).toHaveAttribute(
      "href",
      "/admin",
    );
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole("button", { name: "Open menu" }).click();
    const menu = page.getByRole("navigation", { name: "Mobile" });
    await expect(menu.getByRole("link", { name: "Admin Dashboard" })).toHaveAttribute("href", "/admin");
    await page.keyboard.press("Escape");
    await page.setViewportSize({ width: 1280, height: 800 });
  });
  await bar.getByRole("button", { name: "Logout" }).click();
  const goodbye = page.getByRole("listitem").filter({ hasText: "Logged Out" });
  await expect(goodbye).toContainText("You've been logged out successfully.");
  await expect(bar.getByRole("link", { name: "Login", exact: true })).toBeVisible();
});

test("every staff link fits on one line of the bar, from the narrowest width that has it", async ({
  page,
  account,
}) => {
  await arriveSignedIn(page, account);
  await page.setViewportSize({ width: 1024, height: 700 });
  const bar = page.getByRole("banner");
  for (const [row, link] of [
    [{ role: "finance" }, /^Back Office/],
    [{ role: "gate", sells_at_door: true }, /^Door/],
    [{ role: "admin" }, /^Admin/],
  ] as const) {
    const { error } = await serviceClient()
      .from("user_roles")
      .upsert({ user_id: account.id, ...row });
    expect(error).toBeNull();
    await page.goto("/faq");
    await expect(bar.getByRole("link", { name: link })).toBeVisible();
    for (const width of [1024, 1060, 1280]) {
      await page.setViewportSize({ width, height: 700 });
      const boxes = await bar.locator("a, button").evaluateAll((links) =>
        links
          .filter((one) => one.checkVisibility())
          .map((one) => {
            const { left, right, height } = one.getBoundingClientRect();
            return { name: one.textContent, left, right, height };
          })
          .filter(({ name }) => name !== "HoustonCulture Festival"),
      );
      for (const [index, { name, left, right, height }] of boxes.entries()) {
        expect(height, `${name} at ${width} px`).toBeLessThan(56);
        expect(left, `${name} at ${width} px`).toBeGreaterThanOrEqual(boxes[index - 1]?.right ?? 0);
        expect(right, `${name} at ${width} px`).toBeLessThanOrEqual(width);
      }
    }
  }
});

test("the bar has room for one more link on a narrow desktop", async ({ page }) => {
  await page.setViewportSize({ width: 1024, height: 800 });
  await openAlive(page, "/about");
  const bar = page.getByRole("banner");
  await expect(bar.getByRole("link", { name: "Buy Tickets" })).toBeVisible();
  const links = bar.getByRole("navigation", { name: "Main" }).getByRole("listitem").filter({ visible: true });
  await links.first().evaluate((item) => {
    const added = item.cloneNode(true) as HTMLElement;
    added.firstElementChild!.textContent = "Volunteers";
    item.before(added);
  });
  const brand = (await bar.getByRole("link").first().boundingBox())!;
  const first = (await links.first().boundingBox())!;
  expect(first.x).toBeGreaterThan(brand.x + brand.width);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(1024);
});

test("nothing that depends on the login is in the bar before it is known", async ({ page, account }) => {
  await arriveSignedIn(page, account);
  // Holds every script that the HTML does not request itself, including the client that knows the session.
  const html = await (await page.request.get("/about", RECONNECTING)).text();
  const prerendered = html.slice(html.indexOf("<header"), html.indexOf("</header>"));
  expect(prerendered).toContain("Sponsors");
  for (const text of ["Login", "Buy Tickets", "My Account", "Logout", "Admin"])
    expect(prerendered).not.toContain(text);
  const held = (url: URL) => url.pathname.endsWith(".js") && !html.includes(url.pathname);
  const release = await hold(page, held);
  const asked = page.waitForRequest((request) => held(new URL(request.url())), ARRIVING);
  await page.goto("/about");
  const bar = page.getByRole("banner");
  await expect(bar.getByRole("link", { name: "About", exact: true })).toHaveAttribute("aria-current", "page");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  const dependent = bar
    .getByRole("link", { name: /Login|Buy Tickets|My Account|Admin/ })
    .or(bar.getByRole("button", { name: "Logout" }));
  await asked; // the page is alive, and knows that there may be a session
  await expect(dependent).toHaveCount(0);
  release();
  await expect(bar.getByRole("link", { name: "My Account" })).toBeVisible();
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

  test("the menu opens by touch, labels the login in words, and closes on every route change", async ({
    page,
  }) => {
    await page.goto("/");
    const menu = page.getByRole("navigation", { name: "Mobile" });
    const open = page.getByRole("button", { name: "Open menu" });
    for (const [label, path] of places.slice(1)) {
      await open.tap();
      await expect(page.getByRole("button", { name: "Close menu" })).toHaveAttribute("aria-expanded", "true");
      await menu.getByRole("link", { name: label, exact: true }).tap();
      await expect(page).toHaveURL(path);
      await expect(menu).toBeHidden();
    }
    await open.tap();
    await expect(menu.locator('[aria-current="page"]')).toHaveText("Map");
    await expect(menu.getByRole("link", { name: "Login / Register" })).toHaveAttribute("href", "/auth");
    await expect(menu.getByRole("link", { name: "Buy Tickets" })).toHaveAttribute("href", "/tickets");
    await expectAccessible(page);
    await page.goBack();
    await expect(page).toHaveURL("/schedule");
    await expect(menu).toBeHidden();
    await open.tap();
    await page.keyboard.press("Escape");
    await expect(menu).toBeHidden();
  });
});

test("the footer states what, when and by whom, and links everywhere", async ({ page }) => {
  await page.clock.setFixedTime(new Date("2031-03-01T12:00:00Z"));
  await openAlive(page, "/map");
  const footer = page.getByRole("contentinfo");
  for (const text of [
    "Houston Culture Festival",
    "That's So Houston",
    "June 27th, 2025",
    "Bayou City Social",
    "hello@bayoucitysocial.example",
    "© 2031",
  ]) {
    await expect(footer).toContainText(text);
  }
  for (const [name, path] of [
    ["Home", "/"],
    ["Tickets", "/tickets"],
    ["Become a Vendor", "/vendors"],
    ["Sponsorship Opportunities", "/sponsors"],
    ["FAQ", "/faq"],
    ["About Us", "/about"],
    ["Schedule", "/schedule"],
    ["Map", "/map"],
    ["Terms", "/terms"],
    ["Privacy", "/privacy"],
  ] as const) {
    await expect(footer.getByRole("link", { name, exact: true })).toHaveAttribute("href", path);
  }
  for (const name of [/Instagram/, /Facebook/, /^X/]) await footer.getByRole("link", { name }).click();
  await expect(page).toHaveURL("/map");
});

test("a page that breaks says so in the festival's own frame, and the bar leads out", async ({
  page,
  pageErrors,
}) => {
  await openAlive(page, "/about");
  // The map breaks while it is drawn; the frame's own pictures have no groups.
  await page.evaluate(() => {
    const { createElementNS } = document;
    document.createElementNS = function (this: Document, ...args: Parameters<typeof createElementNS>) {
      if (args[1] === "g") throw new Error("the needle broke");
      return createElementNS.apply(this, args);
    } as typeof createElementNS;
    Object.assign(window, { mend: () => (document.createElementNS = createElementNS) });
  });
  const bar = page.getByRole("navigation", { name: "Main" });
  await bar.getByRole("link", { name: "Map", exact: true }).click();
  const alert = page.getByRole("alert");
  await expect(alert.getByRole("heading", { level: 1 })).toHaveText("The record skipped");
  await expect(alert.getByRole("button", { name: "Reload" })).toBeVisible();
  await expectAccessible(page);
  await page.evaluate(() => (window as unknown as { mend: () => void }).mend());
  await bar.getByRole("link", { name: "FAQ", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Frequently Asked Questions");
  pageErrors.length = 0;
});

test("the scroll reveal hides what is below until a tenth of it is in view, then shows its children 100 ms apart, and nothing under reduced motion", async ({
  page,
}) => {
  const staggered = page.locator("[data-reveal-children]").filter({ hasText: "BBQ Cook-Off" });
  await test.step("reduced motion", async () => {
    await openAlive(page, "/");
    await expect(page.locator("[data-reveal=waiting], [data-reveal-children=waiting]")).toHaveCount(0);
    await expect(page.getByRole("heading", { name: "BBQ Cook-Off" })).toBeVisible();
  });
  await page.emulateMedia({ reducedMotion: "no-preference" });
  await page.reload();
  await alive(page);
  await expect(staggered).toHaveAttribute("data-reveal-children", "waiting");
  await expect(staggered.locator("> :first-child")).toHaveCSS("opacity", "0");
  await staggered.evaluate((list) => {
    const { top, height } = list.getBoundingClientRect();
    scrollTo(0, top + scrollY + height * 0.15 - innerHeight);
  });
  await expect(staggered).toHaveAttribute("data-reveal-children", "shown");
  const delays = await staggered
    .locator("> *")
    .evaluateAll((children) =>
      children.map((child) => Math.round(1000 * Number.parseFloat(getComputedStyle(child).transitionDelay))),
    );
  expect(delays.map((delay, index) => delay - (delays[index - 1] ?? delay))).toEqual([0, 100, 100, 100, 100]);
  await expect(staggered.locator("> :last-child")).toHaveCSS("opacity", "1");
});
