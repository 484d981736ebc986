// What an administrator sees on a busy day, with the orders, forms and accounts left by the other series.
import type { Page } from "@playwright/test";
import { signIn } from "../support/shop/buyer.ts";
import { type BusyDay, makeBusyDay } from "./busy-day.ts";
import type { Studio } from "./studio.ts";

const PAGES = [
  "orders",
  "messages",
  "attendees",
  "attendees/door-list",
  "tills",
  "money/sales",
  "money/accounts",
  "money/refunds",
  "money/disputes",
  "gate",
  "festival/change",
  "users",
  "inventory",
  "promo-codes",
  "waitlist",
  "vendors",
  "sponsors",
  "audit-logs",
] as const;

/** Created with the first width, for all of them. */
let day: Promise<BusyDay> | undefined;

export async function shootBackOffice(studio: Studio): Promise<void> {
  const { page, status, shoot } = studio;
  const { admin, order, run } = await (day ??= makeBusyDay(status));
  await page.goto("/auth");
  await signIn(page, admin);
  await page.getByRole("heading", { name: /Your Tickets & Orders/ }).waitFor();
  await page.goto("/admin");
  await page.getByText("Live Data").waitFor();
  await shoot("admin-dashboard");
  for (const name of [...PAGES, `orders/${order}`, `money/refunds/${run}`]) {
    await open(page, name);
    await shoot(`admin-${name.replaceAll("/", "-").replace(order, "one").replace(run, "run")}`);
  }
  await shootAccounts(studio);
  await shootDoor(studio);
  await shootWriting(studio);
  await shootDialogs(studio, order);
  await page.context().close();
}

async function open(page: Page, name: string): Promise<void> {
  await page.goto(`/admin/${name}`);
  await page.getByRole("heading", { level: 1 }).waitFor();
}

/** The accounts of all time, unfolded. */
async function shootAccounts({ page, shoot }: Studio): Promise<void> {
  await open(page, "money/accounts?from=&to=");
  await page.getByRole("heading", { name: "What was sold" }).waitFor();
  const folded = page.locator("details:not([open]) > summary");
  while ((await folded.count()) > 0) await folded.first().click();
  await shoot("admin-money-accounts-all");
  await open(page, "money/sales?show=tickets&by=type");
  await shoot("admin-money-sales-types");
}

async function shootDoor({ page, shoot }: Studio): Promise<void> {
  await open(page, "door");
  await page.getByRole("button", { name: "Add General Admission" }).click();
  await page.getByRole("button", { name: "Add General Admission" }).click();
  await shoot("admin-door");
  await page.getByRole("button", { name: "Cash", exact: true }).click();
  await page.getByRole("dialog").waitFor();
  await shoot("admin-door-pay");
  await page.keyboard.press("Escape");
  await page
    .getByRole("button", { name: /^Codes for/ })
    .first()
    .click();
  await page.getByRole("dialog").getByRole("img").first().waitFor();
  await shoot("admin-door-codes");
  await page.getByRole("button", { name: "Close", exact: true }).last().click();
  await page.getByRole("button", { name: "Close Till" }).click();
  await page.getByRole("dialog").waitFor();
  await shoot("admin-door-close");
}

async function shootWriting({ page, shoot }: Studio): Promise<void> {
  await open(page, "messages/new");
  await page.getByLabel("Subject").fill("Gates open an hour earlier");
  await page.getByLabel("Text").fill("Come from 10:00 on.\n\nBring your code on your phone or on paper.");
  await page.getByText(/^Reaches/).waitFor();
  await shoot("admin-messages-new");
  await open(page, "comps");
  await shoot("admin-comps");
  await page.getByRole("button", { name: "Issue Comps" }).click();
  const dialog = page.getByRole("dialog", { name: "Issue comps" });
  await dialog.getByRole("tab", { name: "A list" }).click();
  await dialog
    .getByLabel("Guests", { exact: true })
    .fill("Zoe Zamora, zoe@example.com\nAna Abbott <ana@example.com>\nBen without");
  await shoot("admin-comps-issue");
  for (const section of ["facts", "schedule", "faq"]) {
    await open(page, `festival?section=${section}`);
    await shoot(`admin-festival-${section}`);
  }
}

async function shootDialogs({ page, shoot }: Studio, order: string): Promise<void> {
  await open(page, `orders/${order}`);
  await page.getByRole("button", { name: "Refund Order" }).click();
  await page.getByRole("alertdialog").waitFor();
  await shoot("admin-order-refund");
  await open(page, "users");
  await page.getByRole("button", { name: "Invite Staff" }).click();
  await page.getByRole("dialog").waitFor();
  await shoot("admin-users-invite");
  await open(page, "gate");
  await page.getByRole("button", { name: /^Notifications/ }).click();
  await shoot("admin-bell");
}
