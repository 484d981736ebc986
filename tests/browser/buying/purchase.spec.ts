import { newEmail } from "../../support/shop/accounts.ts";
import { arriveAtPayment, arriveSignedIn, catalog, serviceClient } from "../../support/shop/arrival.ts";
import { add, buyer, CARDS, fillDetails, payByCard } from "../../support/shop/buyer.ts";
import { expect, expectAccessible, test } from "../../support/fixtures.ts";
import { linkIn } from "../../support/server/mailbox.ts";

test("a new visitor signs up, confirms by mail, buys two tickets and parking, and has QR codes", async ({
  page,
  mailbox,
}) => {
  const email = newEmail("stranger");
  const password = "still tippin";

  await test.step("finds the tickets and fills the cart", async () => {
    await page.goto("/");
    await page.getByRole("main").getByRole("link", { name: "Buy Tickets" }).first().click();
    await add(page, "General Admission", 2);
    await add(page, "General Parking");
    const cart = page.getByRole("region", { name: "Your Cart" });
    await expect(cart).toContainText("General Admission");
    await expect(cart).toContainText("$115.00");
    await cart.getByRole("link", { name: "Proceed to Checkout" }).click();
    await expect(page).toHaveURL("/auth?mode=code");
  });

  await test.step("creates an account", async () => {
    await page.getByRole("link", { name: "Don't have an account? Sign up" }).click();
    const form = page.getByRole("form", { name: "Create account" });
    await form.getByLabel("Email").fill(email);
    await form.getByRole("textbox", { name: "Password", exact: true }).fill(password);
    await form.getByLabel("Confirm Password").fill(password);
    await form.getByRole("button", { name: "Create Account" }).click();
    await expect(page.getByText("Registration Successful!")).toBeVisible();
    await expect(page.getByText("Please check your email to confirm your account.")).toBeVisible();
    await expect(page.getByRole("form", { name: "Sign in" })).toBeVisible();
  });

  await test.step("confirms by the link in the mail", async () => {
    const mail = await mailbox.newest(email, /confirm/i);
    expect(mail.html).toContain("<");
    await page.goto(linkIn(mail, "/auth/v1/verify"));
    await expect(page.getByRole("link", { name: "My Account" })).toBeVisible();
  });

  await test.step("checks out with the kept cart", async () => {
    await page.goto("/checkout");
    await fillDetails(page, email, ["Paul Wall", "Lil' Keke"]);
    await expect(page.getByRole("timer")).toBeVisible();
    await payByCard(page, CARDS.good);
    await expect(page.getByRole("heading", { name: "Order Confirmed!" })).toBeVisible();
    await expect(
      page.getByText("Thank you for your purchase! Your tickets have been sent to your email."),
    ).toBeVisible();
  });

  await test.step("has two QR codes", async () => {
    await page.getByRole("link", { name: "View Your Tickets" }).click();
    await expect(page).toHaveURL(/\/dashboard/);
    for (const name of ["Paul Wall", "Lil' Keke"]) {
      const ticket = page.getByRole("article", { name: `General Admission for ${name}` });
      const code = ticket.getByRole("img", { name: /QR code/ });
      await expect(code).toBeVisible();
      expect(
        await code.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth)),
      ).toBeGreaterThan(100);
    }
    await expectAccessible(page);
    const started = page.waitForEvent("download");
    await page
      .getByRole("button", { name: /Download QR Code/ })
      .first()
      .click();
    expect((await started).suggestedFilename()).toMatch(/^ticket-[0-9a-f-]{36}\.png$/);
  });

  await test.step("gets the order by mail", async () => {
    const mail = await mailbox.newest(email, /order|ticket/i);
    for (const words of ["Paul Wall", "Lil' Keke", "General Admission", "General Parking", "$115.00"]) {
      expect(mail.text).toContain(words);
    }
    expect(mail.attachments.filter(({ mimeType }) => mimeType === "image/png").length).toBeGreaterThanOrEqual(
      2,
    );
  });

  await test.step("finds the cart empty and the order under My Tickets", async () => {
    await page.goto("/tickets");
    await expect(page.getByRole("button", { name: "Increase General Admission" })).toBeVisible();
    await expect(page.getByRole("region", { name: "Your Cart" })).toBeHidden();
    await page.goto("/my-tickets");
    await expect(page.getByText("confirmed", { exact: false }).first()).toBeVisible();
    await expect(page.getByText("$115.00").first()).toBeVisible();
  });
});

test("3-D Secure takes no money when the bank's challenge is failed, and pays once it is passed", async ({
  page,
  account,
}) => {
  await arriveAtPayment(page, account, [{ ...catalog.general, quantity: 2 }]);
  const bank = page.frameLocator('iframe[title="3-D Secure check"]');
  const statuses = async () => {
    const { data } = await serviceClient().from("orders").select("status").eq("user_id", account.id);
    return data?.map(({ status }) => status as string);
  };
  await payByCard(page, CARDS.threeDSecure);
  await bank.getByRole("button", { name: "Fail" }).click();
  await expect(page.getByText("Payment Failed").first()).toBeVisible();
  await expect(page.getByRole("form", { name: "Payment" })).toBeVisible();
  expect(await statuses()).toEqual(["pending"]);
  await payByCard(page, CARDS.threeDSecure);
  await expect(page.getByRole("dialog", { name: "Confirm with Your Bank" })).toBeVisible();
  await bank.getByRole("button", { name: "Complete" }).click();
  await expect(page.getByRole("heading", { name: "Order Confirmed!" })).toBeVisible();
  expect(await statuses()).toEqual(["confirmed"]);
});

test("VIP includes its parking at no cost and removes the paid one from the cart; preferred parking is bought in addition", async ({
  page,
  account,
}) => {
  await arriveSignedIn(page, account);
  await page.goto("/tickets");
  await add(page, "General Parking");
  await add(page, "VIP");
  const parking = page.getByRole("article", { name: "General Parking" });
  await expect(parking.getByText("Included with VIP")).toBeVisible();
  await add(page, "Preferred Parking");
  await expect(parking.getByText("Included with VIP")).toBeVisible();
  await page.getByRole("link", { name: "Proceed to Checkout" }).click();
  await fillDetails(page, account.email, [buyer.name]);
  await payByCard(page, CARDS.good);
  await page.getByRole("heading", { name: "Order Confirmed!" }).waitFor();
  await page.goto("/my-tickets");
  await expect(page.getByText("$210.00").first()).toBeVisible();
  await expect(page.getByText(/General Parking/).first()).toBeVisible();
  await expect(page.getByText(/Preferred Parking/).first()).toBeVisible();
});
