// Rows for tests of who may see and do what: every table gets at least one, of the paid order or its buyer where possible.

type Sql = (text: string, ...values: unknown[]) => Promise<unknown>;

interface People {
  readonly buyer: string;
  readonly gate: string;
  readonly order: string;
  /** The payment of that order. */
  readonly paid: string;
}

export async function fillEveryTable(sql: Sql, people: People): Promise<void> {
  await addMoney(sql, people);
  await addMessages(sql);
  await addVisits(sql);
  await addForms(sql);
  await addCodes(sql, people);
  await addHandingOn(sql);
  await addGate(sql, people);
  await addDoor(sql, people);
  await addShop(sql, people);
}

async function addMoney(sql: Sql, { order, paid }: People): Promise<void> {
  await sql(
    "insert into public.refunds (payment_intent_id, order_id, amount, reason, status) values ($1, $2, 1, 'test', 'failed')",
    paid,
    order,
  );
  await sql("insert into public.outbox (kind, payload, dedupe_key) values ('refund', '{}', 'refund:test')");
  await sql(
    "insert into public.order_returns (order_item_id, units, amount) select id, 0, 0 from public.order_items",
  );
  await sql(
    "select public.note_dispute('dp_test', $1, 4500, 'usd', 'fraudulent', 'needs_response', now(), now(), now())",
    paid,
  );
  await sql(
    `select public.keep_provider_transactions('[{"id": "txn_test", "category": "charge", "about_id": "pi_test_1", "cents": 4500,
      "fee_cents": 161, "currency": "usd", "status": "available", "created_at": "2026-01-01T00:00:00Z"}]')`,
  );
  await sql(
    "insert into public.refund_attempts (key, order_id, cents) select gen_random_uuid(), order_id, 1 from public.refunds",
  );
  await sql("insert into public.card_declines values ('evt_test', $1, now() - interval '1 day')", order);
  await sql("insert into public.refund_notes (refund_id, note) select id, 'test' from public.refunds");
  await sql(`with run as (insert into public.refund_runs (filter, reason, orders_found, cents_found)
      values ('{"status": "confirmed"}', 'goodwill', 1, 4500) returning id)
    insert into public.refund_run_skips (run_id, order_id, message) select run.id, o.id, 'test' from run, public.orders o`);
}

async function addMessages(sql: Sql): Promise<void> {
  await sql(
    "insert into public.messages (id, subject, body, audience) values ('0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e4002', 'Doors', 'At nine.', '{}')",
  );
  await sql(`insert into public.message_recipients (message_id, number, name, email)
    values ('0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e4002', 1, 'Ana', 'ana@people.test')`);
  await sql("select public.record_mail_bounce('ana@people.test', 'No such user')");
  await sql("select public.answer_opt_out(public.opt_out_token('olga@people.test'), false)");
  await sql(
    "insert into public.festival_changes (kind, starts_at_before, starts_at, refunds, request_hash) values ('moved', now(), now(), 'none', '')",
  );
}

async function addVisits(sql: Sql): Promise<void> {
  await sql(
    "insert into public.site_visits (session_id, page_path) values ('earlier-session', '/'), ('seeded-session', '/')",
  );
  await sql("insert into public.visit_sources values (date_trunc('hour', now()), 'address 203.0.113.1', 1)");
}

async function addForms(sql: Sql): Promise<void> {
  await sql("select public.consume_rate_limit('test', 1, 1)");
  await sql(`insert into public.vendor_applications (booth_name, contact_name, contact_email, contact_phone, vendor_type,
    description, products, description_of_goods) values ('Booth', 'Ana', 'ana@people.test', '713-555-0100', 'food', '', '', '')`);
  await sql(`insert into public.sponsor_inquiries (company_name, contact_name, email, phone)
    values ('Bank', 'Ana', 'ana@people.test', '713-555-0100')`);
}

async function addCodes(sql: Sql, { order, buyer }: People): Promise<void> {
  await sql(
    `insert into public.entry_codes (order_id, order_item_id, product_id, kind, user_id, position)
      select $1, i.id, p.id, 'parking', $2, 99 from public.order_items i, public.parking_passes p where i.order_id = $1 and p.is_general`,
    order,
    buyer,
  );
  await sql("update public.entry_codes set qr_code_data = 'code', qr_code_url = 'https://codes.test/1.png'");
  await sql(`insert into public.entry_keys values ('key', '{"x": "x"}')`);
}

async function addHandingOn(sql: Sql): Promise<void> {
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
}

async function addGate(sql: Sql, { gate }: People): Promise<void> {
  await sql(
    "insert into public.gate_devices (id, name, user_id) values ('0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e4001', 'North', $1)",
    gate,
  );
  await sql(
    `insert into public.admissions (id, code_id, device_id, device_name, admitted_at, undone_at, undo_reason)
      select gen_random_uuid(), t.id, d.id, d.name, now(), now(), 'test' from public.tickets t, public.gate_devices d`,
  );
  await sql(
    "insert into public.gate_refusals (id, device_id, device_name, reason, scanned_at) select gen_random_uuid(), id, name, 'unknown', now() from public.gate_devices",
  );
  await sql(
    "insert into public.gate_invitations (token_hash, label, expires_at) values (sha256('x'), 'Volunteers', now() + interval '1 day')",
  );
  await sql("insert into public.gate_places select id, 'gate-x@gate.invalid' from public.gate_invitations");
}

async function addDoor(sql: Sql, { order, gate }: People): Promise<void> {
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
}

async function addShop(sql: Sql, { order, buyer }: People): Promise<void> {
  await sql("insert into public.staff_invitations (email, role) values ('new@staff.test', 'gate')");
  await sql("select public.broadcast_stock(), public.broadcast_scans()");
  await sql("insert into storage.objects (bucket_id, name) values ('festival-pictures', 'seeded.png')");
  await sql(
    "insert into public.waitlist_entries (ticket_type_id, user_id, quantity, state) select id, $1, 1, 'left' from public.ticket_types limit 1",
    buyer,
  );
  await sql("insert into public.promo_codes (code, percent_off) values ('SUMMER', 10)");
  await sql(
    "insert into public.order_notes (order_id, body, author_email) values ($1, 'Called', 'admin@people.test')",
    order,
  );
  await sql("insert into public.order_tags (order_id, tag) values ($1, 'press')", order);
  await sql("insert into public.former_buyers values ($1, public.address_hash('a@people.test'))", order);
}
