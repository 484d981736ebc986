// The gate while the browser translates it.
import { expect } from "../../support/fixtures.ts";
import { answer, startScanning, typeCode } from "../../support/gate/arrival.ts";
import { test } from "../../support/gate/fixtures.ts";
import { forgiveNewStart, translate } from "../../support/page/translation.ts";

test("gate staff sign in and let guests in on a translated page", async ({ page, gate, pageErrors }) => {
  await translate(page, "replaces");
  const [first, second] = await gate.sell("general", "Ana Guest", "Bo Guest");
  await startScanning(page, gate, { account: await gate.newGatekeeper() });
  await expect(page.locator("font font").first()).toBeVisible();
  await typeCode(page, first!.code);
  await expect(answer(page)).toContainText(/Admit(?!ted)/);
  await expect(answer(page)).toContainText("Ana Guest");
  await typeCode(page, first!.code);
  await expect(answer(page)).toContainText("Already in");
  await typeCode(page, second!.code);
  await expect(answer(page)).toContainText("Bo Guest");
  await expect(answer(page)).not.toContainText("Ana Guest");
  await answer(page).getByRole("button", { name: "Undo" }).click();
  await page.getByRole("button", { name: "Did not go in" }).click();
  await expect(answer(page)).toContainText("Undone");
  await typeCode(page, second!.code);
  await expect(answer(page)).toContainText(/Admit(?!ted)/);
  await expect.poll(() => gate.admissions(second!.id)).toHaveLength(2);
  forgiveNewStart(pageErrors);
});
