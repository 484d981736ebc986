// Each limit has one value: what the contract's schemas accept, SQL accepts too, and what they refuse, it refuses.
import { MAX_REFUND_NOTE, refundReasons } from "contract/shop/refund-reasons";
import { cartLimits, idempotencyKeys, maxLengths, priceBounds } from "contract/limits";
import {
  attendeeSchema,
  createPaymentIntentSchema,
  sponsorInquirySchema,
  vendorApplicationSchema,
} from "contract/schemas";
import { doorLimits } from "contract/door";
import { gateLimits } from "contract/gate";
import { waitlistLimit } from "contract/shop/sale";
import { correctionReason } from "contract/tickets/transfers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Row } from "../../server/src/postgres/executor.ts";
import { cloneDatabase, type TestDatabase } from "../../server/testing/database.ts";
import { type GateWorld, openGateWorld, type Phone } from "./gate/world.ts";
import { type Office, openOffice } from "./office.ts";

let db: TestDatabase;
/** With people, in a database of its own. */
let officeDb: TestDatabase;
let office: Office;
beforeAll(async () => {
  [db, officeDb] = await Promise.all([cloneDatabase(), cloneDatabase()]);
  office = await openOffice(officeDb);
});
afterAll(async () => {
  await db?.close();
  await officeDb?.close();
});

const sql = async <T extends Row>(text: string, ...values: unknown[]) =>
  (await db.database.asService("limits are tried").query<T>(text, values)).rows;
const uuid = (n: number) => `0c5a9f0e-4f3b-4d6e-9b1a-${String(n).padStart(12, "0")}`;
const mail = (length: number) => "@people.test".padStart(length, "a");
const text = (length: number) => "n".repeat(length);

describe("the person a ticket is passed on to or corrected to", () => {
  const answers = async (name: string, email: string) => ({
    contract: attendeeSchema.safeParse({ name, email }).success,
    sql: await sql("select public.require_attendee($1, $2)", name, email).then(
      () => true,
      () => false,
    ),
  });

  it("has the name and address that an order would accept", async () => {
    expect(await answers(text(maxLengths.name), mail(maxLengths.email))).toEqual({
      contract: true,
      sql: true,
    });
    for (const [name, email] of [
      [text(maxLengths.name + 1), mail(20)],
      ["Ana", mail(maxLengths.email + 1)],
      ["  ", mail(20)],
      ["Ana\nPay again", mail(20)],
      ["evil.test/pay", mail(20)],
      ["Ana", "ana.people.test"],
    ] as const)
      expect(await answers(name, email), `${name} ${email}`).toEqual({ contract: false, sql: false });
  });

  it("accepts an administrator's reason as long as the form's", async () => {
    const [check] = await sql<{ definition: string }>(
      `select pg_get_constraintdef(oid) as definition from pg_constraint
        where conrelid = 'public.attendee_corrections'::regclass and pg_get_constraintdef(oid) like '%length%'`,
    );
    expect(check!.definition).toContain(`<= ${correctionReason}`);
  });
});

describe("a cart", () => {
  interface Size {
    items?: number;
    units?: number;
    name?: number;
    email?: number;
    phone?: number;
    guest?: number;
    guestEmail?: number;
    key?: number;
  }
  const cartOf = ({
    items = 1,
    units = 1,
    name = 3,
    email = 20,
    phone = 12,
    guest = 3,
    guestEmail = 20,
    key = 36,
  }: Size) => {
    const lines = Array.from({ length: items }, (_, n) => ({
      type: n === 0 ? "ticket" : "parking",
      id: uuid(n),
      quantity: n === 0 ? units : 1,
    }));
    const attendees = Array.from({ length: units }, () => ({ name: text(guest), email: mail(guestEmail) }));
    const buyer = { name: text(name), email: mail(email), phone: "7".repeat(phone) };
    return {
      sent: {
        items: lines.map((line) => ({ ...line, name: "General Admission", price: 45 })),
        attendees,
        buyerInfo: buyer,
        totalAmount: 45,
        idempotencyKey: text(key),
      },
      kept: {
        user_id: uuid(0),
        idempotency_key: text(key),
        request_hash: "hash",
        items: lines,
        attendees,
        buyer,
        total_cents: 4500,
      },
    };
  };
  const answers = async (size: Size) => {
    const { sent, kept } = cartOf(size);
    const [row] = await sql<{ fits: boolean }>(
      "select public.cart_problem($1::jsonb) is null as fits",
      JSON.stringify(kept),
    );
    return { contract: createPaymentIntentSchema.safeParse(sent).success, sql: row!.fits };
  };

  it.each([
    ["items", cartLimits.items],
    ["units", cartLimits.units],
    ["name", maxLengths.name],
    ["email", maxLengths.email],
    ["phone", maxLengths.phone],
    ["guest", maxLengths.name],
    ["guestEmail", maxLengths.email],
    ["key", idempotencyKeys.most],
  ] as const)("takes %s up to %i", async (what, most) => {
    expect(await answers({ [what]: most })).toEqual({ contract: true, sql: true });
    expect(await answers({ [what]: most + 1 })).toEqual({ contract: false, sql: false });
  });

  it("accepts a key that is long enough, not a shorter one", async () => {
    expect(await answers({ key: idempotencyKeys.least })).toEqual({ contract: true, sql: true });
    expect(await answers({ key: idempotencyKeys.least - 1 })).toEqual({ contract: false, sql: false });
  });

  it("accepts a telephone number of ten characters, not of nine", async () => {
    expect(await answers({ phone: 10 })).toEqual({ contract: true, sql: true });
    expect(await answers({ phone: 9 })).toEqual({ contract: false, sql: false });
  });

  it("has no more units than the most that an organizer may allow a buyer", async () => {
    const set = (most: number) => sql("update public.shop_settings set max_tickets_per_buyer = $1", most);
    await expect(set(cartLimits.units)).resolves.toBeDefined();
    await expect(set(cartLimits.units + 1)).rejects.toMatchObject({ code: "23514" });
  });
});

it("no form stores an invalid telephone number", async () => {
  await expect(
    sql(
      "insert into public.sponsor_inquiries (company_name, contact_name, email, phone) values ('B', 'A', 'a@people.test', 'abc')",
    ),
  ).rejects.toMatchObject({ code: "23514" });
  await expect(
    sql(`insert into public.vendor_applications (booth_name, contact_name, contact_email, contact_phone, vendor_type,
      description, products, description_of_goods) values ('B', 'A', 'a@people.test', '12', 'food', '', '', '')`),
  ).rejects.toMatchObject({ code: "23514" });
});

it("text columns are as long as the form fields, and each has one", async () => {
  const ADDRESS = 254;
  const isEmail = async (address: string) =>
    (await sql("select public.is_email($1) as fits", address))[0]!.fits;
  expect([await isEmail(mail(ADDRESS)), await isEmail(mail(ADDRESS + 1))]).toEqual([true, false]);
  const checks = await sql<{ column: string; definition: string }>(
    `select format('%s.%s', c.conrelid::regclass, a.attname) as column, pg_get_constraintdef(c.oid) as definition
       from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
       where c.contype = 'c' and cardinality(c.conkey) = 1 and pg_get_constraintdef(c.oid) ~ 'length|is_email'
         and c.conrelid in ('public.vendor_applications'::regclass, 'public.sponsor_inquiries'::regclass,
           'public.products'::regclass, 'public.messages'::regclass,
           'public.shop_settings'::regclass, 'public.promo_codes'::regclass)`,
  );
  const longest = Object.fromEntries(
    checks.map(({ column, definition }) => [
      column.replace("public.", ""),
      definition.includes("is_email") ? ADDRESS : Number(/<= (\d+)/.exec(definition)?.[1]),
    ]),
  );
  const vendor = vendorApplicationSchema.shape;
  const sponsor = sponsorInquirySchema.shape;
  const most = (field: { maxLength: number | null }) => field.maxLength;
  expect(longest).toEqual({
    "vendor_applications.booth_name": most(vendor.businessName),
    "vendor_applications.contact_name": most(vendor.contactName),
    "vendor_applications.contact_email": most(vendor.email),
    "vendor_applications.contact_phone": most(vendor.phone),
    "vendor_applications.description": most(vendor.description),
    "vendor_applications.products": most(vendor.products),
    "sponsor_inquiries.company_name": most(sponsor.companyName),
    "sponsor_inquiries.contact_name": most(sponsor.contactName),
    "sponsor_inquiries.email": most(sponsor.email),
    "sponsor_inquiries.phone": most(sponsor.phone),
    "sponsor_inquiries.message": most(sponsor.message.unwrap()),
    "products.name": maxLengths.itemName,
    "products.description": maxLengths.itemDescription,
    "shop_settings.fee_name": maxLengths.feeName,
    "promo_codes.note": maxLengths.promoNote,
    "messages.subject": maxLengths.messageSubject,
    "messages.body": maxLengths.longText,
    // No form has these fields.
    "vendor_applications.booth_size_requested": maxLengths.name,
    "vendor_applications.special_requests": maxLengths.longText,
  });
});

it("reasons, notes and tags of the back office are as long as its forms accept", async () => {
  const checks = await sql<{ column: string; most: string }>(
    `select format('%s.%s', c.conrelid::regclass, a.attname) as column,
         substring(pg_get_constraintdef(c.oid) from 'length\\(.*<= ([0-9]+)') as most
       from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
       where c.contype = 'c' and cardinality(c.conkey) = 1 and pg_get_constraintdef(c.oid) like '%length(%'
         and c.conrelid in ('public.till_shifts'::regclass, 'public.till_payments'::regclass, 'public.guest_lists'::regclass,
           'public.comps'::regclass, 'public.order_notes'::regclass, 'public.order_tags'::regclass)`,
  );
  expect(Object.fromEntries(checks.map(({ column, most }) => [column, Number(most)]))).toEqual({
    "till_shifts.note": doorLimits.note,
    "till_payments.reason": doorLimits.reason,
    "guest_lists.reason": doorLimits.reason,
    "comps.revoke_reason": doorLimits.reason,
    "order_notes.body": doorLimits.orderNote,
    "order_tags.tag": doorLimits.tag,
  });
});

it.each([
  ["ticket_types", "name"],
  ["parking_passes", "type_name"],
])("%s are free or cost between the contract's bounds", async (table, name) => {
  const add = (price: number) =>
    sql(
      `insert into public.${table} (${name}, price, current_inventory, total_inventory) values ($1, $2, 1, 1)`,
      `Entry for ${price}`,
      price,
    );
  for (const price of [0, priceBounds.charged, priceBounds.most])
    await expect(add(price)).resolves.toBeDefined();
  for (const price of [-1, 0.01, priceBounds.charged - 0.01, priceBounds.most + 0.01]) {
    await expect(add(price)).rejects.toMatchObject({ code: "23514" });
  }
});

it("refunds accept the contract's reasons and the note that goes with them", async () => {
  const ask = (reason: string, note: string | null) =>
    sql("select public.require_refund_reason($1, $2)", reason, note);
  for (const reason of Object.keys(refundReasons)) {
    await expect(ask(reason, text(MAX_REFUND_NOTE)), reason).resolves.toBeDefined();
    await expect(ask(reason, text(MAX_REFUND_NOTE + 1)), reason).rejects.toMatchObject({ code: "22023" });
  }
  for (const [reason, note] of [
    ["because", "it rained"],
    ["other", " "],
    ["other", null],
  ] as const) {
    await expect(ask(reason, note)).rejects.toMatchObject({ code: "22023" });
  }
});

const itemsOf = (items: number, units: number) =>
  JSON.stringify(
    Array.from({ length: items }, (_, n) => ({ type: "ticket", id: uuid(n), quantity: n === 0 ? units : 1 })),
  );
const carts = [
  [cartLimits.items, 1, true],
  [cartLimits.items + 1, 1, false],
  [1, cartLimits.units, true],
  [1, cartLimits.units + 1, false],
] as const;

it("a promo code is as long as its field", async () => {
  const add = (code: string) =>
    office.refusal("admin", `insert into public.promo_codes (code, percent_off) values ('${code}', 10)`);
  expect(await add(text(maxLengths.promoCode))).toBeUndefined();
  expect(await add(text(maxLengths.promoCode + 1))).toBe("23514");
});

it.each(carts)(
  "the door sells %i items, %i of the first: %s, then looks them up",
  async (items, units, good) => {
    await expect(
      sql("select public.direct_lines($1::jsonb, false)", itemsOf(items, units)),
    ).rejects.toMatchObject({ code: good ? "PT409" : "22023" });
  },
);

it("a buyer may wait for as many tickets as the form offers", async () => {
  await office.sql("update public.ticket_types set current_inventory = 0");
  const wait = (tickets: number) =>
    office.refusal(
      "other",
      `select public.join_waitlist((select id from public.ticket_types where is_vip), ${tickets})`,
    );
  expect(await wait(waitlistLimit)).toBeUndefined();
  expect(await wait(waitlistLimit + 1)).toBe("23514");
});

describe("the gate", () => {
  let gate: GateWorld;
  let phone: Phone;
  beforeAll(async () => {
    gate = await openGateWorld(db);
    phone = await gate.phone();
  });
  const body = async (name: string) => {
    const [row] = await sql<{ body: string }>("select prosrc as body from pg_proc where proname = $1", name);
    return row!.body;
  };

  it.each([
    ["gate_entrances.name", gateLimits.entranceName],
    ["gate_invitations.label", gateLimits.invitationLabel],
    ["gate_invitations.phones", gateLimits.phones],
    ["entry_codes.plate", gateLimits.plate],
    ["gate_devices.name", gateLimits.deviceName + " 999".length],
  ])("%s holds up to %i", async (column, most) => {
    const [row] = await sql<{ definition: string }>(
      `select pg_get_constraintdef(c.oid) as definition
         from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
         where c.contype = 'c' and cardinality(c.conkey) = 1 and replace(format('%s.%s', c.conrelid::regclass, a.attname), 'public.', '') = $1`,
      column,
    );
    expect(row!.definition).toContain(`<= ${most})`);
  });

  it("cuts a device's name where its field ends", async () => {
    const opened = await phone.open(text(gateLimits.deviceName + 1));
    expect(opened.device.name).toBe(text(gateLimits.deviceName));
  });

  it("makes invitations as the dialog writes them", async () => {
    const [day] = await sql<{ today: string }>("select public.festival_day(now())::text as today");
    const make = (label: string, phones: number) =>
      gate.call(gate.admin, "create_gate_invitation", [label, null, day!.today, phones]);
    await expect(make(text(gateLimits.invitationLabel), gateLimits.phones)).resolves.toBeDefined();
    const refused = { code: "22023" };
    await expect(make(text(gateLimits.invitationLabel + 1), 1)).rejects.toMatchObject(refused);
    await expect(make("Crew", gateLimits.phones + 1)).rejects.toMatchObject(refused);
  });

  it("takes as many scans a call as the contract says, and lists as many rows", async () => {
    const scans = (many: number) =>
      phone.scan(...Array.from({ length: many }, () => ({ action: "refused" as const })));
    expect(await scans(gateLimits.scans)).toHaveLength(gateLimits.scans);
    await expect(scans(gateLimits.scans + 1)).rejects.toMatchObject({ code: "22023" });
    expect(await body("gate_list")).toContain(`least(greatest(p_limit, 1), ${gateLimits.rows});`);
  });

  it("reads a plate and a reason as long as their fields", async () => {
    const scan = { plate: "P".repeat(gateLimits.plate + 1), reason: text(gateLimits.undoReason + 1) };
    const [row] = await sql<{ plate: string; reason: string }>(
      "select s.plate, s.reason from public.read_scan($1::jsonb, null, null) as s",
      JSON.stringify(scan),
    );
    expect(row).toEqual({ plate: scan.plate.slice(1), reason: scan.reason.slice(1) });
    for (const name of ["check_in_code", "undo_admission"])
      expect(await body(name)).toContain(`left(nullif(btrim(p_reason), ''), ${gateLimits.undoReason})`);
  });
});
