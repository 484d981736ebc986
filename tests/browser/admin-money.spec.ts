// Money in the back office: many orders refunded in a run, and the disputes.
import { arriveAsAdmin, placeOrder } from "../support/admin-arrival.ts";
import { asService } from "../support/arrival.ts";
import { expect, expectAccessible, test } from "../support/fixtures.ts";

const newTag = () => `run-${crypto.randomUUID().slice(0, 8)}`;

test("orders of a tag are refunded in a run, as they were shown", async ({ page }) => {
  const tag = newTag();
  const ids = [
    await placeOrder({ buyerName: "Rona Run" }),
    await placeOrder({ buyerName: "Ronald Run", quantity: 2 }),
    await placeOrder({ buyerName: "Rona Stays" }),
  ];
  const tagged = await asService()
    .from("order_tags")
    .insert(ids.map((order_id) => ({ order_id, tag })));
  expect(tagged.error).toBeNull();

  await arriveAsAdmin(page);
  await page.goto("/admin/money");
  await page.getByLabel("Tag", { exact: true }).selectOption(tag);
  await expect(page.getByText("3 orders, $180.00", { exact: true })).toBeVisible();
  await page.getByLabel("Only the order of Rona Run").check();
  await page.getByLabel("Only the order of Ronald Run").check();
  await expect(page.getByText("2 orders, $135.00 chosen by hand")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Refund These" }).click();
  const dialog = page.getByRole("alertdialog");
  await dialog.getByLabel("Note").fill("Storm");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Refund $135.00" }).click();

  await expect(page.getByRole("heading", { level: 1, name: "Refund run" })).toBeVisible();
  await expect(page.getByText("2 of 2 orders decided")).toBeVisible();
  await expect(page.getByText("The festival is cancelled, Storm")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("link", { name: "All runs" }).click();
  await page.getByLabel("Tag", { exact: true }).selectOption(tag);
  await expect(page.getByText("1 order, $45.00", { exact: true })).toBeVisible();
  const { data } = await asService().from("orders").select("status").in("id", ids).order("status");
  expect(data!.map(({ status }) => status)).toEqual(["cancelled", "cancelled", "confirmed"]);
});

test("disputes stand with their deadlines, and lead to the order", async ({ page }) => {
  const id = await placeOrder({ buyerName: "Dee Spute" });
  const { data: order } = await asService().from("orders").select("payment_intent_id").eq("id", id).single();
  const noted = await asService().rpc("note_dispute", {
    p_dispute_id: `dp_${id}`,
    p_payment_intent_id: order!.payment_intent_id!,
    p_cents: 4500,
    p_currency: "usd",
    p_reason: "product_not_received",
    p_status: "needs_response",
    p_evidence_due_by: new Date(Date.now() + 86_400_000).toISOString(),
    p_opened_at: new Date().toISOString(),
  });
  expect(noted.error).toBeNull();
  await arriveAsAdmin(page);
  await page.goto("/admin/money/disputes");
  const row = page.getByRole("row").filter({ hasText: "Dee Spute" });
  await expect(row).toContainText("Product not received");
  await expect(row).toContainText("Needs response");
  await expect(row.getByText("Due", { exact: true })).toBeVisible();
  await expect(page.getByText(/deadlines? within 3 days/)).toBeVisible();
  await expectAccessible(page);
  await row.getByRole("link").click();
  await expect(page).toHaveURL(new RegExp(`/admin/orders/${id}$`));
});
