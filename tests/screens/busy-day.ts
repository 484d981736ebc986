// A festival with a history, for the back office's pictures: sixty days of orders, a gate that lets people in, and one of
// everything that happens on a busy day, created through the calls that people make.
import { randomUUID } from "node:crypto";
import type { SupabaseClient } from "@supabase/supabase-js";
import { cartOf } from "../../shop/testing/cart.ts";
import { openDatabase } from "../../server/src/postgres/database.ts";
import { seedLarge } from "../../scripts/seed/large.ts";
import { createApi } from "../crash/api.ts";
import { type Account, createAccount } from "../support/shop/accounts.ts";
import { catalog } from "../support/shop/arrival.ts";
import { serviceClient, visitorClient } from "../support/server/clients.ts";

const AMOUNTS = { tickets: 2500, visits: 400, scans: 900 };
const DAY_MS = 86_400_000;
const PEOPLE = [
  "Ana Ruiz",
  "Bartholomew Featherstonehaugh-Cholmondeley",
  "Đặng Thị Ngọc Ánh",
  "Zoë O’Neal-Wu",
  "Li Wei",
  "Mary-Jane Washington Okonkwo",
];

type Status = Readonly<Record<string, string>>;

export interface BusyDay {
  readonly admin: Account;
  /** A run whose orders the provider partly refuses. */
  readonly run: string;
  /** An order with notes, tags, a refund and a dispute. */
  readonly order: string;
}

export async function makeBusyDay(status: Status): Promise<BusyDay> {
  const database = openDatabase(status.DB_URL!, { sizes: { requests: 1, service: 2 } });
  try {
    await seedLarge(database, AMOUNTS);
  } finally {
    await database.close();
  }
  const service = serviceClient(status);
  const admin = await createAccount(status);
  await checked(service.from("user_roles").insert({ user_id: admin.id, role: "admin" }));
  const office = visitorClient(status);
  const { error } = await office.auth.signInWithPassword(admin);
  if (error) throw error;
  const bought = [];
  for (const name of PEOPLE) bought.push(await buy(status, name));
  await noteDisputes(service, bought);
  const run = await refundSome(service, office, bought);
  await workOnOrder(office, service, bought[0]!);
  await sellAtDoor(office);
  await writeToPeople(office, service);
  await offerAndAsk(office, service);
  await checked(office.functions.invoke("fetch-provider-books"));
  return { admin, run, order: bought[0]! };
}

async function checked<T>(asked: PromiseLike<{ data: T; error: unknown }>): Promise<NonNullable<T>> {
  const { data, error } = await asked;
  if (error) throw new Error(JSON.stringify(error), { cause: error });
  return data as NonNullable<T>;
}

/** Buys at the sandbox, with a card, so that it can be refunded there. */
async function buy(status: Status, name: string): Promise<string> {
  const api = createApi(() => status, { reached() {} });
  const account = await createAccount(status);
  const person = api.person(account);
  const cart = cartOf([catalog.general, 2]);
  const people = cart.attendees.map((one) => ({ ...one, email: account.email }));
  const body = {
    ...cart,
    attendees: people.map((one, index) => (index === 0 ? { ...one, name } : one)),
    buyerInfo: { ...cart.buyerInfo, name, email: account.email },
  };
  const placed = await person.call("create-payment-intent", body, randomUUID());
  if (placed.status !== 200) throw new Error(`not placed: ${JSON.stringify(placed)}`);
  const { paymentIntentId, clientSecret, orderId } = placed.body;
  const form = { client_secret: clientSecret, payment_method: "pm_card_visa" };
  await person.provider(`payment_intents/${paymentIntentId}/confirm`, form);
  const confirmed = await person.call("process-payment", { paymentIntentId });
  if (confirmed.status !== 200) throw new Error(`not confirmed: ${JSON.stringify(confirmed)}`);
  return orderId as string;
}

async function noteDisputes(service: SupabaseClient, orders: readonly string[]): Promise<void> {
  for (const [index, state] of ["needs_response", "under_review", "won"].entries()) {
    const order = await checked(
      service.from("orders").select("payment_intent_id").eq("id", orders[index]!).single(),
    );
    await checked(
      service.rpc("note_dispute", {
        p_dispute_id: `dp_${randomUUID()}`,
        p_payment_intent_id: order.payment_intent_id,
        p_cents: 9000,
        p_currency: "usd",
        p_reason: index === 0 ? "product_not_received" : "fraudulent",
        p_status: state,
        p_evidence_due_by: new Date(Date.now() + (index + 1) * DAY_MS).toISOString(),
        p_opened_at: new Date(Date.now() - DAY_MS).toISOString(),
        p_reported_at: new Date().toISOString(),
      }),
    );
  }
}

/** Two that the sandbox charged, and three from the history that the provider refuses. */
async function refundSome(service: SupabaseClient, office: SupabaseClient, bought: readonly string[]) {
  const past = await checked(
    service
      .from("orders")
      .select("id")
      .like("payment_intent_id", "pi_seed_%")
      .eq("status", "confirmed")
      .limit(3),
  );
  const ids = [...bought.slice(-2), ...past.map(({ id }) => id as string)];
  await checked(service.from("order_tags").insert(ids.map((order_id) => ({ order_id, tag: "storm" }))));
  const filter = { tag: "storm" };
  const found = (await checked(office.rpc("preview_refund_run", { p_filter: filter, page_size: 1 }))) as {
    orders: number;
    cents: number;
  };
  const run = (await checked(
    office.rpc("start_refund_run", {
      p_id: randomUUID(),
      p_filter: filter,
      p_reason: "event_cancelled",
      p_note: "Storm on the east lawn",
      p_orders: found.orders,
      p_cents: found.cents,
    }),
  )) as string;
  for (const { id } of past) {
    await checked(
      service.rpc("mark_refund", {
        p_refund_id: await refundOf(service, id as string),
        p_provider_refund_id: null,
        p_status: "failed",
        p_failure: "Charge has been charged back; cannot issue a refund.",
      }),
    );
  }
  return run;
}

/** Resolves once the run has reached the order. */
async function refundOf(service: SupabaseClient, order: string): Promise<string> {
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline) {
    const [refund] = await checked(service.from("refunds").select("id").eq("order_id", order));
    if (refund) return refund.id as string;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new Error(`The run did not come to the order ${order}.`);
}

async function workOnOrder(office: SupabaseClient, service: SupabaseClient, order: string): Promise<void> {
  await checked(
    service.from("order_tags").insert(["press", "wheelchair"].map((tag) => ({ order_id: order, tag }))),
  );
  await checked(
    office.rpc("add_order_note", {
      p_order_id: order,
      p_body: "Comes with a wheelchair, call before 10:00.",
    }),
  );
}

async function sellAtDoor(office: SupabaseClient): Promise<void> {
  const shift = await checked(office.rpc("open_till", { p_float: 150 }));
  for (const [index, method] of ["cash", "card", "cash", "card", "cash"].entries()) {
    const quantity = 1 + (index % 3);
    await checked(
      office.rpc("sell_at_door", {
        p_key: randomUUID(),
        p_items: [{ type: "ticket", id: catalog.general.id, quantity }],
        p_method: method,
        p_total_cents: quantity * 4500,
      }),
    );
  }
  await checked(
    office.rpc("close_till", {
      p_shift_id: shift,
      p_counted: 418.5,
      p_note: "A twenty was torn, see envelope 3.",
    }),
  );
  await checked(office.rpc("open_till", { p_float: 100 }));
  await checked(
    office.rpc("sell_at_door", {
      p_key: randomUUID(),
      p_items: [{ type: "ticket", id: catalog.vip.id, quantity: 2 }],
      p_method: "card",
      p_total_cents: 30_000,
    }),
  );
  await checked(
    office.rpc("issue_comps", {
      p_key: randomUUID(),
      p_reason: "Press, Houston Chronicle and KTRU",
      p_ticket_type_id: catalog.vip.id,
      p_guests: PEOPLE.map((name, index) => ({ name, email: `guest-${index}@press.example.com` })),
    }),
  );
}

async function writeToPeople(office: SupabaseClient, service: SupabaseClient): Promise<void> {
  await checked(
    office.rpc("send_message", {
      p_id: randomUUID(),
      p_subject: "Gates open an hour earlier",
      p_body: "Come from 10:00 on.\n\nBring your code on your phone or on paper.",
      p_audience: { people: "buyers", type_ids: [catalog.vip.id], state: "valid" },
    }),
  );
  await checked(
    service.rpc("record_mail_bounce", {
      p_email: "guest-1@press.example.com",
      p_reason: "552 5.2.2 The mailbox is full",
      p_reported: true,
    }),
  );
}

async function offerAndAsk(office: SupabaseClient, service: SupabaseClient): Promise<void> {
  await checked(
    service
      .from("promo_codes")
      .insert({ code: "SLABLINE", percent_off: 15, note: "Car clubs", max_uses: 200 }),
  );
  await checked(
    service.from("promo_codes").insert({ code: "EARLY-BIRD-2025", amount_off: 10, is_paused: true }),
  );
  await checked(office.rpc("invite_staff", { p_email: "till-lead@example.com", p_role: "finance" }));
  const today = new Date().toLocaleDateString("sv-SE", { timeZone: "America/Chicago" });
  await checked(
    office.rpc("create_gate_invitation", {
      p_label: "Volunteers, east lawn",
      p_entrance_id: null,
      p_day: today,
      p_phones: 6,
    }),
  );
  const contact = { contact_name: "Rosa Delgado", phone: "713 555 0142", email: "rosa@example.com" };
  await checked(
    service.from("vendor_applications").insert(
      ["Delgado’s Tamales", "Third Ward Screen Prints & Letterpress Cooperative"].map(
        (booth_name, index) => ({
          booth_name,
          contact_name: contact.contact_name,
          contact_email: contact.email,
          contact_phone: contact.phone,
          vendor_type: index === 0 ? "food" : "art",
          description: "A family stand for thirty years.",
          products: "Pork, chicken and bean tamales",
          description_of_goods: "Pork, chicken and bean tamales",
        }),
      ),
    ),
  );
  await checked(
    service.from("sponsor_inquiries").insert({
      ...contact,
      company_name: "Bayou Savings & Loan",
      sponsorship_level: "gold",
      message: "We would like the main stage.",
    }),
  );
}
