// What everybody sees: the public pages and their states.
import { openAlive } from "../support/page/alive.ts";
import { answerWith, hold, RECONNECTING, silenceSockets } from "../support/page/faults.ts";
import type { Studio } from "./studio.ts";
import { problems } from "../support/page/problems.ts";

const PAGES = {
  home: "/",
  about: "/about",
  schedule: "/schedule",
  vendors: "/vendors",
  sponsors: "/sponsors",
  faq: "/faq",
  map: "/map",
  tickets: "/tickets",
  "not-found": "/no-such-page",
  terms: "/terms",
  privacy: "/privacy",
  "sign-in": "/auth",
} as const;

const LONG_NAME = "General Admission for Neighbors of the Third Ward";
const UNBROKEN_NAME = "Donaudampfschifffahrtsgesellsc";

export async function shootVisitor(studio: Studio): Promise<void> {
  const { page, shoot } = studio;
  for (const [name, address] of Object.entries(PAGES)) {
    await page.goto(address);
    await shoot(name);
  }
  await shootStates(studio);
  await shootTicketStates(studio);
  await shootForms(studio);
  await page.context().close();
}

async function shootStates({ page, width, shoot }: Studio): Promise<void> {
  if (width < 800) {
    await page.goto("/");
    await page.getByRole("button", { name: /menu/i }).click();
    await shoot("menu");
  }
  await page.goto("/faq");
  await page.getByRole("button", { name: "Can I bring my children?" }).click();
  await shoot("faq-open");
  await page.goto("/map");
  await page.getByRole("button", { name: "Main Stage" }).click();
  await shoot("map-selected");
  await page.goto("/auth");
  await page.getByRole("button", { name: "Sign In", exact: true }).click();
  await shoot("sign-in-errors");
  await page.getByRole("link", { name: "Don't have an account? Sign up" }).click();
  await shoot("sign-up");
  await page.goto("/auth?mode=forgot");
  await shoot("forgot-password");
}

async function shootTicketStates({ page, shoot }: Studio): Promise<void> {
  const letGo = await hold(page, "**/rest/v1/**");
  await page.goto("/tickets");
  await shoot("tickets-loading");
  letGo();
  await page.unroute("**/rest/v1/**");
  const mend = await answerWith(page, "**/rest/v1/products*", 500, { message: "no such luck" });
  await page.goto("/tickets");
  await problems(page).first().waitFor();
  await shoot("tickets-error");
  await mend();
  await silenceSockets(page);
  await page.route("**/rest/v1/products*", async (route) => {
    const response = await route.fetch(RECONNECTING);
    const rows = (await response.json()) as { name: string; current_inventory: number }[];
    // The longest names a card must fit: one of many words, and one of a single word.
    const names = [...rows.map(({ name }) => name), LONG_NAME, UNBROKEN_NAME].slice(-rows.length);
    const json = rows.map((row, at) => ({ ...row, name: names[at], current_inventory: at * 7 }));
    await route.fulfill({ response, json });
  });
  await page.goto("/tickets");
  await page.getByText("Sold Out").first().waitFor();
  await shoot("tickets-sold-out");
  await page.unroute("**/rest/v1/products*");
  for (const [name, change, words] of [
    ["upcoming", { sale_opens_at: "2999-06-01T15:00:00Z" }, "Sales open on"],
    ["paused", { on_sale: false }, "Sales are paused"],
    ["ended", { sale_closes_at: "2020-06-01T15:00:00Z" }, "Sales have ended"],
    ["no-vip", { vip_parking_left: 0 }, "Not Available"],
  ] as const) {
    await page.route("**/rest/v1/rpc/get_sale", async (route) => {
      const response = await route.fetch(RECONNECTING);
      await route.fulfill({ response, json: { ...(await response.json()), ...change } });
    });
    await page.goto("/tickets");
    await page.getByText(words).first().waitFor();
    await shoot(`tickets-${name}`);
    await page.unroute("**/rest/v1/rpc/get_sale");
  }
}

async function shootForms({ page, width, shoot }: Studio): Promise<void> {
  await openAlive(page, "/vendors");
  const form = page.getByRole("region", { name: "Vendor Application" });
  await form.getByLabel("Business Name").fill("Swangas & Sauce");
  await form.getByLabel("Contact Name").fill("Trae Tha Cook");
  await form.getByLabel("Email").fill(`vendor-${width}@example.com`);
  await form.getByLabel("Phone").fill("713 555 0177");
  await form.getByRole("button", { name: "Next Step" }).click();
  await shoot("vendors-details");
  await form.getByRole("radio", { name: "Food" }).check();
  await form.getByLabel("Business Description").fill("Smoked wings, two generations deep.");
  await form.getByLabel("Products").fill("Wings, links, lemonade");
  await form.getByRole("button", { name: "Review Application" }).click();
  await form.getByRole("checkbox").check();
  await shoot("vendors-review");
  await form.getByRole("button", { name: "Submit Application" }).click();
  await page.getByRole("alertdialog").waitFor();
  await shoot("vendors-submitted");
  await openAlive(page, "/sponsors");
  const inquiry = page.getByRole("region", { name: "Sponsor Inquiry" });
  await inquiry.getByRole("button", { name: "Send Inquiry" }).click();
  await shoot("sponsors-errors");
  await inquiry.getByLabel("Company Name").fill("Bayou Beverages");
  await inquiry.getByLabel("Contact Name").fill("Mo City Dana");
  await inquiry.getByLabel("Email").fill(`sponsor-${width}@example.com`);
  await inquiry.getByLabel("Phone").fill("713 555 0188");
  await inquiry.getByRole("button", { name: "Send Inquiry" }).click();
  await page.getByRole("heading", { name: /^Thank you/ }).waitFor();
  await shoot("sponsors-thanks");
}
