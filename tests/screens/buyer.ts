// What a buyer sees: a whole purchase with a stop at every state, and what failures look like.
import { createAccount } from "../support/shop/accounts.ts";
import { add, CARDS, fillDetails, payByCard, signIn } from "../support/shop/buyer.ts";
import { answerWith, RECONNECTING } from "../support/page/faults.ts";
import type { Studio } from "./studio.ts";
import { problems } from "../support/page/problems.ts";

export async function shootBuyer(studio: Studio): Promise<void> {
  await buyTwoTickets(studio, studio.shoot);
  await shootFailures(studio);
  await studio.page.context().close();
}

/** Signs a new buyer up, buys two tickets with parking, and ends on their order's page. */
export async function buyTwoTickets({ page, status }: Studio, shoot: Studio["shoot"]): Promise<void> {
  const account = await createAccount(status);
  await page.goto("/auth");
  await signIn(page, account);
  await page.getByRole("heading", { name: /Your Tickets & Orders/ }).waitFor();
  await shoot("dashboard-empty");
  await page.goto("/tickets");
  await add(page, "VIP");
  await shoot("tickets-vip");
  await page.getByRole("button", { name: "Decrease VIP", exact: true }).click();
  await add(page, "General Admission", 2);
  await add(page, "General Parking");
  await shoot("tickets-cart");
  await page.goto("/checkout");
  await page.getByRole("button", { name: "Continue to Payment" }).click();
  await shoot("checkout-details");
  await fillDetails(page, account.email, [
    "Maximilian Featherstonehaugh-Cholmondeley",
    "Donaudampfschifffahrtsgesellsc",
  ]);
  await page.getByRole("form", { name: "Payment" }).waitFor();
  await shoot("checkout-payment");
  await payByCard(page, CARDS.declined);
  await problems(page).first().waitFor();
  await shoot("checkout-declined");
  await payByCard(page, CARDS.threeDSecure);
  await page.getByRole("dialog").waitFor();
  await page.frameLocator("iframe").getByRole("button", { name: "Complete" }).waitFor();
  await shoot("checkout-challenge");
  await page.frameLocator("iframe").getByRole("button", { name: "Complete" }).click();
  await page.getByRole("heading", { name: "Order Confirmed!" }).waitFor();
  await shoot("checkout-confirmed");
  await page.getByRole("link", { name: "View Your Tickets" }).click();
  await page
    .getByRole("img", { name: /QR code/ })
    .nth(1)
    .waitFor();
  await shoot("dashboard");
  await page.goto("/my-tickets");
  await page
    .getByRole("img", { name: /QR code/ })
    .nth(1)
    .waitFor();
  await shoot("my-tickets");
  await page.goto(`/order-confirmation?orderId=${await newestOrder(status, account.email)}`);
  await page.getByRole("heading", { name: "Payment Confirmed!" }).waitFor();
  await shoot("order-confirmation");
}

async function shootFailures({ page, shoot }: Studio): Promise<void> {
  await page.goto("/order-confirmation?orderId=00000000-0000-4000-8000-000000000000");
  await page.getByRole("heading", { name: "Order Not Found" }).waitFor();
  await shoot("order-missing");
  const mend = await answerWith(page, "**/rest/v1/{orders,tickets}*", 500, { message: "out of luck" });
  await page.goto("/my-tickets");
  await problems(page).first().waitFor();
  await shoot("my-tickets-error");
  await mend();
  await page.route("**/rest/v1/tickets*", async (route) => {
    const response = await route.fetch(RECONNECTING);
    const rows = (await response.json()) as object[];
    await route.fulfill({ response, json: rows.map((row) => ({ ...row, qr_code_url: null })) });
  });
  await answerWith(page, "**/functions/v1/generate-qr-code", 200, { success: false });
  await page.goto("/my-tickets");
  await page.getByRole("button", { name: "Generate QR Code" }).first().waitFor();
  await shoot("my-tickets-no-qr");
  await page.goto("/tickets");
  await add(page, "General Admission", 2);
  await page.goto("/checkout");
  await fillDetails(page, "buyer@example.com", [
    "Maximilian Featherstonehaugh-Cholmondeley",
    "Donaudampfschifffahrtsgesellsc",
  ]);
  await page.getByRole("form", { name: "Payment" }).waitFor();
  for (const [name, path, code] of [
    ["checkout-setup-failed", "**/functions/v1/create-payment-intent", 200],
    ["checkout-unavailable", "**/functions/v1/payment-config", 500],
  ] as const) {
    const again = await answerWith(page, path, code, {});
    await page.goto("/checkout");
    await page.getByRole("button", { name: "Try Again" }).waitFor();
    await shoot(name);
    await again();
  }
}

async function newestOrder(status: Studio["status"], email: string): Promise<string> {
  const query = `select=id&buyer_email=eq.${encodeURIComponent(email)}&order=created_at.desc&limit=1`;
  const answer = await fetch(`${status.API_URL}/rest/v1/orders?${query}`, {
    headers: { apikey: status.SERVICE_ROLE_KEY! },
  });
  const [order] = (await answer.json()) as { id: string }[];
  return order!.id;
}
