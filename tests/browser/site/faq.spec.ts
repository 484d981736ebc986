import { expect, expectAccessible, test } from "../../support/fixtures.ts";

/** The facts that the answers must state (PRODUCT 4.4). */
const claims = [
  /June 27, 2025.*11:00 AM to 10:00 PM/,
  /children under 10 are free with a ticketed adult/i,
  /non-refundable.*transferable up to 14 days before the festival/i,
  /aged? 21 and over with valid ID/i,
  /large backpacks are not permitted/i,
  /rain or shine/i,
  /Food Court is open from 11am to 10pm/i,
] as const;

test("answers are hidden until opened, one at a time across all four groups, and close on a second click", async ({
  page,
}) => {
  await page.goto("/faq");
  for (const claim of claims) {
    const answer = page.getByRole("main").getByText(claim).first();
    await expect(answer, String(claim)).toBeAttached();
    await expect(answer, String(claim)).toBeHidden();
  }
  const groups = ["General Information", "Tickets", "Festival Experience", "Parking & Transportation"];
  const main = page.getByRole("main");
  const open = main.locator('button[aria-expanded="true"]');
  await expect(open).toHaveCount(0);
  for (const name of groups) {
    const questions = main.getByRole("region", { name, exact: true }).getByRole("button");
    expect(await questions.count(), name).toBeGreaterThan(0);
    for (const question of await questions.all()) {
      await question.click();
      await expect(question).toHaveAttribute("aria-expanded", "true");
      await expect(open).toHaveCount(1);
      await expect(page.locator(`[id="${await question.getAttribute("aria-controls")}"]`)).toBeVisible();
    }
  }
  await expectAccessible(page);
  const last = main
    .getByRole("region", { name: groups.at(-1)!, exact: true })
    .getByRole("button")
    .last();
  await last.click();
  await expect(last).toHaveAttribute("aria-expanded", "false");
  await expect(open).toHaveCount(0);
  await test.step("opens by keyboard", async () => {
    const [first, second] = await page.getByRole("main").getByRole("button").all();
    await first!.focus();
    await page.keyboard.press("Enter");
    await expect(first!).toHaveAttribute("aria-expanded", "true");
    await page.keyboard.press("ArrowDown");
    await expect(second!).toBeFocused();
    await page.keyboard.press("Space");
    await expect(second!).toHaveAttribute("aria-expanded", "true");
    await expect(first!).toHaveAttribute("aria-expanded", "false");
  });
});
