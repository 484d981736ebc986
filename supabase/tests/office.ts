// A festival with two buyers and an administrator for tests of who may do what: every table has at least one row of the
// first buyer. Hides how a statement is run as somebody; everything an attempt changes is rolled back.
import { randomUUID } from "node:crypto";
import type { Row } from "../../server/src/postgres/executor.ts";
import type { RequestScope } from "../../server/src/postgres/request-scope.ts";
import type { TestDatabase } from "../../server/testing/database.ts";

export type Who = "anon" | "buyer" | "other" | "admin" | "finance" | "gate";

export interface Office {
  readonly buyer: string;
  readonly admin: string;
  /** Confirmed, of the buyer. */
  readonly order: string;
  /** Not yet paid, of the buyer. */
  readonly pending: string;
  sql<T extends Row = Row>(text: string, ...values: unknown[]): Promise<T[]>;
  /** Rows of the table that `who` sees; 0 too when refused. */
  count(who: Who, table: string): Promise<number>;
  total(table: string): Promise<number>;
  /** Rows the statement changed or returned; 0 when refused. Undone. */
  attempt(who: Who, statement: string, headers?: Record<string, string>): Promise<number>;
  /** The SQLSTATE of the refusal. */
  refusal(who: Who, statement: string): Promise<string | undefined>;
  /** Runs it for good. */
  as<T extends Row = Row>(
    who: Who,
    statement: string,
    values?: unknown[],
    headers?: Record<string, string>,
  ): Promise<T[]>;
}

class Undo extends Error {
  readonly rows: number;
  constructor(rows: number) {
    super("undo");
    this.rows = rows;
  }
}

export async function openOffice({ database }: TestDatabase): Promise<Office> {
  const service = database.asService("tests look at everything");
  const sql = async <T extends Row>(text: string, ...values: unknown[]) =>
    (await service.query<T>(text, values)).rows;
  const buyer = await newUser();
  const other = await newUser();
  const admin = await newUser();
  await sql(
    "insert into public.user_roles (user_id, role) values ($1, 'admin'), ($2, 'admin')",
    admin,
    await newUser(),
  );
  await sql("insert into public.user_roles (user_id, role) values ($1, 'user')", buyer);
  const finance = await newUser();
  const gate = await newUser();
  await sql(
    "insert into public.user_roles (user_id, role) values ($1, 'finance'), ($2, 'gate')",
    finance,
    gate,
  );
  const order = await reserve();
  const paid = "pi_test_1";
  await sql("select public.confirm_order($1, $2, 4500)", order, paid);
  await sql(
    "insert into public.refunds (payment_intent_id, order_id, amount, reason, status) values ($1, $2, 1, 'test', 'failed')",
    paid,
    order,
  );
  await sql("insert into public.outbox (kind, payload, dedupe_key) values ('refund', '{}', 'refund:test')");
  await sql(
    "insert into public.messages (id, subject, body, audience) values ('0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e4002', 'Doors', 'At nine.', '{}')",
  );
  await sql(`insert into public.message_recipients (message_id, number, name, email)
    values ('0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e4002', 1, 'Ana', 'ana@people.test')`);
  await sql("select public.record_mail_bounce('ana@people.test', 'No such user')");
  await sql(
    "insert into public.festival_changes (kind, starts_at_before, starts_at, refunds) values ('moved', now(), now(), 'none')",
  );
  await sql(
    "select public.note_dispute('dp_test', $1, 4500, 'usd', 'fraudulent', 'needs_response', now(), now())",
    paid,
  );
  await sql(
    `select public.keep_provider_transactions('[{"id": "txn_test", "category": "charge", "about_id": "pi_test_1", "cents": 4500,
      "fee_cents": 161, "currency": "usd", "status": "available", "created_at": "2026-01-01T00:00:00Z"}]')`,
  );
  await sql("insert into public.refund_notes (refund_id, note) select id, 'test' from public.refunds");
  await sql(`with run as (insert into public.refund_runs (filter, reason, orders_found, cents_found)
      values ('{"status": "confirmed"}', 'goodwill', 1, 4500) returning id)
    insert into public.refund_run_skips (run_id, order_id, message) select run.id, o.id, 'test' from run, public.orders o`);
  const pending = await reserve();
  await sql("select public.consume_rate_limit('test', 1, 1)");
  await sql(`insert into public.vendor_applications (booth_name, contact_name, contact_email, contact_phone, vendor_type,
    description, products, description_of_goods) values ('Booth', 'Ana', 'ana@people.test', '713-555-0100', 'food', '', '', '')`);
  await sql(`insert into public.sponsor_inquiries (company_name, contact_name, email, phone)
    values ('Bank', 'Ana', 'ana@people.test', '713-555-0100')`);
  const visit = "insert into public.site_visits (session_id, page_path) values ($1, '/')";
  await sql(visit, "rolled-up-session");
  await sql("select public.roll_up()");
  await sql(
    `insert into public.ticket_transfers (offer_id, ticket_id, order_id, ticket_name, token_hash, from_user_id, from_name, from_attendee,
        to_name, to_email, state, ended_at)
      select gen_random_uuid(), id, order_id, 'General Admission', sha256('x'), user_id, 'Ana', 'Ana', 'Ben', 'ben@people.test', 'recalled', now()
      from public.tickets`,
  );
  await sql(
    `insert into public.attendee_corrections (ticket_id, order_id, corrected_by, by_admin, old_name, old_email, new_name, new_email)
      select id, order_id, user_id, false, 'Anna', attendee_email, attendee_name, attendee_email from public.tickets`,
  );
  await sql(visit, "seeded-session");
  await sql(
    `insert into public.parking_permits (order_id, order_item_id, parking_pass_id, user_id, position)
      select $1, i.id, p.id, $2, 1 from public.order_items i, public.parking_passes p where i.order_id = $1 and p.is_general`,
    order,
    buyer,
  );
  await sql("update public.tickets set qr_code_data = 'code', qr_code_url = 'https://codes.test/1.png'");
  await sql(
    "update public.parking_permits set qr_code_data = 'code', qr_code_url = 'https://codes.test/2.png'",
  );
  await sql(
    "insert into public.gate_devices (id, name, user_id) values ('0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e4001', 'North', $1)",
    gate,
  );
  await sql(
    `insert into public.admissions (id, ticket_id, device_id, device_name, admitted_at, undone_at, undo_reason)
      select gen_random_uuid(), t.id, d.id, d.name, now(), now(), 'test' from public.tickets t, public.gate_devices d`,
  );
  await sql(
    "insert into public.gate_refusals (id, device_id, device_name, reason, scanned_at) select gen_random_uuid(), id, name, 'unknown', now() from public.gate_devices",
  );
  await sql("insert into public.staff_invitations (email, role) values ('new@staff.test', 'gate')");
  await sql("select public.broadcast_stock()");
  await sql("insert into storage.objects (bucket_id, name) values ('festival-pictures', 'seeded.png')");
  await sql(
    "insert into public.gate_invitations (token_hash, label, expires_at) values (sha256('x'), 'Volunteers', now() + interval '1 day')",
  );
  await sql(
    "insert into public.waitlist_entries (ticket_type_id, user_id, quantity, state) select id, $1, 1, 'left' from public.ticket_types limit 1",
    buyer,
  );
  await sql("insert into public.promo_codes (code, percent_off) values ('SUMMER', 10)");
  await sql(`insert into public.entry_keys values ('key', '{"x": "x"}')`);
  await sql(
    "insert into public.till_shifts (id, seller_id, seller_email, float_amount) values ('0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e5001', $1, 'gate@people.test', 50)",
    gate,
  );
  await sql(
    `insert into public.till_payments (id, shift_id, order_id, kind, method, amount)
      values (gen_random_uuid(), '0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e5001', $1, 'sale', 'cash', 45)`,
    order,
  );
  await sql(`insert into public.guest_lists (id, reason, ticket_type_id, guests, request_hash, issued_by_email)
    select '0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e6001', 'Press', id, 1, 'hash', '' from public.ticket_types where is_vip`);
  await sql(
    "insert into public.comps (order_id, guest_list_id) values ($1, '0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e6001')",
    order,
  );
  await sql(
    "insert into public.order_notes (order_id, body, author_email) values ($1, 'Called', 'admin@people.test')",
    order,
  );
  await sql("insert into public.order_tags (order_id, tag) values ($1, 'press')", order);
  await sql("insert into public.visit_sources values (date_trunc('hour', now()), 'address 203.0.113.1', 1)");

  async function newUser(): Promise<string> {
    const id = randomUUID();
    await sql("insert into auth.users (id, email) values ($1, $2)", id, `${id}@people.test`);
    return id;
  }

  async function reserve(): Promise<string> {
    const [type] = await sql("select id from public.ticket_types where name = 'General Admission'");
    const cart = {
      user_id: buyer,
      idempotency_key: randomUUID(),
      request_hash: "hash",
      items: [{ type: "ticket", id: type?.id, quantity: 1 }],
      attendees: [{ name: "Ana", email: "ana@people.test" }],
      buyer: { name: "Ana Reyes", email: "ana@people.test", phone: "713-555-0100" },
      total_cents: 4500,
    };
    const [row] = await sql("select public.reserve_orders($1::jsonb) as answer", JSON.stringify([cart]));
    if (!row?.answer[0].ok) throw new Error(`not reserved: ${JSON.stringify(row?.answer)}`);
    return row.answer[0].order_id as string;
  }

  function scopeOf(who: Who, headers: Record<string, string> = {}): RequestScope {
    const sub = { buyer, other, admin, finance, gate, anon: undefined }[who];
    return {
      claims: sub ? { role: "authenticated", sub } : { role: "anon" },
      headers,
    };
  }

  async function tryOut(who: Who, statement: string, headers?: Record<string, string>): Promise<number> {
    try {
      return await database.transaction(scopeOf(who, headers), async (tx) => {
        const { rowCount } = await tx.query(statement);
        throw new Undo(rowCount ?? 0);
      });
    } catch (error) {
      if (error instanceof Undo) return error.rows;
      throw error;
    }
  }

  const code = (error: unknown) => (error as { code?: string }).code;
  return {
    buyer,
    admin,
    order,
    pending,
    sql,
    async count(who, table) {
      return tryOut(who, `select from public.${table}`).catch((error: unknown) => {
        if (code(error) === "42501") return 0;
        throw error;
      });
    },
    async total(table) {
      const [row] = await sql<{ rows: number }>(`select count(*)::int as rows from public.${table}`);
      return row?.rows ?? 0;
    },
    async attempt(who, statement, headers) {
      return tryOut(who, statement, headers).catch((error: unknown) => {
        if (code(error) === "42501") return 0;
        throw error;
      });
    },
    async refusal(who, statement) {
      return tryOut(who, statement).then(() => undefined, code);
    },
    async as(who, statement, values = [], headers) {
      return database.transaction(
        scopeOf(who, headers),
        async (tx) => (await tx.query(statement, values)).rows as never[],
      );
    },
  };
}
