// Every error message that people see (PRODUCT 4.8, 6.7, 7.9, 7.10, 8.2), with faults injected at the network.
import { createAccount } from "../../support/shop/accounts.ts";
import { placeOrder } from "../../support/shop/admin-arrival.ts";
import {
  arriveAtPayment,
  arriveSignedIn,
  arriveWithCart,
  serviceClient,
  catalog,
} from "../../support/shop/arrival.ts";
import { CARDS, payByCard, signIn } from "../../support/shop/buyer.ts";
import { answerWith, expectLogged, RECONNECTING, refusal, tryAgain } from "../../support/page/faults.ts";
import { expect, expectAccessible, expectRefusal, status, test } from "../../support/fixtures.ts";
import { problems } from "../../support/page/problems.ts";

test("the ticket catalog says when it cannot be loaded, and reloads on request", async ({
  page,
  pageErrors,
}) => {
  const mend = await answerWith(page, "**/rest/v1/products*", 500, { message: "no such luck" });
  await page.goto("/tickets");
  const alert = page.getByRole("alert");
  await expect(alert).toContainText("Error loading ticket data. Please try again later.");
  await expectAccessible(page);
  await expectLogged(pageErrors, "no such luck");
  await mend();
  await tryAgain(alert.getByRole("button", { name: "Try Again" }));
  await expect(page.getByRole("button", { name: "Increase General Admission" })).toBeVisible();
});

test.describe("payment", () => {
  test("is unavailable without the payment configuration, and recovers on request", async ({
    page,
    account,
    pageErrors,
  }) => {
    const mend = await answerWith(
      page,
      "**/functions/v1/payment-config",
      503,
      refusal("payment_provider_unavailable", "Closed"),
    );
    await arriveAtPayment(page, account);
    await expect(page.getByRole("alert")).toContainText(
      "Payment system unavailable. Please try again later.",
    );
    await expectAccessible(page);
    await expectLogged(pageErrors, "load the payment configuration");
    await mend();
    await page.getByRole("button", { name: "Try Again" }).click();
    await expect(page.getByRole("form", { name: "Payment" })).toBeVisible();
  });

  test("without a client secret shows the setup error, and Try Again opens the form", async ({
    page,
    account,
    pageErrors,
  }) => {
    const mend = await answerWith(page, "**/functions/v1/create-payment-intent", 200, {});
    await arriveAtPayment(page, account);
    await expect(page.getByText("Payment Setup Failed")).toBeVisible();
    const panel = page.getByRole("alert").filter({ hasText: "Payment Setup Error" });
    await expect(panel).toContainText("Unable to initialize payment");
    await expectAccessible(page);
    await expectLogged(pageErrors, "Unable to initialize payment");
    await mend();
    await panel.getByRole("button", { name: "Try Again" }).click();
    await expect(page.getByRole("form", { name: "Payment" })).toBeVisible();
  });

  test("asks to check the details when it fails without a message, and explains a decline without one", async ({
    page,
    account,
    pageErrors,
  }) => {
    await arriveAtPayment(page, account);
    await page.route("**/v1/payment_intents/*/confirm", (route) =>
      route.fulfill({
        json: { status: "requires_payment_method", last_payment_error: null, next_action: null },
      }),
    );
    await payByCard(page, CARDS.good);
    const notice = page.getByRole("listitem").filter({ hasText: "Payment Failed" });
    await expect(notice).toContainText("Please check your payment details and try again.");
    await expect(problems(page).filter({ hasText: /^Payment failed$/ })).toBeVisible();
    await page.unroute("**/v1/payment_intents/*/confirm");
    await answerWith(page, "**/v1/payment_intents/*/confirm", 402, {
      error: { type: "card_error", message: "" },
    });
    await page.getByRole("button", { name: /^Pay \$/ }).click();
    await expect(problems(page).filter({ hasText: "Your card was declined." }).first()).toBeVisible();
    expectRefusal(pageErrors, 402);
  });

  test("reports an unexpected failure, keeps the card, and then pays once", async ({
    page,
    account,
    context,
    pageErrors,
  }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await arriveAtPayment(page, account);
    const form = page.getByRole("form", { name: "Payment" });
    await expect(form.getByLabel("Card number")).toBeVisible();
    await context.setOffline(true);
    await payByCard(page, CARDS.good);
    const unreachable = problems(form).filter({ hasText: "The server could not be reached." });
    await expect(unreachable).toContainText("so you won't be charged twice");
    await expect(unreachable).toBeInViewport();
    const readAgain = page.waitForResponse("**/rest/v1/products?*");
    await context.setOffline(false);
    await readAgain;
    // Only now, because reads that failed while the page was offline were logged, too.
    await expectLogged(pageErrors, "pay:");
    await expect(unreachable).toBeVisible();
    await expect(form.getByLabel("Card number")).toHaveValue(/^4242 4242/);
    await expect(form.getByLabel("CVC")).toHaveValue("123");
    await page.route("**/v1/payment_intents/*/confirm", (route) => route.abort());
    await payByCard(page, CARDS.good);
    await expect(
      problems(page).filter({ hasText: "An unexpected error occurred. Please try again." }),
    ).toBeVisible();
    await expectLogged(pageErrors, "pay:");
    await page.unroute("**/v1/payment_intents/*/confirm");
    await page.getByRole("button", { name: /^Pay \$/ }).click();
    await expect(page.getByRole("heading", { name: "Order Confirmed!" })).toBeVisible();
  });

  test("reassures when the order cannot be processed after the payment", async ({
    page,
    account,
    pageErrors,
  }) => {
    await arriveAtPayment(page, account);
    await answerWith(page, "**/functions/v1/process-payment", 500, refusal("internal_error", "Out of luck"));
    await payByCard(page, CARDS.good);
    const notice = page.getByRole("listitem").filter({ hasText: "Payment Successful" });
    await expect(notice).toContainText(
      "Your payment was processed. If you don't receive your tickets within a few minutes, please contact support.",
    );
    await expectLogged(pageErrors, "process the order");
  });

  test("explains why a payment that bought nothing is returned, over a reload too", async ({
    page,
    account,
  }) => {
    // supabase/tests/functions/sale/promo-codes.test.ts shows the real answer.
    await answerWith(page, "**/functions/v1/process-payment", 200, {
      success: false,
      orderId: "11111111-2222-4333-8444-555555555555",
      status: "refund_queued",
      reason: "promo_used_up",
    });
    await arriveAtPayment(page, account);
    await payByCard(page, CARDS.good);
    const main = page.getByRole("main");
    const why = "Your payment arrived late, and the promo code had been used up.";
    await expect(main.getByRole("heading", { name: "Your Payment Is Being Refunded" })).toBeVisible();
    await expect(main).toContainText(why);
    await expectAccessible(page);
    await page.reload();
    await expect(main).toContainText(why);
  });
});

test("a payment session is verified: the address becomes the order's, and a failure leads back to checkout with or without a cart", async ({
  page,
  account,
  pageErrors,
}) => {
  await arriveSignedIn(page, account);
  await test.step("says so on the page when there is no cart to return to", async () => {
    await page.goto("/order-confirmation?session_id=cs_test_nothing");
    const word = page.getByRole("main").getByRole("alert").filter({ hasText: "Payment Verification Failed" });
    await expect(word).toContainText("Could not verify your payment. Please contact support.");
    await expect(page).toHaveURL("/checkout");
    await expect(word.getByRole("link", { name: "Back to Tickets" })).toBeVisible();
    await expectLogged(pageErrors, "verify payment");
  });
  await test.step("reports the QR codes and replaces the address with the order's", async () => {
    const orderId = "11111111-2222-4333-8444-555555555555";
    await page.route("**/functions/v1/verify-payment", async (route) => {
      expect(route.request().postDataJSON()).toEqual({ sessionId: "cs_test_known" });
      await route.fulfill({ json: { success: true, orderId, stats: { qrCodesGenerated: 3 } } });
    });
    await page.goto("/order-confirmation?session_id=cs_test_known");
    await expect(page.getByText("3 QR codes generated for your tickets.")).toBeVisible();
    await expect(page).toHaveURL(`/order-confirmation?orderId=${orderId}`);
    await page.unroute("**/functions/v1/verify-payment");
  });
  await test.step("fails with a message and goes back to checkout", async () => {
    await arriveWithCart(page, [{ ...catalog.general, quantity: 1 }]);
    await page.goto("/order-confirmation?session_id=cs_test_nothing");
    const notice = page.getByRole("listitem").filter({ hasText: "Payment Verification Failed" });
    await expect(notice).toContainText("Could not verify your payment. Please contact support.");
    await expect(page).toHaveURL("/checkout");
    await expectLogged(pageErrors, "verify payment");
  });
});

test("offers to generate a QR code by hand when the automatic attempt failed", async ({
  page,
  account,
  pageErrors,
}) => {
  await page.route("**/rest/v1/tickets*", async (route) => {
    const response = await route.fetch(RECONNECTING);
    const rows = (await response.json()) as object[];
    await route.fulfill({ response, json: rows.map((row) => ({ ...row, qr_code_url: null })) });
  });
  let attempts = 0;
  await page.route("**/functions/v1/generate-qr-code", async (route) => {
    attempts++;
    await route.fulfill({ json: { success: false, error: "no ink" } });
  });
  await placeOrder({ buyerName: "Quincy Code", buyer: account });
  await arriveSignedIn(page, account);
  await page.goto("/my-tickets");
  const ticket = page.getByRole("article", { name: /General Admission for/ });
  await expect(ticket.getByRole("alert")).toContainText("Failed to generate QR code");
  expect(attempts, "automatic attempts").toBe(1);
  await expectLogged(pageErrors, "generate a QR code");

  await page.unroute("**/functions/v1/generate-qr-code");
  await ticket.getByRole("button", { name: /Generate QR Code/ }).click();
  await expect(ticket.getByRole("img", { name: /QR code/ })).toBeVisible();
  await expect(ticket.getByRole("button", { name: /Download QR Code/ })).toBeVisible();
  const image = ticket.getByRole("img", { name: /QR code/ });
  const expectPicture = () =>
    expect.poll(() => image.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBeGreaterThan(0);
  await page.unroute("**/rest/v1/tickets*");
  await test.step("a URL that no longer opens the QR code is renewed automatically", async () => {
    const { data } = await serviceClient()
      .from("tickets")
      .select("id, qr_code_url")
      .eq("user_id", account.id)
      .single();
    const dead = data!.qr_code_url!.replace(data!.id, crypto.randomUUID());
    await serviceClient().from("tickets").update({ qr_code_url: dead }).eq("id", data!.id);
    await page.goto("/my-tickets");
    await expectPicture();
    expectRefusal(pageErrors, 404);
  });
  await test.step("a QR code that does not load gets the warning and the button, and recovers", async () => {
    const picture = (url: URL) => url.pathname.endsWith("/qr-picture");
    await page.route(picture, (route) => route.abort());
    await page.goto("/my-tickets");
    await expect(ticket.getByRole("alert")).toContainText("The QR code could not be loaded.");
    await page.unroute(picture);
    await ticket.getByRole("button", { name: /^Generate QR Code/ }).click();
    await expectPicture();
    await expectLogged(pageErrors, "show a QR code");
  });
});

test("the lists of orders and tickets say when they are empty, cannot be loaded, or are not lists", async ({
  page,
  account,
  pageErrors,
}) => {
  await arriveSignedIn(page, account);
  const failed = page.getByText("Error loading tickets. Please try again later.");
  const answering = async (code: number, answers: { orders: unknown; tickets: unknown }) => {
    await answerWith(page, "**/rest/v1/orders*", code, answers.orders);
    await answerWith(page, "**/rest/v1/tickets*", code, answers.tickets);
  };
  for (const path of ["/dashboard", "/my-tickets"]) {
    await test.step(`${path}: empty`, async () => {
      await page.goto(path);
      await expect(page.getByText("No orders found")).toBeVisible();
      await expect(page.getByText("No tickets found")).toBeVisible();
      await expectAccessible(page);
    });
    await test.step(`${path}: cannot be loaded`, async () => {
      await answering(500, {
        orders: { message: "orders are out" },
        tickets: { message: "tickets are out" },
      });
      await page.reload();
      await expect(failed).toHaveCount(2);
      await expectLogged(pageErrors, "tickets are out");
      await page.unrouteAll({ behavior: "wait" });
    });
  }
  await test.step("not lists", async () => {
    await answering(200, { orders: {}, tickets: {} });
    await page.reload();
    await expect(failed).toHaveCount(2);
    await expect.poll(() => pageErrors.join("\n")).toContain("load orders");
    await expectLogged(pageErrors, "load tickets");
  });
  pageErrors.length = 0;
});

test("a refused login shows the server's message, a refused registration says so, and a successful login welcomes back", async ({
  page,
  account,
  pageErrors,
}) => {
  await signIn(page, { email: account.email, password: "not this one" });
  const failure = page.getByRole("listitem").filter({ hasText: "Login Failed" });
  await expect(failure).toContainText("Invalid login credentials");
  expectRefusal(pageErrors, 400);
  await answerWith(page, "**/auth/v1/signup*", 422, {
    code: "weak_password",
    error_code: "weak_password",
    msg: "Password is too weak",
    message: "Password is too weak",
    weak_password: { reasons: ["pwned"] },
  });
  await page.getByRole("link", { name: "Don't have an account? Sign up" }).click();
  const form = page.getByRole("form", { name: "Create account" });
  await form.getByLabel("Email").fill("someone@example.com");
  await form.getByLabel("Password", { exact: true }).fill("password");
  await form.getByLabel("Confirm Password").fill("password");
  await form.getByRole("button", { name: "Create Account" }).click();
  const refused = page.getByRole("listitem").filter({ hasText: "Registration Failed" });
  await expect(refused).toContainText("This password is too easy to guess.");
  await expect(refused).not.toContainText("pwned");
  expectRefusal(pageErrors, 422);
  await page.getByRole("link", { name: "Already have an account? Sign in" }).click();
  await signIn(page, account);
  const welcome = page.getByRole("listitem").filter({ hasText: "Welcome back!" });
  await expect(welcome).toContainText("You've been logged in successfully.");
});

test("a missing order is not found, whoever requests it and with any id", async ({ page, account }) => {
  const other = await createAccount(status());
  const { data, error } = await serviceClient()
    .from("orders")
    .insert({
      user_id: other.id,
      status: "pending",
      total_amount: 45,
      buyer_full_name: "Other",
      buyer_email: other.email,
      buyer_phone_number: "713 555 0100",
    })
    .select("id")
    .single();
  await arriveSignedIn(page, account);
  const foreign = error ? "11111111-2222-4333-8444-555555555555" : (data.id as string);
  for (const id of [foreign, "not-an-id"]) {
    await page.goto(`/order-confirmation?orderId=${id}`);
    await expect(page.getByRole("heading", { name: "Order Not Found" })).toBeVisible();
    await expect(page.getByText("We couldn't find the order you're looking for.")).toBeVisible();
    await expectAccessible(page);
    await page.getByRole("link", { name: "Go to Dashboard" }).click();
    await expect(page).toHaveURL("/dashboard");
  }
});

test("an unknown path is Page Not Found and leads home", async ({ page, pageErrors }) => {
  const response = await page.goto("/no/such/page");
  expect(response?.status()).toBe(404);
  await expect(page.getByText("404", { exact: true })).toBeVisible();
  expectRefusal(pageErrors, 404);
  await expect(page.getByRole("heading", { level: 1, name: "Page Not Found" })).toBeVisible();
  await expect(page.getByText("The page you are looking for doesn't exist or has been moved.")).toBeVisible();
  await page.getByRole("link", { name: "Go Back Home" }).click();
  await expect(page).toHaveURL("/");
});
