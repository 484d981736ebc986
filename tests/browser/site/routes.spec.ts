// Every public page (PRODUCT 2.1, section 4): as prerendered HTML without script, and with script at every width. What
// machines read about the festival is checked here too.
import { openAlive } from "../../support/page/alive.ts";
import { RECONNECTING } from "../../support/page/faults.ts";
import { expect, expectAccessible, expectRefusal, test } from "../../support/fixtures.ts";
import { brokenWords, expectFits, textSizeOf } from "../../support/page/large-text.ts";

interface PublicPage {
  readonly path: string;
  readonly title: string;
  readonly description: RegExp;
  readonly heading: string;
  readonly texts: readonly string[];
  /** Links in the page's content, not in its frame. */
  readonly links: readonly (readonly [name: string, to: string])[];
}

const pages: readonly PublicPage[] = [
  {
    path: "/",
    title: "Houston Culture Festival: That's So Houston, June 27, 2025",
    description: /one-day celebration of Houston/,
    heading: "Houston Culture Festival",
    texts: [
      "That's So Houston",
      "one-day celebration",
      "About the Festival",
      "BBQ Cook-Off",
      "Vendor Marketplace",
      "Line Dancing",
      "Slab Car Show",
      "Mechanical Bull Competition",
      "Festival Schedule",
      "Festival Map",
      "Join Us This Summer",
    ],
    links: [
      ["Buy Tickets", "/tickets"],
      ["Learn More about the festival", "/about"],
      ["Get Your Tickets", "/tickets"],
      ["View Full Schedule", "/schedule"],
      ["Explore Interactive Map", "/map"],
      ["Become a Vendor", "/vendors"],
    ],
  },
  {
    path: "/about",
    title: "About the Festival | Houston Culture Festival",
    description: /mission/,
    heading: "About the Festival",
    texts: [
      "Our Mission",
      "The Organizers",
      "Bayou City Social",
      "social-wellness organization",
      "over 50 events",
      "over 10,000 expected attendees across two days",
      "two-day weekend, Saturday and Sunday",
      "The Team",
      "Community Impact",
      "Contact Us",
      "(713) 555-0127",
      "Houston, TX",
    ],
    links: [],
  },
  {
    path: "/schedule",
    title: "Schedule | Houston Culture Festival",
    description: /June 27, 2025/,
    heading: "Festival Schedule",
    texts: ["June 27, 2025, 11:00 AM to 10:00 PM", "Schedule Notes"],
    links: [["Add to Calendar", "/festival.ics"]],
  },
  {
    path: "/vendors",
    title: "Become a Vendor | Houston Culture Festival",
    description: /booth/,
    heading: "Become a Vendor",
    texts: [
      "Over 10,000 expected attendees across two days",
      "Vendor Application",
      "Contact Info",
      "Business Details",
      "Review",
    ],
    links: [],
  },
  {
    path: "/sponsors",
    title: "Sponsorship Opportunities | Houston Culture Festival",
    description: /Silver, Gold, Platinum and custom/,
    heading: "Sponsorship Opportunities",
    texts: ["Silver", "$2,500", "Gold", "$5,000", "Platinum", "$10,000", "Custom Package", "Sponsor Inquiry"],
    links: [],
  },
  {
    path: "/faq",
    title: "Frequently Asked Questions | Houston Culture Festival",
    description: /answers/,
    heading: "Frequently Asked Questions",
    texts: ["General Information", "Tickets", "Festival Experience", "Parking & Transportation"],
    links: [["Contact Us", "mailto:hello@bayoucitysocial.example"]],
  },
  {
    path: "/tickets",
    title: "Tickets and Parking | Houston Culture Festival",
    description: /June 27, 2025/,
    heading: "Get Your Tickets",
    texts: ["Loading ticket options...", "over 20 acts", "What's Included", "non-refundable"],
    links: [["View All FAQs", "/faq"]],
  },
  {
    path: "/terms",
    title: "Terms of Sale | Houston Culture Festival",
    description: /refunds/,
    heading: "Terms of Sale",
    texts: [
      "non-refundable",
      "transferable up to 14 days before the festival",
      "is listed separately",
      "Bayou City Social",
    ],
    links: [],
  },
  {
    path: "/privacy",
    title: "Privacy | Houston Culture Festival",
    description: /keeps/,
    heading: "Privacy",
    texts: ["the name and email of each attendee", "Your card number never reaches us", "Write to us"],
    links: [["hello@bayoucitysocial.example", "mailto:hello@bayoucitysocial.example"]],
  },
  {
    path: "/map",
    title: "Festival Map | Houston Culture Festival",
    description: /Main Stage, Food Court, Purple Room, Vendor Area and Main Entrance/,
    heading: "Festival Map",
    texts: ["Festival Hours", "12pm-11pm", "11am-10pm", "Amenities", "Legend"],
    links: [],
  },
];

test.describe("without script", () => {
  test.use({ javaScriptEnabled: false });

  test("every public page is complete, and its links lead to pages that exist", async ({ page, baseURL }) => {
    const linked = new Map<string, string>();
    for (const { path, title, description, heading, texts, links } of pages) {
      await test.step(path, async () => {
        const response = await page.goto(path);
        expect(response?.status()).toBe(200);
        await expect(page).toHaveTitle(title);
        const meta = (name: string) => page.locator(`meta[name="${name}"], meta[property="${name}"]`);
        await expect(meta("description")).toHaveAttribute("content", description);
        await expect(meta("og:title")).toHaveAttribute("content", title);
        await expect(meta("og:image")).toHaveAttribute("content", `${baseURL}/og.png`);
        await expect(meta("og:url")).toHaveAttribute("content", `${baseURL}${path}`);
        await expect(page.locator("link[rel=canonical]")).toHaveAttribute("href", `${baseURL}${path}`);
        await expect(page.locator("h1")).toHaveText(heading);
        await expect(page.locator("h1")).toBeVisible();
        const main = page.getByRole("main");
        const content = await main.textContent();
        for (const text of texts) expect(content).toContain(text);
        for (const [name, to] of links) {
          for (const link of await main.getByRole("link", { name, exact: true }).all()) {
            await expect(link).toHaveAttribute("href", to);
          }
          await expect(main.getByRole("link", { name, exact: true }).first()).toBeVisible();
        }
        const hrefs = await page
          .locator("a[href^='/']")
          .evaluateAll((found) => found.map((a) => a.getAttribute("href")!));
        for (const href of hrefs) linked.set(href, path);
      });
    }
    for (const [href, path] of linked) {
      expect((await page.request.get(href, RECONNECTING)).status(), `${href} on ${baseURL}${path}`).toBe(200);
    }
  });

  test("/tickets lists what is for sale, with its price, and the home page's calls to action lead to tickets and vendors", async ({
    page,
  }) => {
    await page.goto("/tickets");
    const list = page.locator("noscript ul");
    await expect(list.getByRole("listitem")).toContainText([
      "Youth (10 to 17): $20.00",
      "General Admission: $45.00",
      "VIP: $150.00",
      "General Parking: $25.00",
      "Preferred Parking: $60.00",
    ]);
    await expect(page.getByText("Loading ticket options...")).toBeHidden();
    await page.goto("/");
    const call = page.getByRole("region", { name: "Join Us This Summer" });
    await expect(call.getByRole("link", { name: "Buy Tickets" })).toHaveAttribute("href", "/tickets");
    await expect(call.getByRole("link", { name: "Become a Vendor" })).toHaveAttribute("href", "/vendors");
  });

  test("every private page, and one that does not exist, states what it is", async ({ page, pageErrors }) => {
    for (const [path, status, title, heading] of [
      ["/auth", 200, "Sign In", "Login / Register"],
      ["/checkout", 200, "Checkout", "Checkout"],
      ["/dashboard", 200, "My Account", "My Account"],
      ["/my-tickets", 200, "My Tickets", "My Tickets"],
      ["/transfer", 200, "A Ticket for You", "A Ticket for You"],
      ["/unsubscribe", 200, "Unsubscribe", "Unsubscribe"],
      ["/order-confirmation", 200, "Order Confirmation", "Order Confirmation"],
      ["/no-such-page", 404, "Page Not Found", "Page Not Found"],
    ] as const) {
      await test.step(path, async () => {
        expect((await page.goto(path))?.status()).toBe(status);
        await expect(page).toHaveTitle(`${title} | Houston Culture Festival`);
        await expect(page.getByRole("heading", { level: 1 })).toHaveText(heading);
        await expect(page.locator("link[rel=canonical]")).toHaveCount(0);
        await expect(page.locator('meta[name="robots"]'), "one person's").toHaveAttribute(
          "content",
          "noindex",
        );
        // getByText skips the content of a noscript element.
        if (status === 200) await expect(page.locator("noscript p")).toContainText("needs JavaScript");
        else expectRefusal(pageErrors, status);
      });
    }
  });

  test("the manifest's and the page's pictures exist", async ({ page, request }) => {
    const manifest = await (await request.get("/manifest.webmanifest", RECONNECTING)).json();
    expect(manifest).toMatchObject({ name: "Houston Culture Festival", start_url: "/" });
    const sizes = manifest.icons.map(({ sizes: size }: { sizes: string }) => size);
    expect(sizes).toEqual(expect.arrayContaining(["192x192", "512x512"]));
    for (const icon of manifest.icons as { src: string; type: string }[]) {
      const answer = await request.get(icon.src, RECONNECTING);
      expect(answer.status(), icon.src).toBe(200);
      expect(answer.headers()["content-type"]).toContain(icon.type);
    }
    await page.goto("/");
    const picture = await page.locator('meta[property="og:image"]').getAttribute("content");
    const { width, height } = await page.evaluate(async (address) => {
      const image = new Image();
      image.src = address;
      await image.decode();
      return { width: image.naturalWidth, height: image.naturalHeight };
    }, new URL(picture!).pathname);
    expect({ width, height }).toEqual({ width: 1200, height: 630 });
    const icons = await page
      .locator("link[rel=icon], link[rel=apple-touch-icon]")
      .evaluateAll((links) => links.map((link) => link.getAttribute("href")!));
    expect(icons).toEqual(["/favicon.ico", "/favicon.svg", "/apple-touch-icon.png"]);
    for (const icon of icons) {
      const answer = await request.get(icon, RECONNECTING);
      expect(answer.status(), icon).toBe(200);
      expect(answer.headers()["content-type"], icon).toMatch(/^image\//);
    }
  });
});

/** None of their words is broken, however long. */
const headings = { within: "h1, h2, h3, a, button", longest: Infinity };

test("every page hydrates what was painted, is accessible, and fits every width and text at twice its size", async ({
  page,
}) => {
  test.slow();
  await page.addInitScript(() =>
    addEventListener("DOMContentLoaded", () => {
      const painted = [...document.querySelectorAll("h1, main section, footer")];
      Object.assign(window, { gone: () => painted.filter((part) => !part.isConnected).length, painted });
    }),
  );
  const setTextSize = await textSizeOf(page);
  const phone = { width: 390, height: 844 };
  const expectFitsLarge = async (path: string) => {
    await page.setViewportSize(phone);
    await setTextSize("large");
    await expect(page.getByRole("contentinfo")).toBeAttached();
    await expectFits(page, path);
    expect(await page.evaluate(brokenWords, headings), `words broken inside on ${path}`).toEqual([]);
    await setTextSize("normal");
  };
  for (const { path } of pages) {
    await test.step(path, async () => {
      await openAlive(page, path);
      await expect(page.getByText("Loading ticket options...")).toBeHidden();
      await expect(page.getByRole("banner").getByRole("link", { name: "Login" })).toBeVisible();
      const { painted, gone } = await page.evaluate(() => {
        const seen = window as unknown as { painted: unknown[]; gone: () => number };
        return { painted: seen.painted.length, gone: seen.gone() };
      });
      expect(painted).toBeGreaterThan(2);
      expect(gone, "parts taken out of the page").toBe(0);
      for (const width of [320, 390, 768, 820, 1024, 1280, 1440, 1920]) {
        await page.setViewportSize({ ...phone, width });
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        expect(overflow, `pixels to scroll sideways at ${width}`).toBeLessThanOrEqual(0);
        expect(await page.evaluate(brokenWords, headings), `words broken inside at ${width}`).toEqual([]);
        if (width === 390 || width === 1440) await expectAccessible(page);
      }
      await expectFitsLarge(path);
      await page.setViewportSize({ width: 1280, height: 800 });
    });
  }
  for (const path of ["/auth", "/auth?mode=sign-up", "/auth?mode=forgot", "/transfer", "/unsubscribe"]) {
    await test.step(path, async () => {
      await openAlive(page, path);
      await expectFitsLarge(path);
    });
  }
});

const entries = [
  ["11:00 AM", "Opening Ceremony", "Main Stage", "45 min"],
  ["12:00 PM", "DJ Screw Tribute", "Purple Room", "90 min"],
  ["1:30 PM", "Slab Parade", "Festival Grounds", "60 min"],
  ["3:00 PM", "Food Showcase", "Food Court", "90 min"],
  ["4:30 PM", "Houston Legends Panel", "Main Stage", "90 min"],
  ["6:30 PM", "Headliner Performance", "Main Stage", "120 min"],
] as const;

test("the schedule lists its six entries, and performers where there are any; the home page shows figures, areas and the first four entries", async ({
  page,
}) => {
  await openAlive(page, "/schedule");
  const items = page.getByRole("main").getByRole("list").first().getByRole("listitem");
  await expect(items).toHaveCount(6);
  for (const [index, entry] of entries.entries()) {
    for (const text of entry) await expect(items.nth(index)).toContainText(text);
  }
  await expect(items.nth(5)).toContainText("TBA");
  for (const store of ["App Store", "Google Play"]) {
    const before = await page.getByRole("main").innerHTML();
    await page.getByRole("button", { name: store }).click();
    expect(await page.getByRole("main").innerHTML(), `after ${store}`).toBe(before);
  }

  await openAlive(page, "/");
  const figures = page.getByRole("region", { name: "The festival in numbers" }).getByRole("listitem");
  await expect(figures).toHaveText([/^1\s*Day$/, /^1\s*Location$/, /^30\+\s*Artists$/, /^5K\s*Attendees$/]);
  // The gate is listed simply as Entrance.
  const areas = page.getByRole("region", { name: "Festival Map" }).getByRole("listitem");
  await expect(areas).toHaveText(["Main Stage", "Food Court", "Purple Room", "Vendor Area", "Entrance"]);
  const schedule = page.getByRole("region", { name: "Festival Schedule" });
  await expect(schedule.getByRole("listitem")).toHaveCount(4);
  for (const [index, entry] of entries.slice(0, 4).entries()) {
    for (const text of entry) await expect(schedule.getByRole("listitem").nth(index)).toContainText(text);
  }
  // Its day buttons do nothing.
  const before = await schedule.innerHTML();
  for (const day of ["Saturday", "Sunday"]) await schedule.getByRole("button", { name: day }).click();
  expect(await schedule.innerHTML()).toBe(before);
  await expect(page).toHaveURL("/");
});

test("the hero fades in, except under reduced motion", async ({ page }) => {
  await page.goto("/");
  for (const [reducedMotion, animated] of [
    ["no-preference", true],
    ["reduce", false],
  ] as const) {
    await page.emulateMedia({ reducedMotion });
    const fades = await page
      .getByRole("heading", { level: 1 })
      .evaluate((h1) => Number.parseFloat(getComputedStyle(h1).animationDuration) > 0.05);
    expect(fades, `fade with ${reducedMotion}`).toBe(animated);
  }
});

test.describe("for machines", () => {
  test("the sitemap lists every public page; robots.txt points to it and excludes private ones", async ({
    request,
    baseURL,
  }) => {
    const sitemap = await (await request.get("/sitemap.xml", RECONNECTING)).text();
    const listed = [...sitemap.matchAll(/<loc>([^<]+)<\/loc>/g)].map(
      ([, address]) => new URL(address!).pathname,
    );
    expect(listed.toSorted()).toEqual(pages.map(({ path }) => path).toSorted());
    const robots = await (await request.get("/robots.txt", RECONNECTING)).text();
    expect(robots).toContain(`Sitemap: ${baseURL}/sitemap.xml\n`);
    expect(sitemap).toContain(`<loc>${baseURL}/tickets</loc>`);
    expect(await (await request.get("/festival.ics", RECONNECTING)).text()).toContain(
      `\r\nURL:${baseURL}/\r\n`,
    );
    for (const path of ["/admin", "/checkout", "/dashboard", "/my-tickets"]) {
      expect(robots).toMatch(new RegExp(`^Disallow: ${path}$`, "m"));
    }
  });

  test("the calendar file has the day in UTC", async ({ request }) => {
    const answer = await request.get("/festival.ics", RECONNECTING);
    expect(answer.headers()["content-type"]).toContain("text/calendar");
    const text = await answer.text();
    expect(text.replaceAll("\r\n", "")).not.toContain("\n");
    for (const line of [
      "BEGIN:VCALENDAR",
      "DTSTART:20250627T160000Z",
      "DTEND:20250628T030000Z",
      "SUMMARY:Houston Culture Festival",
      "END:VCALENDAR",
    ]) {
      expect(text.split("\r\n")).toContain(line);
    }
    for (const line of text.split("\r\n")) expect(Buffer.byteLength(line), line).toBeLessThanOrEqual(75);
  });

  test("the structured data describe the event and what is for sale", async ({ request, baseURL }) => {
    const read = async () => {
      const html = await (await request.get("/", RECONNECTING)).text();
      return JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/s.exec(html)![1]!);
    };
    const offer = {
      "@type": "Offer",
      priceCurrency: "USD",
      availability: "https://schema.org/InStock",
      url: `${baseURL}/tickets`,
    };
    const seeded = [
      { ...offer, name: "Youth (10 to 17)", price: "20.00" },
      { ...offer, name: "General Admission", price: "45.00" },
      { ...offer, name: "VIP", price: "150.00" },
    ];
    // Other tests create types meanwhile.
    await expect.poll(async () => (await read()).offers).toEqual(expect.arrayContaining(seeded));
    const event = await read();
    expect(event).toMatchObject({
      "@context": "https://schema.org",
      "@type": expect.stringMatching(/Event|Festival/),
      name: "Houston Culture Festival",
      startDate: "2025-06-27T11:00:00-05:00",
      endDate: "2025-06-27T22:00:00-05:00",
      location: { "@type": "Place", address: { "@type": "PostalAddress", addressLocality: "Houston" } },
    });
    expect(event.image).toEqual([`${baseURL}/og.png`]);
  });
});
