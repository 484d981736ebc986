// The festival's facts as organizers edit them and visitors read them. It runs on a separate server, because publications are
// visible to everybody.
import { join } from "node:path";
import type { Browser, Page } from "@playwright/test";
import { createAccount } from "../../support/shop/accounts.ts";
import { arriveAsAdmin, placeOrder } from "../../support/shop/admin-arrival.ts";
import { arriveSignedIn, serviceClient, visitorClient } from "../../support/shop/arrival.ts";
import { choose } from "../../support/gate/arrival.ts";
import { keptForOffline } from "../../support/gate/network.ts";
import { answerWith, expectLogged, hold, RECONNECTING } from "../../support/page/faults.ts";
import { installJumpingClock } from "../../support/page/jumping-clock.ts";
import { expect, expectAccessible, expectRefusal, status, test } from "../../support/fixtures.ts";
import { useOwnFestival } from "../../support/server/own-festival.ts";

// Each publication renders every page again: this took up to 18 s on a busy machine, where a test with two of them took 45 s.
test.describe.configure({ mode: "default", timeout: 180_000 });

useOwnFestival();

async function openSection(page: Page, name: string) {
  await page.goto("/admin/festival");
  await page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name }).click();
  const form = page.getByRole("form", { name, exact: true });
  await expect(form).toBeVisible();
  return form;
}

const preview = (page: Page) => page.frameLocator('iframe[title="Preview of the page"]');

/** A page as a visitor without script gets it, once it contains this text. */
async function seenWithoutScript(browser: Browser, path: string, text: string | RegExp): Promise<Page> {
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL: status().API_URL! });
  const page = await context.newPage();
  await openUntil(page, path, () => expect(page.getByText(text).first()).toBeVisible(SOON));
  return page;
}

const SOON = { timeout: 2000 };

/** Pages follow a publication one by one, and an open page stays as it is. */
async function openUntil(page: Page, path: string, look: () => Promise<void>): Promise<void> {
  await expect(async () => {
    await page.goto(path);
    await look();
  }).toPass({ timeout: 60_000 });
}

test("an answer is edited, previewed, kept as a draft, and visible to visitors once it is published", async ({
  page,
  browser,
}) => {
  const { email } = await arriveAsAdmin(page);
  const form = await openSection(page, "FAQ");
  await expect(form.getByText("Default text, never edited")).toBeVisible();
  await expectAccessible(page);

  await form.getByRole("button", { name: "Group 1: General Information" }).click();
  await form.getByRole("button", { name: "Add question" }).click();
  // The new question is open, and its first field has the focus.
  await expect(form.getByLabel("Question").last()).toBeFocused();
  await page.keyboard.type("Is there <b>shade</b>?");
  await form.getByLabel("Answer").last().fill("Yes, on {date}.\nBring a hat.");
  await expect(preview(page).getByRole("button", { name: "Is there <b>shade</b>?" })).toBeVisible();
  await preview(page).getByRole("button", { name: "Is there <b>shade</b>?" }).click();
  await expect(preview(page).getByText("Yes, on June 27, 2025. Bring a hat.")).toBeVisible();
  // By keyboard to the top: the focus moves with the question.
  const up = () => form.getByRole("button", { name: /Move Question \d up/ }).and(page.locator(":focus"));
  await form.getByRole("button", { name: "Move Question 4 up" }).focus();
  for (let place = 3; place > 1; place--) {
    await page.keyboard.press("Enter");
    await expect(up()).toHaveAccessibleName(`Move Question ${place} up`);
  }
  await page.keyboard.press("Enter");
  await expect(form.getByRole("button", { name: "Move Question 1 down" })).toBeFocused();
  await expect(
    preview(page).getByRole("main").or(preview(page).locator("body")).getByRole("button").first(),
  ).toHaveText("Is there <b>shade</b>?");

  // What is typed while the draft is being saved stays, and is saved by the next click.
  const release = await hold(page, "**/rest/v1/rpc/save_festival_draft");
  await form.getByRole("button", { name: "Save Draft" }).click();
  await form.getByLabel("Answer").first().fill("Yes, on {date}.\nBring a hat and water.");
  release();
  await expect(page.getByText("Draft saved").first()).toBeVisible();
  await expect(form.getByText("Not saved", { exact: true })).toBeVisible();
  await expect(form.getByLabel("Answer").first()).toHaveValue("Yes, on {date}.\nBring a hat and water.");
  const save = form.getByRole("button", { name: "Save Draft" });
  await save.press("Enter");
  await expect(form.getByText("Draft", { exact: true })).toBeVisible();
  await expect(save).toBeDisabled();
  await expect(save, "with nothing more to save").toBeFocused();
  const { data } = await visitorClient().rpc("get_festival");
  expect(JSON.stringify(data)).not.toContain("Is there <b>shade</b>?");
  await page.reload();
  await expect(form.getByText("Draft", { exact: true })).toBeVisible();

  await form.getByRole("button", { name: "Publish" }).click();
  await expect(form.getByText(`by ${email}`)).toBeVisible();
  const plain = await seenWithoutScript(browser, "/faq", "Is there <b>shade</b>?");
  await expect(plain.getByText("Yes, on June 27, 2025.")).toBeVisible();
  await plain.context().close();

  // With script, by a link from a page rendered before, and as the first page.
  const context = await browser.newContext({ baseURL: status().API_URL! });
  const visitor = await context.newPage();
  await openUntil(visitor, "/", async () => {
    await visitor.getByRole("navigation").first().getByRole("link", { name: "FAQ" }).click();
    await visitor.getByRole("button", { name: "Is there <b>shade</b>?" }).click(SOON);
  });
  await expect(visitor.getByText("Yes, on June 27, 2025.")).toBeVisible();
  const errors: string[] = [];
  visitor.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  visitor.on("pageerror", (error) => errors.push(String(error)));
  await visitor.goto("/faq");
  await visitor.getByRole("button", { name: "Is there <b>shade</b>?" }).click();
  await expect(visitor.getByText("Yes, on June 27, 2025.")).toBeVisible();
  expect(errors).toEqual([]);
  await context.close();

  await page.goto("/admin/audit-logs");
  await expect(page.getByText("Festival: faq").first()).toBeVisible();
});

test("a moved date is refused if invalid, and is on every page once it is valid", async ({
  page,
  browser,
}) => {
  await placeOrder({ buyerName: "Dana Date" });
  await arriveAsAdmin(page);
  const form = await openSection(page, "Date & Place");
  await form.getByLabel("Starts").fill("2026-10-10T12:00");
  await form.getByLabel("Ends").fill("2026-10-10T11:00");
  await form.getByLabel("Title").fill("");
  await form.getByRole("button", { name: "Publish" }).click();
  await expect(form.getByText("Fill this in.")).toBeVisible();
  await expect(form.getByLabel("Title")).toBeFocused();
  await form.getByLabel("Title").fill("Bayou Weekend");
  const email = form.getByLabel("Email");
  const before = await email.inputValue();
  await email.fill("hello@почта.рф\u200b");
  await form.getByLabel("Title").focus();
  await expect(email).toHaveValue("hello@xn--80a1acny.xn--p1ai");
  await email.fill(before);
  await expect(form.getByText("The festival must end after it starts.")).toBeVisible();
  await expectAccessible(page);
  await form.getByLabel("Ends").fill("2026-10-11T23:30");
  await expect(preview(page).getByText("October 10th to 11th, 2026")).toBeVisible();
  await test.step("the code that tickets are sold for stays", async () => {
    await expect(form.getByLabel("Festival code")).toHaveAccessibleDescription(
      /can't change once tickets are sold/,
    );
    await form.getByLabel("Festival code").fill("hcf-2026");
    await expect(form.getByText("Tickets were sold under hcf-2025, so it can't change.")).toBeVisible();
    await form.getByLabel("Festival code").fill("hcf-2025");
  });
  await test.step("a festival is not cancelled by a choice alone", async () => {
    await form.getByLabel("Status").selectOption("cancelled");
    await form.getByRole("button", { name: "Publish" }).click();
    const asked = page.getByRole("alertdialog", { name: "Cancel the festival without notifying anyone?" });
    await expect(asked).toContainText("Sales stop, and tickets are no longer valid at the gate.");
    await asked.getByRole("button", { name: "Keep Editing" }).click();
    await form.getByLabel("Status").selectOption("planned");
  });
  await form.getByRole("button", { name: "Publish" }).click();
  const asked = page.getByRole("alertdialog", { name: "Change the date without notifying anyone?" });
  await expect(asked).toContainText("1 order is paid for the current date.");
  await expect(asked.getByRole("link", { name: "Cancel or Reschedule" })).toBeVisible();
  await expectAccessible(page);
  await asked.getByRole("button", { name: "Publish Anyway" }).click();
  await expect(form.getByText("Published", { exact: true })).toBeVisible();

  const plain = await seenWithoutScript(browser, "/", "October 10th to 11th, 2026");
  await expect(plain).toHaveTitle("Bayou Weekend: That's So Houston, October 10 to 11, 2026");
  const answer = plain.getByText(
    "The Bayou Weekend takes place on October 10 to 11, 2026, 12:00 PM to 11:30 PM",
  );
  await openUntil(plain, "/faq", () => expect(answer).toBeVisible(SOON));
  await plain.context().close();
  const context = await browser.newContext({ baseURL: status().API_URL! });
  const visitor = await context.newPage();
  await visitor.goto("/");
  await expect(visitor.getByRole("img", { name: "October 10 to 11, 2026" }).last()).toBeVisible();
  await context.close();
});

test("an open gate and a kept one show what was published since", async ({ page, browser }) => {
  const title = `Gate Weekend ${crypto.randomUUID().slice(0, 4)}`;
  const account = await createAccount(status());
  const role = { user_id: account.id, role: "gate" };
  expect((await serviceClient().from("user_roles").upsert(role)).error).toBeNull();
  const [open, kept] = await Promise.all(
    [1, 2].map(async () => (await browser.newContext({ baseURL: status().API_URL! })).newPage()),
  );
  await arriveSignedIn(open!, account);
  for (const phone of [open!, kept!]) {
    await phone.goto("/gate");
    await keptForOffline(phone);
  }
  await choose(open!, "main", "Open phone");

  await arriveAsAdmin(page);
  const form = await openSection(page, "Date & Place");
  await form.getByLabel("Title").fill(title);
  await form.getByRole("button", { name: "Publish" }).click();
  await expect(open!).toHaveTitle(`Gate, Main Entrance | ${title}`, { timeout: 10_000 });
  const published = async () => (await fetch(`${status().API_URL}/festival.json`)).text();
  await expect.poll(published, { timeout: 60_000 }).toContain(title);
  await kept!.goto("about:blank");
  await kept!.goto("/gate#invite=x");
  await expect(kept!.getByText(`to work the gate at the ${title}.`)).toBeVisible();
  for (const phone of [open!, kept!]) await phone.context().close();
});

test("two organizers in one section: the second sees both versions, and nothing is lost", async ({
  page,
  browser,
  pageErrors,
}) => {
  await arriveAsAdmin(page);
  const mine = await openSection(page, "About");
  const context = await browser.newContext({ baseURL: status().API_URL! });
  const other = await context.newPage();
  const { email } = await arriveAsAdmin(other);
  const theirs = await openSection(other, "About");

  await theirs.getByLabel("Mission", { exact: true }).fill("Theirs");
  await theirs.getByRole("button", { name: "Publish" }).click();
  await expect(theirs.getByText(`by ${email}`)).toBeVisible();
  await mine.getByLabel("Mission", { exact: true }).fill("Mine");
  await mine.getByRole("button", { name: "Publish" }).click();
  const conflict = mine.getByRole("alert").filter({ hasText: email });
  await expect(conflict).toContainText("published this section");
  await expect(conflict).toContainText("Yours: Mine");
  await expect(conflict).toContainText("Theirs: Theirs");
  await expect(mine.getByLabel("Mission", { exact: true })).toHaveValue("Mine");
  await expectAccessible(page);
  expectRefusal(pageErrors, 409);

  await conflict.getByRole("button", { name: "Use Theirs" }).click();
  await expect(mine.getByLabel("Mission", { exact: true })).toHaveValue("Theirs");
  await theirs.getByLabel("Mission", { exact: true }).fill("Theirs again");
  await theirs.getByRole("button", { name: "Save Draft" }).click();
  await expect(theirs.getByText("Draft", { exact: true })).toBeVisible();
  await mine.getByLabel("Mission", { exact: true }).fill("Mine again");
  await mine.getByRole("button", { name: "Save Draft" }).click();
  await expect(conflict).toContainText("saved a draft of this section");
  await conflict.getByRole("button", { name: "Keep Mine" }).click();
  await mine.getByRole("button", { name: "Publish" }).click();
  await expect(mine.getByText("Published", { exact: true })).toBeVisible();
  await seenWithoutScript(browser, "/about", "Mine again").then((plain) => plain.context().close());
  expectRefusal(pageErrors, 409);
  await context.close();
});

test("the editor asks before it discards typed text, and a section may be emptied", async ({
  page,
  browser,
}) => {
  await arriveAsAdmin(page);
  const form = await openSection(page, "Schedule");
  for (let left = 6; left > 0; left--)
    await form.getByRole("button", { name: "Remove Entry 1", exact: true }).click();
  await expect(form.getByText("If empty, the page leaves this out.")).toBeVisible();
  await expect(preview(page).getByText("The schedule is coming soon.")).toBeVisible();
  await page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name: "Map" }).click();
  await page
    .getByRole("navigation", { name: "Sections" })
    .getByRole("link", { name: "Schedule, not saved" })
    .click();
  await expect(form.getByText("If empty, the page leaves this out.")).toBeVisible();
  await page.getByRole("navigation", { name: "Back office" }).getByRole("link", { name: "Users" }).click();
  const question = page.getByRole("alertdialog", { name: "Leave without saving?" });
  await question.getByRole("button", { name: "Stay" }).click();
  await form.getByRole("button", { name: "Publish" }).click();
  await expect(form.getByText("Published", { exact: true })).toBeVisible();
  const plain = await seenWithoutScript(browser, "/schedule", "The schedule is coming soon.");
  await openUntil(plain, "/", () =>
    expect(plain.getByRole("heading", { name: "Festival Schedule" })).toHaveCount(0, SOON),
  );
  await plain.context().close();
});

const repository = join(import.meta.dirname, "../../..");
const photo = join(repository, "docs/home.jpg");
const drawing = join(repository, "site/public/favicon.svg");
const small = join(repository, "site/public/icon-192.png");
const notAPicture = { name: "notes.png", mimeType: "image/png", buffer: Buffer.from("only words") };

/** What search engines and apps read from the home page, once it matches. */
async function homeOnceItSays(expected: { image: RegExp; logo?: RegExp }) {
  const read = async () => {
    const html = await (await fetch(status().API_URL!)).text();
    const [, json] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(html)!;
    const event = JSON.parse(json!) as { image: string[]; sponsor?: { name: string; logo?: string }[] };
    const meta = (name: string) => new RegExp(`property="${name}" content="([^"]*)"`).exec(html)?.[1] ?? "";
    return { event, image: meta("og:image"), alt: meta("og:image:alt"), width: meta("og:image:width") };
  };
  await expect
    .poll(
      async () => {
        const { image, event } = await read();
        return [image, expected.logo ? event.sponsor?.[0]?.logo : ""].join(" ");
      },
      { timeout: 60_000 },
    )
    .toMatch(new RegExp(`^${expected.image.source} ${expected.logo?.source ?? ""}$`));
  return read();
}

/** The size of a picture at this address, as a browser decodes it. */
const sizeOf = (page: Page, address: string) =>
  page.evaluate(async (from) => {
    const { width, height } = await createImageBitmap(await (await fetch(from)).blob());
    return [width, height];
  }, address);

test("the picture of shared links is replaced, and reset to the original", async ({ page }) => {
  await arriveAsAdmin(page);
  const form = await openSection(page, "Sharing");
  const file = form.getByLabel("Picture for shared links");
  await file.setInputFiles([notAPicture]);
  await expect(form.getByText("Your browser can't read this file as a picture.")).toBeVisible();
  await file.setInputFiles([small]);
  await expect(form.getByText("This picture is 192 by 192 pixels.")).toBeVisible();
  await file.setInputFiles([photo]);
  const description = form.getByLabel("Picture description");
  await expect(description).toBeVisible();
  await form.getByRole("button", { name: "Publish" }).click();
  await expect(description).toBeFocused();
  await description.fill("The home page of {festival}");
  await expectAccessible(page);
  await expect(preview(page).getByRole("img", { name: /^The home page of \w/ })).toBeVisible();
  await form.getByRole("button", { name: "Publish" }).click();
  await expect(form.getByText("Published", { exact: true })).toBeVisible();

  const { image, alt, width, event } = await homeOnceItSays({
    image: /http.*\/festival-pictures\/[-0-9a-f]+\.jpg/,
  });
  expect(alt).toMatch(/^The home page of [A-Z]/);
  expect(width).toBe("1200");
  expect(event.image).toEqual([image]);
  expect(await sizeOf(page, image)).toEqual([1200, 630]);
  // The site's own address does not depend on the picture's.
  await page.goto("/schedule");
  await page.getByRole("navigation").first().getByRole("link", { name: "FAQ" }).click();
  await expect(page.locator('link[rel="canonical"]')).toHaveAttribute("href", `${status().API_URL}/faq`);

  await openSection(page, "Sharing");
  await form.getByRole("button", { name: "Use the Default Card" }).click();
  await expect(description).toBeHidden();
  await form.getByRole("button", { name: "Publish" }).click();
  await expect(form.getByText("Published", { exact: true })).toBeVisible();
  await homeOnceItSays({ image: /http[^ ]*\/(og|icon-512)\.png/ });
});

test("a picture is never sent as a visitor's: one chosen while the session is due waits for its renewal", async ({
  page,
  pageErrors,
}) => {
  const jump = await installJumpingClock(page);
  await arriveAsAdmin(page);
  const form = await openSection(page, "Sharing");
  const permits: (string | undefined)[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/upload/resumable")) permits.push(request.headers().authorization);
  });
  const renewable = await answerWith(page, "**/auth/v1/token?*", 503, {});
  await jump("02:00:00");
  await form.getByLabel("Picture for shared links").setInputFiles([photo]);
  // The client tries for half a minute.
  await expect(async () => {
    await page.clock.fastForward(10_000);
    await expect(
      form.getByText("The server could not be reached. Please check your connection and try again."),
    ).toBeVisible({ timeout: 500 });
  }).toPass();
  expect(permits).toEqual([]);
  await expectLogged(pageErrors, "send a picture of the festival");
  await renewable();
  await expect(async () => {
    await page.clock.fastForward(60_000);
    await form.getByRole("button", { name: "Try Again" }).click({ timeout: 500 });
    await expect(form.getByLabel("Picture description")).toBeVisible();
  }).toPass();
  expect(permits).not.toContain(undefined);
  pageErrors.length = 0;
});

test("a sponsor's logo is on the sponsors' page and in what search engines read", async ({
  page,
  browser,
}) => {
  await arriveAsAdmin(page);
  const form = await openSection(page, "Sponsors");
  await form.getByRole("button", { name: "Add sponsor" }).click();
  await expect(form.getByLabel("Name")).toBeFocused();
  await page.keyboard.type("Swanga Works");
  await form.getByLabel("Logo").setInputFiles([drawing]);
  await expect(form.getByRole("button", { name: "Remove Logo" })).toBeVisible();
  await expect(form.getByLabel("Name")).toHaveValue("Swanga Works");
  await expect(preview(page).getByRole("img", { name: "Swanga Works" })).toBeVisible();
  await expectAccessible(page);
  await form.getByRole("button", { name: "Publish" }).click();
  await expect(form.getByText("Published", { exact: true })).toBeVisible();

  const logo = /http[^ ]*\/festival-pictures\/[-0-9a-f]+\.webp/;
  const { event } = await homeOnceItSays({ image: /[^ ]+/, logo });
  expect(event.sponsor).toMatchObject([{ name: "Swanga Works" }]);
  const context = await browser.newContext({ baseURL: status().API_URL! });
  const visitor = await context.newPage();
  const shown = visitor.getByRole("img", { name: "Swanga Works" });
  await openUntil(visitor, "/sponsors", () => expect(shown).toBeAttached(SOON));
  await shown.scrollIntoViewIfNeeded();
  // A vector image is drawn as large as there is room.
  await expect.poll(() => shown.evaluate((image: HTMLImageElement) => image.naturalHeight)).toBe(320);
  await expectAccessible(visitor);
  await context.close();

  await form.getByRole("button", { name: "Remove Logo" }).click();
  await form.getByRole("button", { name: "Publish" }).click();
  await expect(form.getByText("Published", { exact: true })).toBeVisible();
  const plain = await seenWithoutScript(browser, "/sponsors", "Swanga Works");
  await plain.context().close();
});

test("a moved festival is announced in one step, and a buyer requests a refund", async ({
  page,
  pageErrors,
  browser,
}) => {
  const account = await createAccount(status());
  const order = await placeOrder({ buyerName: "Ana Reyes", buyer: account });
  const letIn = { checked_in_at: new Date().toISOString() };
  expect((await serviceClient().from("tickets").update(letIn).eq("order_id", order)).error).toBeNull();
  await arriveAsAdmin(page);
  await page.goto("/admin/festival");
  await page.getByRole("link", { name: "Cancel or Reschedule" }).click();
  await page.getByRole("button", { name: "Reschedule the Festival" }).click();
  await expect(page.getByText("Enter the new date.", { exact: true })).toBeVisible();
  const year = new Date().getFullYear() + 1;
  await page.getByLabel("Starts").fill(`${year}-07-03T11:00`);
  await page.getByLabel("Ends").fill(`${year}-07-03T22:00`);
  await expect(page.getByLabel("Subject")).toHaveValue(new RegExp(`has a new date: July 3, ${year}$`));
  await page.getByLabel("Until the end of").fill(`${year}-06-01`);
  const moves = page.getByRole("list", { name: "What moves" });
  await expect(moves).toContainText("1 person was let in. On the new date, that person can come in again");
  await expect(moves).toContainText("The gate has no door times.");
  await expect(page.getByText("The person who bought that ticket can claim a refund too.")).toBeVisible();
  await expectAccessible(page);
  await test.step("what was typed is not lost by leaving", async () => {
    await page.getByRole("link", { name: "Back to Festival" }).click();
    const question = page.getByRole("alertdialog", { name: "Leave without saving?" });
    await question.getByRole("button", { name: "Stay" }).click();
    await expect(question).toBeHidden();
    await expect(page.getByLabel("Until the end of")).toHaveValue(`${year}-06-01`);
  });
  await page.getByRole("button", { name: "Reschedule the Festival" }).click();
  const asked = page.getByRole("alertdialog");
  for (const part of [
    `New date: Jul 3, ${year}, 11:00 AM to 10:00 PM.`,
    "1 person was let in.",
    new RegExp(`claim a refund themselves until the end of June 1, ${year}: up to \\d orders? worth \\$`),
  ])
    await expect(asked).toContainText(part);
  const announce = page.getByRole("button", {
    name: new RegExp(`^Move to July 3, ${year} and Email \\d+ (Person|People)$`),
  });
  await test.step("a lost answer leaves it open whether it was announced, and the next attempt announces it once", async () => {
    await page.route("**/rpc/announce_festival_change", async (route) => {
      await route.fetch(RECONNECTING);
      await route.abort();
    });
    await announce.click();
    await expect(page.getByText("No response", { exact: true })).toBeVisible();
    await page.unroute("**/rpc/announce_festival_change");
    pageErrors.length = 0;
    // The facts are read again, and already have the new date.
    await expect(async () => {
      const read = page.waitForResponse("**/rpc/get_festival_drafts", { timeout: 1000 });
      await page.evaluate(() => ["offline", "online"].forEach((event) => dispatchEvent(new Event(event))));
      await read;
    }).toPass();
    await page.getByRole("button", { name: "Reschedule the Festival" }).click();
  });
  await announce.click();
  await expect(page.getByRole("row").filter({ hasText: "has a new date" })).toContainText(/Sent to \d/);

  const moved = await seenWithoutScript(browser, "/faq", "New date.");
  await moved.context().close();
  const context = await browser.newContext({ baseURL: status().API_URL! });
  const buyer = await context.newPage();
  await arriveSignedIn(buyer, account);
  const notice = buyer.getByRole("complementary", { name: "Notice" });
  await openUntil(buyer, "/dashboard", () => expect(notice).toContainText("New date.", SOON));
  const refund = buyer.getByRole("button", { name: /^Refund Order #/ });
  await expect(refund).toBeVisible();
  await expectAccessible(buyer);
  await refund.click();
  await buyer.getByRole("alertdialog").getByRole("button", { name: "Refund Order" }).click();
  await expect(buyer.getByText("Your money is on its way back")).toBeVisible();
  await expect(refund).toBeHidden();
  await context.close();
});

// This test comes last: nothing is on sale afterwards.
test("a cancelled festival is announced in one step, and leaves buyers nothing to do but receive the refund", async ({
  page,
  browser,
}) => {
  const account = await createAccount(status());
  const order = await placeOrder({ buyerName: "Ana Reyes", buyer: account });
  const waiting = await browser.newContext({ baseURL: status().API_URL! });
  const opened = await waiting.newPage();
  await opened.goto("/tickets");
  await expect(opened.getByRole("article", { name: "General Admission" })).toBeVisible();
  await arriveAsAdmin(page);
  await page.goto("/admin/festival/change");
  await page.getByRole("radio", { name: "Canceled" }).check();
  await page.getByLabel("Until the end of").fill(`${new Date().getFullYear() + 1}-06-01`);
  await page.getByRole("button", { name: "Cancel the Festival" }).click();
  await page.getByRole("button", { name: /^Cancel the Festival and Email \d+ (Person|People)$/ }).click();
  await expect(page.getByRole("row").filter({ hasText: "is canceled" })).toContainText(/Sent to \d/);

  const visitor = await seenWithoutScript(browser, "/schedule", "Canceled.");
  await expect(visitor.getByRole("link", { name: "Add to Calendar" })).toHaveCount(0);
  await visitor.context().close();
  const context = await browser.newContext({ baseURL: status().API_URL! });
  const buyer = await context.newPage();
  await arriveSignedIn(buyer, account);
  await buyer.goto("/tickets");
  await expect(buyer.getByText("The festival is canceled", { exact: true })).toBeVisible();
  await expect(
    buyer.getByRole("article", { name: "General Admission" }).getByText("Canceled", { exact: true }),
  ).toBeVisible();
  await buyer.goto(`/order-confirmation?orderId=${order}`);
  await expect(buyer.getByRole("img", { name: /^QR code/ })).toBeVisible();
  for (const gone of ["What's Next?", "Transfer", "Edit Name or Email", "Add to Calendar"])
    await expect(buyer.getByText(gone, { exact: true }), gone).toHaveCount(0);
  await buyer.goto("/dashboard");
  await expect(
    buyer.getByText(/^The festival is canceled\. You can get your money back until/),
  ).toBeVisible();
  await expectAccessible(buyer);
  await buyer.getByRole("button", { name: /^Refund Order #/ }).click();
  await buyer.getByRole("alertdialog").getByRole("button", { name: "Refund Order" }).click();
  await expect(buyer.getByText("Your money is on its way back")).toBeVisible();
  await context.close();

  // A page opened before has updated itself.
  const notice = opened.getByRole("complementary", { name: "Notice" });
  await expect(notice).toContainText("Canceled.");
  await expect(opened.getByText("The festival is canceled", { exact: true })).toBeVisible();
  await waiting.close();

  await test.step("publishing it as planned again says that it comes back, and that sales stay stopped", async () => {
    const form = await openSection(page, "Date & Place");
    await form.getByLabel("Status").selectOption("planned");
    await form.getByRole("button", { name: "Publish" }).click();
    const restored = page.getByRole("alertdialog", {
      name: "Bring the festival back without notifying anyone?",
    });
    await expect(restored).toContainText("Sales stay stopped until you start them under Inventory");
    await expectAccessible(page);
    await restored.getByRole("button", { name: "Publish Anyway" }).click();
    await expect(form.getByText("Published", { exact: true })).toBeVisible();
  });
});
