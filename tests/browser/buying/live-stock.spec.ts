// The remaining stock while /tickets is open (docs/decisions/072).
import { serviceClient } from "../../support/shop/arrival.ts";
import { expect } from "../../support/fixtures.ts";
import { test } from "../../support/shop/own-items.ts";

test("the stock left counts down to Sold Out without a reload as others buy, and back when it is returned", async ({
  page,
  makeTicketType,
}) => {
  const { id, name } = await makeTicketType({ called: "Live", available: 5 });
  /** As a sale does: the number of units stays, and so does the version of the row. */
  const sell = async (sold: number) => {
    const { error } = await serviceClient()
      .from("ticket_types")
      .update({ current_inventory: 5 - sold, sold })
      .eq("id", id);
    expect(error).toBeNull();
  };
  const heard: string[] = [];
  page.on("websocket", (socket) => socket.on("framereceived", ({ payload }) => heard.push(String(payload))));
  await page.goto("/tickets");
  const card = page.getByRole("article", { name, exact: true });
  await expect(card.getByRole("button", { name: `Increase ${name}` })).toBeEnabled();
  await expect
    .poll(() => heard.some((frame) => frame.includes("realtime:stock") && frame.includes('"status":"ok"')), {
      timeout: 30_000,
    })
    .toBe(true);
  await expect(card.getByText("Only 5 left", { exact: true })).toBeVisible();
  // Stock is reloaded once a minute: until then only a notification can show it.
  await sell(2);
  await expect(card.getByText("Only 3 left", { exact: true })).toBeVisible({ timeout: 30_000 });
  await sell(4);
  await expect(card.getByText("Only 1 left", { exact: true })).toBeVisible({ timeout: 30_000 });
  await sell(5);
  await expect(card.getByText("Sold Out", { exact: true })).toBeVisible({ timeout: 30_000 });
  await sell(3);
  await expect(card.getByText("Only 2 left", { exact: true })).toBeVisible({ timeout: 30_000 });
  await expect(card.getByRole("button", { name: `Increase ${name}` })).toBeEnabled();
  await sell(0);
});
