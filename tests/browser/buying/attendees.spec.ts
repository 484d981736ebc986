// Attendees belong to ticket types: what is typed under a label stays there, also in the order.
import {
  arriveSignedIn,
  arriveWithCart,
  serviceClient,
  CART_KEY,
  catalog,
} from "../../support/shop/arrival.ts";
import { buyer, CARDS, fillDetails, payByCard } from "../../support/shop/buyer.ts";
import { expect, test } from "../../support/fixtures.ts";
import { hold } from "../../support/page/faults.ts";

const cart = [
  { ...catalog.vip, quantity: 1 },
  { ...catalog.general, quantity: 2 },
  { ...catalog.youth, quantity: 1 },
];

test("names stay under their ticket type over a reload and a changed cart, and every ticket carries its own", async ({
  page,
  account,
}) => {
  await arriveSignedIn(page, account);
  await arriveWithCart(page, cart);
  await page.goto("/checkout");
  const attendee = (index: number) => page.getByRole("group", { name: new RegExp(`^Attendee ${index}\\b`) });
  const fill = async (index: number, name: string) => {
    await attendee(index).getByLabel("Full Name").fill(name);
    await attendee(index).getByLabel("Email").fill(account.email);
  };
  await fill(3, "Second General");
  await fill(4, "Only Youth");
  // Incomplete attendees do not count in the cart, but keep what was typed.
  await attendee(1).getByLabel("Full Name").fill("Half a VIP");
  await attendee(4).getByLabel("Full Name").fill("");
  await page.reload();
  await expect(attendee(1).getByLabel("Full Name")).toHaveValue("Half a VIP");
  await expect(attendee(4).getByLabel("Email")).toHaveValue(account.email);
  await page.getByRole("link", { name: "Back to Tickets" }).click();
  await page.getByRole("link", { name: "Proceed to Checkout" }).click();
  await expect(attendee(1).getByLabel("Full Name")).toHaveValue("Half a VIP");
  await attendee(1).getByLabel("Full Name").fill("");
  await fill(4, "Only Youth");
  await page.reload();
  await expect(attendee(1).getByLabel("Full Name")).toHaveValue("");
  await expect(attendee(2).getByLabel("Full Name")).toHaveValue("");
  await expect(attendee(3).getByLabel("Full Name")).toHaveValue("Second General");
  await expect(attendee(4).getByLabel("Full Name")).toHaveValue("Only Youth");
  const saved = await page.evaluate((key) => JSON.parse(localStorage.getItem(key)!), CART_KEY);
  expect(saved.attendees[0]).toMatchObject({ name: "Second General", ticketTypeId: catalog.general.id });

  await page.getByRole("link", { name: "Back to Tickets" }).click();
  await page.getByRole("button", { name: "Remove VIP" }).click();
  await page.getByRole("button", { name: "Increase VIP", exact: true }).click();
  await page.getByRole("link", { name: "Proceed to Checkout" }).click();
  await expect(attendee(4)).toContainText("VIP");
  await expect(attendee(2).getByLabel("Full Name")).toHaveValue("Second General");
  await expect(attendee(3).getByLabel("Full Name")).toHaveValue("Only Youth");
  await expect(attendee(4).getByLabel("Full Name")).toHaveValue("");
  await fill(1, "First General");
  await fill(4, "Only VIP");
  const about = page.getByRole("group", { name: "Buyer Information" });
  await about.getByLabel("Full Name").fill(buyer.name);
  await about.getByLabel("Phone").fill(buyer.phone);
  const sent = page.waitForRequest("**/functions/v1/create-payment-intent");
  await page.getByRole("button", { name: "Continue to Payment" }).click();
  expect((await sent).postDataJSON().attendees).toEqual(
    [
      ["First General", catalog.general.id],
      ["Second General", catalog.general.id],
      ["Only Youth", catalog.youth.id],
      ["Only VIP", catalog.vip.id],
    ].map(([name, ticketTypeId]) => ({ name, email: account.email, ticketTypeId })),
  );
  await payByCard(page, CARDS.good);
  await expect(page.getByRole("heading", { name: "Order Confirmed!" })).toBeVisible();
  const { data, error } = await serviceClient()
    .from("tickets")
    .select("attendee_name, ticket_types(name)")
    .eq("user_id", account.id);
  expect(error).toBeNull();
  const issued = (data as unknown as { attendee_name: string; ticket_types: { name: string } }[]).map(
    ({ attendee_name, ticket_types }) => `${ticket_types.name}: ${attendee_name}`,
  );
  expect(issued.toSorted()).toEqual([
    "General Admission: First General",
    "General Admission: Second General",
    "VIP: Only VIP",
    "Youth (10 to 17): Only Youth",
  ]);
});

test("a second tab follows what is typed in the first, and typing in it keeps every name, and the typed card in the first", async ({
  page,
  account,
  context,
}) => {
  await arriveSignedIn(page, account);
  await arriveWithCart(page, [{ ...catalog.general, quantity: 2 }]);
  await page.goto("/checkout");
  const other = await context.newPage();
  await other.goto("/checkout");
  const seat = (index: number) => other.getByRole("group", { name: new RegExp(`^Attendee ${index}\\b`) });
  const phone = other.getByLabel("Phone");
  await seat(1).getByLabel("Full Name").fill("Half typed");
  await fillDetails(page, account.email, ["", "Second"]);
  await expect(seat(2).getByLabel("Full Name")).toHaveValue("Second");
  await expect(seat(1).getByLabel("Full Name")).toHaveValue("Half typed");
  await fillDetails(page, account.email, ["First", "Second"]);
  const card = page.getByLabel("Card number");
  await card.fill("4242 4242");
  await expect(seat(1).getByLabel("Full Name")).toHaveValue("First");
  await expect(other.getByLabel("Full Name").first()).toHaveValue(buyer.name);
  await expect(phone).toHaveValue(buyer.phone);
  await phone.press("End");
  await phone.pressSequentially("0");
  await expect(phone).toHaveValue(`${buyer.phone}0`);
  await expect
    .poll(() => page.evaluate((key) => JSON.parse(localStorage.getItem(key)!), CART_KEY))
    .toMatchObject({
      buyerInfo: { name: buyer.name, phone: `${buyer.phone}0` },
      attendees: [{ name: "First" }, { name: "Second" }],
    });
  await expect(card).toHaveValue("4242 4242");
  const orders = async () => {
    const columns = "status, buyer_phone_number";
    const { data } = await serviceClient().from("orders").select(columns).eq("user_id", account.id);
    return data;
  };
  expect(await orders()).toEqual([{ status: "pending", buyer_phone_number: buyer.phone }]);
  await test.step("also over a reload", async () => {
    await page.reload();
    await expect(card).toBeVisible();
    expect(await orders()).toEqual([{ status: "pending", buyer_phone_number: buyer.phone }]);
  });
  await test.step("continuing with it in the second tab orders anew", async () => {
    await other.getByRole("button", { name: "Continue to Payment" }).click();
    await expect(other.getByLabel("Card number")).toBeVisible();
    expect(await orders()).toContainEqual({ status: "pending", buyer_phone_number: `${buyer.phone}0` });
  });
  await test.step("and the first tab pays for that order", async () => {
    await expect(card).toHaveValue("");
    await payByCard(page, CARDS.good);
    await expect(page.getByRole("heading", { name: "Order Confirmed!" })).toBeVisible();
    expect((await orders())!.map(({ status }) => status).toSorted()).toEqual(["cancelled", "confirmed"]);
  });
  await other.close();
});

test("a corrected name is ordered although the page is reloaded before its order is placed", async ({
  page,
  account,
}) => {
  await arriveSignedIn(page, account);
  await arriveWithCart(page, [{ ...catalog.general, quantity: 1 }]);
  await page.goto("/checkout");
  await fillDetails(page, account.email, ["Ana Gracia"]);
  const card = page.getByLabel("Card number");
  await expect(card).toBeVisible();
  const holding = page.getByText("Holding your tickets...");
  const ordered = async () => {
    const { data } = await serviceClient()
      .from("orders")
      .select("status, attendees->0->>name")
      .eq("user_id", account.id)
      .order("created_at", { ascending: false });
    return data![0];
  };
  await page.getByRole("button", { name: "Back to Details" }).click();
  const release = await hold(page, "**/v1/payment_intents/*");
  await fillDetails(page, account.email, ["Ana Garcia"]);
  await expect(holding).toBeVisible();
  await page.reload();
  release();
  await expect(card).toBeVisible();
  expect(await ordered()).toEqual({ status: "pending", name: "Ana Garcia" });
  await test.step("also when Forward leads to the payment of the order before", async () => {
    await page.goBack();
    await page.getByRole("group", { name: "Attendee 1" }).getByLabel("Full Name").fill("Ana García");
    const releaseAgain = await hold(page, "**/v1/payment_intents/*");
    await page.goForward();
    await expect(holding).toBeVisible();
    await page.reload();
    releaseAgain();
    await expect(card).toBeVisible();
    expect(await ordered()).toEqual({ status: "pending", name: "Ana García" });
  });
});

test("one click copies the buyer to every attendee", async ({ page, account }) => {
  await arriveSignedIn(page, account);
  await arriveWithCart(page, cart);
  await page.goto("/checkout");
  const about = page.getByRole("group", { name: "Buyer Information" });
  await about.getByLabel("Full Name").fill(buyer.name);
  await page.getByRole("button", { name: "Same as Buyer for All" }).click();
  const attendees = page.getByRole("group", { name: /^Attendee \d/ });
  await expect(attendees).toHaveCount(4);
  for (const attendee of await attendees.all()) {
    await expect(attendee.getByLabel("Full Name")).toHaveValue(buyer.name);
    await expect(attendee.getByLabel("Email")).toHaveValue(account.email);
  }
});
