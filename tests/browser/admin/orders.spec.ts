// Orders in the back office: found, followed, refunded and exported.
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { arriveAsAdmin, placeOrder } from "../../support/shop/admin-arrival.ts";
import { amount, figure } from "../../support/shop/admin-figures.ts";
import { createAccount } from "../../support/shop/accounts.ts";
import { arriveSignedIn, serviceClient } from "../../support/shop/arrival.ts";
import { answerWith, expectLogged, hold, RECONNECTING } from "../../support/page/faults.ts";
import { expect, expectAccessible, status, test } from "../../support/fixtures.ts";
import { problems } from "../../support/page/problems.ts";

/** A single-word name that no other order has. */
const newWord = () => `Sol${randomBytes(5).toString("hex")}`;

test("are filtered, have their own list when they failed, and are exported as a file that a spreadsheet can open safely", async ({
  page,
}) => {
  const [lost, well] = [newWord(), newWord()];
  const id = await placeOrder({ buyerName: lost, paid: false });
  const failed = await serviceClient().rpc("cancel_pending_orders", {
    p_order_ids: [id],
    p_reason: "payment_failed",
  });
  expect(failed.error).toBeNull();
  await placeOrder({ buyerName: well });
  const evil = await placeOrder({
    buyerName: '=HYPERLINK("x"), Evil',
    quantity: 2,
    phone: "+17135550123",
  });
  await arriveAsAdmin(page);
  await page.goto(`/admin/orders?q=${well}`); // other tests complete orders meanwhile
  await page.getByLabel("Status").selectOption("Completed");
  await expect(page.getByText('No orders found with status "completed"')).toBeVisible();
  await page.getByRole("button", { name: "Clear Filter" }).click();
  await expect(page.getByRole("link", { name: /^#/ }).first()).toBeVisible();

  await page.goto("/admin/orders?status=failed");
  await expect(page.getByLabel("Status")).toHaveValue("failed");
  await expect(page.getByText(lost)).toBeVisible();
  await expect(page.getByText(well)).toHaveCount(0);
  await page.getByLabel("Status").selectOption("");

  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export CSV" }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe("orders.csv");
  const text = await readFile(await download.path(), "utf8");
  expect(text).toContain(
    "Order,Buyer,Email,Phone,Status,Channel,Items,Items before discount,Discount,Promo code,Fee,Fee name,Total,Paid by,Paid,Refunded,Net,Payment,Created (Central),",
  );
  const line = text.split("\r\n").find((record) => record.startsWith(evil))!;
  expect(line).toContain(`,"'=HYPERLINK(""x""), Evil",`);
  expect(line).toContain(
    ",+1 713-555-0123,confirmed,online,2 × General Admission,90.00,0.00,,0.00,,90.00,online,90.00,0.00,90.00,pi_test_",
  );
});

test("turn pages that stay still while orders arrive; filter and page are restored after an order, Back and a reload", async ({
  page,
}) => {
  await arriveAsAdmin(page);
  // Only its own orders match its search.
  const word = newWord();
  for (let n = 0; n < 21; n++) await placeOrder({ buyerName: `${word} ${n}`, paid: false });
  await page.goto(`/admin/orders?q=${word}`);
  await page.getByLabel("Status").selectOption("Pending");
  const list = page.getByRole("link", { name: /^#/ });
  await expect(list).toHaveCount(10);
  const shown = () => list.allTextContents();
  const turn = async (to: string, number: number) => {
    const last = await shown();
    await page.getByRole("button", { name: to }).click();
    await expect(page.getByText(new RegExp(`^Page ${number} of`))).toBeVisible();
    await expect.poll(async () => (await shown()).some((id) => !last.includes(id))).toBe(true);
    return shown();
  };
  const second = await turn("Next", 2);
  await expect(page).toHaveURL(/page=2/);
  const expectSecondPage = async () => {
    await expect(page.getByText(/^Page 2 of/)).toBeVisible();
    await expect(page.getByLabel("Status")).toHaveValue("pending");
    await expect(list).toHaveText(second);
  };
  await test.step("restored", async () => {
    await list.first().click();
    await expect(page.getByRole("heading", { level: 1, name: `Order ${second[0]}` })).toBeVisible();
    await page.goBack();
    await expectSecondPage();
    await page.reload();
    await expectSecondPage();
    await list.first().click();
    await page.getByRole("link", { name: "All orders" }).click();
    await expectSecondPage();
  });
  await test.step("still", async () => {
    for (let n = 0; n < 11; n++) await placeOrder({ buyerName: `${word} Newcomer ${n}`, paid: false });
    const third = await turn("Next", 3);
    expect(new Set([...second, ...third]).size).toBe(10 + third.length);
    expect(await turn("Previous", 2)).toEqual(second);
  });
  await page.getByRole("button", { name: "Previous" }).click();
  await expect(page.getByText(/^Page 1 of/)).toBeVisible();
  await expect(page).toHaveURL((url) => !url.searchParams.has("page"));
  await expect(page.getByLabel("Status")).toHaveValue("pending");
});

test("say when they cannot be loaded, and notify the other administrators", async ({ page, pageErrors }) => {
  await arriveAsAdmin(page);
  // Other tests' orders would reload the list.
  await page.routeWebSocket(/\/realtime\/v1\/websocket/, () => {});
  const mend = await answerWith(page, "**/rest/v1/rpc/get_recent_orders*", 500, {
    message: "no such luck",
  });
  await page.goto("/admin/orders");
  await expect(
    page.getByText("Error loading orders. Please check your connection and try again."),
  ).toBeVisible();
  await page.getByText("Details").click();
  await expect(page.getByText(/^Failed to fetch orders: ./)).toBeVisible();
  await expectLogged(pageErrors, "Failed to fetch orders: no such luck");
  await expect
    .poll(async () => {
      const { data } = await serviceClient()
        .from("audit_logs")
        .select("new_values")
        .eq("action_type", "FETCH_ERROR_ORDERS");
      return data?.length;
    })
    .toBeGreaterThan(0);
  await mend();
  await page.getByRole("button", { name: "Try Again" }).click();
  await expect(page.getByRole("button", { name: "Export CSV" })).toBeVisible();
  await expect(page.getByRole("alert")).toHaveCount(0);
});

test("are found by buyer, guest, number, ticket and payment, and the badge counts them all", async ({
  page,
}) => {
  const [word, otherWord] = [newWord(), newWord()];
  const id = await placeOrder({ buyerName: `${word} Seeker` });
  const other = await placeOrder({ buyerName: `${otherWord} Else` });
  const { data: ticket } = await serviceClient().from("tickets").select("id").eq("order_id", id).single();
  const { data: order } = await serviceClient()
    .from("orders")
    .select("payment_intent_id")
    .eq("id", id)
    .single();
  await arriveAsAdmin(page);
  await page.goto("/admin/orders");
  const search = page.getByLabel("Search by name, email, phone, order, ticket or payment number");
  const badge = page.getByText(/^[\d,]+ orders$/);
  const counted = async () => Number((await badge.textContent())!.replace(/\D/g, ""));
  const all = await counted();
  await search.fill("nobody by this name");
  await expect(page.getByText("Nothing matches", { exact: false })).toBeVisible();
  // Each search in turn finds a different order than the one before.
  for (const [text, found] of [
    [word.toLowerCase(), id],
    [other, other],
    [`#${id.slice(0, 8)}`, id],
    [otherWord, other],
    [String(ticket!.id).slice(2, 8), id],
    [`#${other.slice(0, 8)}`, other],
    [String(order!.payment_intent_id), id],
  ] as const) {
    await search.fill(text);
    await expect(page.getByRole("link", { name: /^#/ })).toHaveText([`#${found.slice(0, 8)}`]);
  }
  expect(await counted(), "all orders, whatever is searched for").toBeGreaterThanOrEqual(all);
  await page.reload();
  await expect(search).toHaveValue(String(order!.payment_intent_id));
  await expect(page.getByRole("link", { name: /^#/ })).toHaveText([`#${id.slice(0, 8)}`]);

  await test.step("open even if the search settles while the order's page loads", async () => {
    // Everything else is loaded already.
    const isScript = (url: URL) => url.pathname.endsWith(".js");
    const asked = page.waitForRequest((request) => isScript(new URL(request.url())));
    const release = await hold(page, isScript);
    await page.clock.install();
    await search.fill(word);
    await page.getByRole("link", { name: `#${id.slice(0, 8)}` }).click();
    await asked;
    await page.clock.runFor(1000);
    release();
    await expect(page.getByRole("heading", { level: 1, name: `Order #${id.slice(0, 8)}` })).toBeVisible();
  });
});

test("end with their last ticket, and the buyer sees what was refunded", async ({ page, browser }) => {
  const buyer = await createAccount(status());
  const id = await placeOrder({ buyerName: "Rhea Turner", buyer, quantity: 2, parking: true });
  const other = await (await browser.newContext()).newPage();
  await arriveSignedIn(other, buyer);
  await other.goto("/my-tickets");
  const first = other.getByRole("article", { name: "General Admission for Guest 1 of Rhea Turner" });
  const picture = first.getByRole("img", { name: /^QR code/ });
  await expect(picture).toBeVisible();
  const address = (await picture.getAttribute("src"))!;

  await arriveAsAdmin(page);
  await page.goto(`/admin/orders/${id}`);
  await page.getByLabel("Select Guest 1 of Rhea Turner's ticket").check();
  await page.getByRole("button", { name: "Refund 1 ticket" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Refund $45.00" }).click();
  await expect(page.getByRole("cell", { name: "Refunded", exact: true })).toHaveCount(1);

  await other.reload();
  await expect(first.getByText("This ticket is no longer valid.")).toBeVisible();
  await expect(first.getByRole("img", { name: /^QR code/ })).toHaveCount(0);
  const second = other.getByRole("article", { name: "General Admission for Guest 2 of Rhea Turner" });
  await expect(second.getByRole("img", { name: /^QR code/ })).toBeVisible();
  await expect
    .poll(async () => (await other.request.get(address, RECONNECTING)).status())
    .toBeGreaterThanOrEqual(400);
  await expect(other.getByText("(1 refunded)")).toBeVisible();
  await expect(other.getByText("-$45.00")).toBeVisible();

  await page.getByLabel("Select Guest 2 of Rhea Turner's ticket").check();
  await page.getByRole("button", { name: "Refund 1 ticket" }).click();
  const dialog = page.getByRole("alertdialog");
  await expect(dialog).toContainText("the order ends");
  await dialog.getByRole("button", { name: "Refund $70.00" }).click();
  await expect(page.getByText("Canceled: all its tickets were taken back")).toBeVisible();
  await other.context().close();

  await page.goto("/admin/orders");
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: /Refunds/ }).click();
  const text = await readFile(await (await downloading).path(), "utf8");
  const lines = text.split("\r\n").filter((record) => record.includes(id));
  expect(lines.map((line) => /,([^,]*|"[^"]*"),(\d+\.\d\d),/.exec(line)?.slice(1))).toEqual([
    ['"1 × General Admission, 1 × General Parking"', "70.00"],
    ["1 × General Admission", "45.00"],
  ]);
});

test("an order's page follows its changes, retries a refund that failed, and cancels a pending order after a confirmation", async ({
  page,
}) => {
  const admin = await arriveAsAdmin(page);
  const pay = async (id: string) => {
    const { error } = await serviceClient().rpc("confirm_order", {
      p_order_id: id,
      p_payment_intent_id: `pi_test_${id}`,
      p_amount_cents: 4500,
    });
    expect(error).toBeNull();
  };
  await test.step("follows", async () => {
    const id = await placeOrder({ buyerName: "Livia Looker", paid: false });
    await page.goto(`/admin/orders/${id}`);
    await expect(page.getByText("Order placed, stock held")).toBeVisible();
    await pay(id);
    await expect(page.getByText("Paid and confirmed, tickets issued")).toBeVisible();
    await page.getByRole("button", { name: "Refund Order" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Refund $45.00" }).click();
    const refund = page.getByRole("row").filter({ hasText: "Requested by the buyer" });
    await expect(refund).toContainText("pending");
    // The button that opened the dialog is gone.
    await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
    const { data } = await serviceClient().from("refunds").select("id").eq("order_id", id).single();
    const marked = await serviceClient().rpc("mark_refund", {
      p_refund_id: data!.id,
      p_provider_refund_id: `re_test_${id}`,
      p_status: "succeeded",
    });
    expect(marked.error).toBeNull();
    await expect(refund).toContainText("succeeded");
  });
  await test.step("retries", async () => {
    const id = await placeOrder({ buyerName: "Rhett Retry" });
    const { data: order } = await serviceClient()
      .from("orders")
      .select("payment_intent_id")
      .eq("id", id)
      .single();
    const failed = await serviceClient().from("refunds").insert({
      payment_intent_id: order!.payment_intent_id,
      order_id: id,
      amount: 45,
      reason: "requested_by_admin",
      status: "failed",
    });
    expect(failed.error).toBeNull();
    await page.goto(`/admin/orders/${id}`);
    await page.getByRole("button", { name: "Retry Refund" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Refund $45.00" }).click();
    await expect(page.getByText("Refund requested again")).toBeVisible();
    await expect(page.getByText(`${admin.email} retried a refund: $45.00`)).toBeVisible();
    await expect(page.getByRole("button", { name: "Retry Refund" })).toHaveCount(0);
  });
  await test.step("withdraws a question that no longer applies", async () => {
    const id = await placeOrder({ buyerName: "Quentin Quick", paid: false });
    await page.goto(`/admin/orders/${id}`);
    await page.getByRole("button", { name: "Cancel Order" }).click();
    const question = page.getByRole("alertdialog", { name: "Cancel this order?" });
    await expect(question).toBeVisible();
    await pay(id);
    await expect(page.getByText("The order just changed")).toBeVisible();
    await expect(question).toBeHidden();
  });
  await test.step("cancels", async () => {
    const id = await placeOrder({ buyerName: "Penny Pending", paid: false });
    await page.goto(`/admin/orders/${id}`);
    await page.getByRole("button", { name: "Cancel Order" }).click();
    await page.getByRole("button", { name: "Keep the order" }).click();
    await page.getByRole("button", { name: "Cancel Order" }).click();
    await page.getByRole("button", { name: "Cancel the order" }).click();
    await expect(page.getByText("Canceled: an administrator canceled it")).toBeVisible();
  });
});

test("one that was paid and could not be fulfilled is an alert on the dashboard until it is marked as handled", async ({
  page,
}) => {
  const buyerName = newWord();
  const id = await placeOrder({ buyerName, paid: false });
  const { data } = await serviceClient().rpc("confirm_order", {
    p_order_id: id,
    p_payment_intent_id: `pi_test_${id}`,
    p_amount_cents: 100,
  });
  expect(data).toMatchObject({ status: "refund_queued", reason: "amount_differs" });
  // Other tests' orders count as well.
  const open = async () => {
    const { count } = await serviceClient()
      .from("orders")
      .select("*", { count: "exact", head: true })
      .eq("cancel_reason", "unfulfillable")
      .is("acknowledged_at", null);
    return count;
  };
  const admin = await arriveAsAdmin(page);
  await page.goto("/admin");
  const shown = figure(page, "Failed orders");
  await expect.poll(async () => (await amount(shown)) === (await open())).toBe(true);
  await page.getByRole("link", { name: /^\d+ failed orders? needs? attention$/ }).click();
  await expect(page).toHaveURL(/\/admin\/orders\?status=attention$/);
  await page.goto(`/admin/orders?status=attention&q=${buyerName}`);
  await page.getByRole("link", { name: `#${id.slice(0, 8)}` }).click();
  const handled = page.getByRole("button", { name: "Mark as Handled" });
  const undo = page.getByRole("button", { name: "Mark as Not Handled" });
  await handled.click();
  await expect(page.getByText("The order is marked as handled")).toBeVisible();
  await expect(handled).toBeHidden();
  await expect(page.getByText(`${admin.email} marked the order as handled`)).toBeVisible();
  await undo.click();
  await expect(page.getByText(`${admin.email} marked the order as not handled`)).toBeVisible();
  const { data: refund } = await serviceClient().from("refunds").select("id").eq("order_id", id).single();
  const refused = await serviceClient().rpc("mark_refund", {
    p_refund_id: refund!.id,
    p_provider_refund_id: null!,
    p_status: "failed",
    p_failure: "pi_no_underscore_lost",
  });
  expect(refused.error).toBeNull();
  await page.reload();
  await expect(page.getByText("The refund of $1.00 failed: pi_no_underscore_lost")).toBeVisible();
  await expect(page.getByText("Refund failed", { exact: true })).toBeVisible();
  await handled.click();
  const question = page.getByRole("alertdialog", { name: "Mark as handled?" });
  await expect(question).toContainText("The buyer is still owed $1.00");
  await expectAccessible(page);
  await question.getByRole("button", { name: "Mark as Handled" }).click();
  await expect(
    page.getByText(`${admin.email} marked the order as handled, with $1.00 still owed`),
  ).toBeVisible();
  await expect(undo).toBeVisible();
  await expectAccessible(page);
  await page.goto(`/admin/orders?status=attention&q=${buyerName}`);
  await expect(page.getByText('No orders found with status "needs attention"')).toBeVisible();
  await page.getByLabel("Status").selectOption("failed");
  await expect(page.getByRole("link", { name: `#${id.slice(0, 8)}` })).toBeVisible();
  await expect(page.getByText("Refund failed", { exact: true })).toBeVisible();
  await page.goto("/admin");
  await expect.poll(async () => (await amount(shown)) === (await open())).toBe(true);
});

test("the refund dialog states what is refunded, what is kept and that it is final; parking, a ticket, and then the rest are refunded", async ({
  page,
}) => {
  const id = await placeOrder({ buyerName: "Wanda Words", quantity: 3, parking: true });
  const admin = await arriveAsAdmin(page);
  await page.goto(`/admin/orders/${id}`);
  const dialog = page.getByRole("alertdialog");
  const words = async (button: string) => {
    await page.getByRole("button", { name: button, exact: true }).click();
    await expect(dialog).toBeVisible();
    const said = {
      title: await dialog.getByRole("heading").textContent(),
      text: await dialog.evaluate((element) =>
        document
          .getElementById(element.getAttribute("aria-describedby")!)!
          .textContent.replace(/[\u2066-\u2069]/g, ""),
      ),
      buttons: await dialog.getByRole("button").allTextContents(),
    };
    await dialog.getByRole("button", { name: /^Keep/ }).click();
    await expect(dialog).toBeHidden();
    return said;
  };
  const choose = (guest: number) => page.getByLabel(`Select Guest ${guest} of Wanda Words's ticket`);

  await choose(1).check();
  expect(await words("Refund 1 ticket")).toEqual({
    title: "Refund 1 ticket?",
    text: "Guest 1 of Wanda Words's ticket stops working and goes back on sale. The rest of the order stays. This cannot be undone.",
    buttons: ["Keep the ticket", "Refund $45.00"],
  });
  await choose(2).check();
  await page.getByLabel("Select General Parking").check();
  expect(await words("Refund 3 items")).toEqual({
    title: "Refund 3 items?",
    text: "These stop working and go back on sale: Guest 1 of Wanda Words, Guest 2 of Wanda Words, General Parking. The rest of the order stays. This cannot be undone.",
    buttons: ["Keep them", "Refund $115.00"],
  });
  await page.getByLabel("Select General Parking").uncheck();
  await choose(3).check();
  expect(await words("Refund 3 tickets")).toEqual({
    title: "Refund 3 tickets?",
    text: "These stop working and go back on sale: Guest 1 of Wanda Words, Guest 2 of Wanda Words, Guest 3 of Wanda Words. No tickets are left, so the order ends, and its parking is refunded with it. This cannot be undone.",
    buttons: ["Keep the tickets", "Refund $160.00"],
  });
  expect(await words("Refund Order")).toEqual({
    title: "Refund the whole order?",
    text: "The buyer gets back everything not yet refunded, all tickets stop working, and their stock and parking go back on sale. This cannot be undone.",
    buttons: ["Keep the order", "Refund $160.00"],
  });
  const refunds = async () =>
    (await serviceClient().from("refunds").select("amount").eq("order_id", id).order("created_at")).data;
  expect(await refunds(), "asking moves no money").toEqual([]);

  const refund = async (button: string, amount: string) => {
    await page.getByRole("button", { name: button, exact: true }).click();
    await dialog.getByRole("button", { name: `Refund ${amount}` }).click();
  };
  for (const guest of [1, 2, 3]) await choose(guest).uncheck();
  await page.getByLabel("Select General Parking").check();
  await refund("Refund 1 item", "$25.00");
  await expect(page.getByText(`${admin.email} refunded 1 × General Parking: $25.00`)).toBeVisible();
  await expect(page.getByLabel("Select General Parking")).toHaveCount(0);
  await expect(page.getByText("confirmed", { exact: true }).first()).toBeVisible();
  await choose(1).check();
  await refund("Refund 1 ticket", "$45.00");
  await expect(page.getByText(`${admin.email} refunded 1 × General Admission: $45.00`)).toBeVisible();
  await expect(page.getByRole("row").filter({ hasText: "Guest 1 of" })).toContainText("Refunded");
  await refund("Refund Order", "$90.00");
  await expect(page.getByText("Canceled: all its tickets were taken back")).toBeVisible();
  expect(await refunds()).toEqual([{ amount: 25 }, { amount: 45 }, { amount: 90 }]);
});

test("warn of guests who are inside already, refund an amount with a reason, and void tickets for what the provider returned", async ({
  page,
}) => {
  const admin = await arriveAsAdmin(page);
  await test.step("warn", async () => {
    const id = await placeOrder({ buyerName: "Inez Inside", quantity: 2 });
    await page.goto(`/admin/orders/${id}`);
    const guest = page.getByRole("row").filter({ hasText: "Guest 1 of Inez Inside" });
    await guest.getByRole("button", { name: "Check In Guest 1 of Inez Inside" }).click();
    const dialog = page.getByRole("dialog", { name: "Check In Guest 1 of Inez Inside" });
    await dialog.getByLabel("Reason").fill("Phone was flat");
    await dialog.getByRole("button", { name: "Check In" }).click();
    await expect(guest).toContainText("Checked in");
    const question = page.getByRole("alertdialog");
    await page.getByRole("button", { name: "Refund Order" }).click();
    await expect(question).toContainText("1 of these guests is already inside: Guest 1 of Inez Inside.");
    await expectAccessible(page);
    await question.getByRole("button", { name: "Keep the order" }).click();
    await page.getByLabel("Select Guest 1 of Inez Inside's ticket").check();
    await page.getByRole("button", { name: "Refund 1 ticket" }).click();
    await expect(question).toContainText("This guest is already inside: Guest 1 of Inez Inside.");
    await question.getByRole("button", { name: "Refund $45.00" }).click();
    await expect(guest).toContainText("Refunded");
    await expect(guest).toContainText("Checked in");
  });
  await test.step("refund and void", async () => {
    const id = await placeOrder({ buyerName: "Goody Will", quantity: 2 });
    await page.goto(`/admin/orders/${id}`);
    const dialog = page.getByRole("alertdialog");
    await page.getByRole("button", { name: "Refund Amount" }).click();
    const amount = dialog.getByLabel("Amount in dollars");
    await expect(amount).toBeFocused();
    await dialog.getByRole("button", { name: "Refund", exact: true }).click();
    await expect(problems(dialog)).toHaveText("Enter an amount, such as 10 or 12.50.");
    await amount.fill("10");
    await expect(problems(dialog)).toHaveCount(0);
    await amount.fill("90.01");
    await expect(problems(dialog)).toHaveText("Only $90.00 of this payment is left.");
    await dialog.getByRole("button", { name: "Refund", exact: true }).click();
    await expect(amount).toBeFocused();
    await amount.fill("10");
    await dialog.getByLabel("Reason").selectOption("Another reason");
    await dialog.getByRole("button", { name: "Refund $10.00" }).click();
    await expect(problems(dialog)).toHaveText("Enter the reason.");
    await dialog.getByLabel("Note").fill("Mud at the gate");
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Refund $10.00" }).click();
    await expect(
      page.getByText(`${admin.email} refunded an amount: $10.00 (Another reason: Mud at the gate)`),
    ).toBeVisible();
    await expect(page.getByText("Valid", { exact: true })).toHaveCount(2);

    const { data: order } = await serviceClient()
      .from("orders")
      .select("payment_intent_id")
      .eq("id", id)
      .single();
    const elsewhere = await serviceClient().rpc("record_provider_refund", {
      p_payment_intent_id: order!.payment_intent_id!,
      p_provider_refund_id: `re_elsewhere_${id}`,
      p_cents: 4000,
      p_status: "succeeded",
      p_reason: "refunded_at_provider",
    });
    expect(elsewhere.error).toBeNull();
    await page.getByRole("button", { name: "Void Tickets" }).click();
    await dialog.getByRole("button", { name: "Void" }).click();
    await expect(problems(dialog)).toHaveText("Choose at least one.");
    await dialog.getByLabel("Guest 1 of Goody Will").check();
    await dialog.getByRole("button", { name: "Void" }).click();
    await expect(page.getByText("voided 1 × General Admission")).toBeVisible();
    await expect(page.getByRole("button", { name: "Void Tickets" })).toHaveCount(0);
    await expect(page.getByText("Valid", { exact: true })).toHaveCount(1);
  });
});
