// Who can do what to which table and which function: the whole table, can and cannot. It also walks the catalogue, so
// that a table or function nobody thought of here fails.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cloneDatabase, type TestDatabase } from "../../server/testing/database.ts";
import { openOffice, type Office, type Who } from "./office.ts";

let db: TestDatabase;
let office: Office;
beforeAll(async () => {
  db = await cloneDatabase();
  office = await openOffice(db);
});
afterAll(() => db?.close());

const everybody = ["anon", "buyer", "other", "admin", "finance", "gate"] as const;

/** Rows of buyer A that each may see: "own" means A sees them and B does not. */
const readable: Record<
  string,
  { anon: boolean; buyer: "own" | "all" | "none"; admin: boolean; staff?: readonly ("finance" | "gate")[] }
> = {
  admissions: { anon: false, buyer: "none", admin: true },
  attendee_corrections: { anon: false, buyer: "own", admin: true, staff: ["finance"] },
  audit_logs: { anon: false, buyer: "none", admin: true },
  comps: { anon: false, buyer: "none", admin: true },
  disputes: { anon: false, buyer: "none", admin: true, staff: ["finance"] },
  entry_keys: { anon: false, buyer: "none", admin: true },
  fee_totals: { anon: false, buyer: "none", admin: true, staff: ["finance"] },
  festival: { anon: true, buyer: "all", admin: true, staff: ["finance", "gate"] },
  festival_changes: { anon: false, buyer: "none", admin: true, staff: ["finance"] },
  festival_sections: { anon: true, buyer: "all", admin: true, staff: ["finance", "gate"] },
  gate_devices: { anon: false, buyer: "none", admin: true },
  gate_entrances: { anon: false, buyer: "none", admin: true, staff: ["gate"] },
  gate_invitations: { anon: false, buyer: "none", admin: true },
  gate_refusals: { anon: false, buyer: "none", admin: true },
  guest_lists: { anon: false, buyer: "none", admin: true },
  order_notes: { anon: false, buyer: "none", admin: true, staff: ["finance"] },
  order_tags: { anon: false, buyer: "none", admin: true, staff: ["finance"] },
  till_payments: { anon: false, buyer: "none", admin: true, staff: ["finance"] },
  till_shifts: { anon: false, buyer: "none", admin: true, staff: ["finance"] },
  gate_settings: { anon: false, buyer: "none", admin: true, staff: ["gate"] },
  order_permits: { anon: false, buyer: "none", admin: true, staff: ["finance"] },
  order_tickets: { anon: false, buyer: "none", admin: true, staff: ["finance"] },
  order_items: { anon: false, buyer: "own", admin: true, staff: ["finance"] },
  order_tallies: { anon: false, buyer: "none", admin: true, staff: ["finance"] },
  orders: { anon: false, buyer: "own", admin: true, staff: ["finance"] },
  mail_bounces: { anon: false, buyer: "none", admin: true },
  message_recipients: { anon: false, buyer: "none", admin: true },
  messages: { anon: false, buyer: "none", admin: true },
  // Finance reads refunds alone.
  outbox: { anon: false, buyer: "none", admin: true, staff: ["finance"] },
  parking_passes: { anon: true, buyer: "all", admin: true, staff: ["finance", "gate"] },
  parking_permits: { anon: false, buyer: "own", admin: true },
  payments: { anon: false, buyer: "own", admin: true, staff: ["finance"] },
  promo_codes: { anon: false, buyer: "none", admin: true, staff: ["finance"] },
  rate_limits: { anon: false, buyer: "none", admin: false },
  provider_books: { anon: false, buyer: "none", admin: true, staff: ["finance"] },
  provider_transactions: { anon: false, buyer: "none", admin: true, staff: ["finance"] },
  reconciliation: { anon: false, buyer: "none", admin: false },
  refund_notes: { anon: false, buyer: "none", admin: true, staff: ["finance"] },
  refund_run_skips: { anon: false, buyer: "none", admin: true, staff: ["finance"] },
  refund_runs: { anon: false, buyer: "none", admin: true, staff: ["finance"] },
  refunds: { anon: false, buyer: "own", admin: true, staff: ["finance"] },
  sales_hours: { anon: false, buyer: "none", admin: true, staff: ["finance"] },
  sales_totals: { anon: false, buyer: "none", admin: true, staff: ["finance"] },
  shop_settings: { anon: false, buyer: "none", admin: true },
  site_visits: { anon: false, buyer: "none", admin: true },
  sponsor_inquiries: { anon: false, buyer: "none", admin: true },
  staff_invitations: { anon: false, buyer: "none", admin: true },
  staff_settings: { anon: false, buyer: "none", admin: true },
  ticket_transfers: { anon: false, buyer: "own", admin: true, staff: ["finance"] },
  ticket_types: { anon: true, buyer: "all", admin: true, staff: ["finance", "gate"] },
  tickets: { anon: false, buyer: "own", admin: true },
  user_days: { anon: false, buyer: "none", admin: true },
  // Their own row.
  user_roles: { anon: false, buyer: "own", admin: true, staff: ["finance", "gate"] },
  vendor_applications: { anon: false, buyer: "none", admin: true },
  waitlist_entries: { anon: false, buyer: "own", admin: true },
  visit_days: { anon: false, buyer: "none", admin: true },
  visit_hours: { anon: false, buyer: "none", admin: true },
  visit_pages: { anon: false, buyer: "none", admin: true },
  visit_sessions: { anon: false, buyer: "none", admin: false },
  visit_sources: { anon: false, buyer: "none", admin: false },
  visit_tail: { anon: false, buyer: "none", admin: false },
};

const behind: Record<string, string> = { order_permits: "parking_permits", order_tickets: "tickets" };

describe("reading", () => {
  it("is decided here for every table", async () => {
    const tables = await office.sql(
      `select relname, relkind, relrowsecurity, (select count(*)::int from pg_policy where polrelid = c.oid) as policies
       from pg_class c where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v') order by 1`,
    );
    const names = tables.map(({ relname }) => relname);
    expect(Object.keys(readable).filter((name) => !names.includes(name))).toEqual([]);
    const undecided = names.filter((name) => !(name in readable));
    // A table that came later is safe as long as nobody but the service may touch it.
    for (const name of undecided) {
      for (const who of everybody) {
        expect(await office.count(who, name), `${who} reads ${name}`).toBe(0);
      }
    }
    const own = tables.filter(({ relkind }) => relkind !== "v");
    expect(own.filter(({ relrowsecurity }) => !relrowsecurity)).toEqual([]);
    expect(own.filter(({ policies }) => policies === 0)).toEqual([]);
  });

  for (const [table, may] of Object.entries(readable)) {
    it(`${table}: anon ${may.anon ? "can" : "cannot"}, a buyer sees ${may.buyer}, an admin ${may.admin ? "can" : "cannot"}, also ${may.staff?.join(" and ") ?? "nobody"}`, async () => {
      expect(await office.total(behind[table] ?? table), "there is something to see").toBeGreaterThan(0);
      const seen = {
        anon: (await office.count("anon", table)) > 0,
        buyer: (await office.count("buyer", table)) > 0,
        // Whoever else signed in sees nothing of the first buyer's.
        other: (await office.count("other", table)) > 0,
        admin: (await office.count("admin", table)) > 0,
        finance: (await office.count("finance", table)) > 0,
        gate: (await office.count("gate", table)) > 0,
      };
      expect(seen).toEqual({
        anon: may.anon,
        buyer: may.buyer !== "none",
        other: may.buyer === "all",
        admin: may.admin,
        finance: may.staff?.includes("finance") ?? false,
        gate: may.staff?.includes("gate") ?? false,
      });
    });
  }
});

describe("an entry code", () => {
  const columns = async () =>
    office.sql<{ relname: string; attname: string }>(
      `select c.relname, a.attname from pg_attribute a join pg_class c on c.oid = a.attrelid
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm') and a.attname like 'qr_code%'
       order by 1, 2`,
    );

  it("is in these columns alone", async () => {
    expect((await columns()).map(({ relname, attname }) => `${relname}.${attname}`)).toEqual([
      "parking_permits.qr_code_data",
      "parking_permits.qr_code_url",
      "tickets.qr_code_data",
      "tickets.qr_code_url",
    ]);
  });

  it("is read by its owner and administrators, not by finance and the gate", async () => {
    for (const { relname, attname } of await columns()) {
      const readers: Who[] = [];
      for (const who of everybody) {
        const seen = await office.attempt(
          who,
          `select ${attname} from public.${relname} where ${attname} is not null`,
        );
        if (seen > 0) readers.push(who);
      }
      expect(readers, `${relname}.${attname}`).toEqual(["buyer", "admin"]);
    }
  });

  it("is not behind a view that finance could write through or look behind", async () => {
    for (const view of ["order_tickets", "order_permits"]) {
      for (const write of [`update public.${view} set issue_number = 9`, `delete from public.${view}`]) {
        expect(await office.refusal("finance", write)).toBe("42501");
      }
      const options = await office.sql("select reloptions from pg_class where relname = $1", view);
      expect(options[0]?.reloptions).toContain("security_barrier=true");
    }
  });
});

/** Statements that would change something, with who may: everybody else is refused or changes no row. */
const writes: readonly (readonly [what: string, statement: string, allowed: readonly Who[]])[] = [
  ["edit a ticket type", "update public.ticket_types set description = 'x'", ["admin"]],
  ["move held stock", "update public.ticket_types set held = 0", []],
  ["move sold stock", "update public.parking_passes set sold = 0", []],
  ["edit a parking pass", "update public.parking_passes set description = 'x'", ["admin"]],
  [
    "add a ticket type",
    "insert into public.ticket_types (name, price, current_inventory, total_inventory) values ('x', 1, 1, 1)",
    ["admin"],
  ],
  [
    "add a ticket type with tickets sold",
    "insert into public.ticket_types (name, price, current_inventory, total_inventory, sold) values ('x', 1, 1, 2, 1)",
    [],
  ],
  [
    "add a parking pass",
    "insert into public.parking_passes (type_name, price, current_inventory, total_inventory) values ('x', 1, 1, 1)",
    ["admin"],
  ],
  ["stop the sale of a ticket type", "update public.ticket_types set on_sale = false", ["admin"]],
  ["hide a parking pass", "update public.parking_passes set is_hidden = true", ["admin"]],
  ["add a promo code", "insert into public.promo_codes (code, percent_off) values ('FREE', 100)", ["admin"]],
  ["pause a promo code", "update public.promo_codes set is_paused = true", ["admin"]],
  ["forget a promo code's uses", "update public.promo_codes set used = 0, held = 0", []],
  ["delete a promo code", "delete from public.promo_codes", []],
  [
    "ask finance for a second step",
    "update public.staff_settings set two_step_roles = '{finance}'",
    ["admin"],
  ],
  ["add settings of the staff", "insert into public.staff_settings (only_row) values (true)", []],
  ["stop the shop", "update public.shop_settings set on_sale = false", ["admin"]],
  ["delete a ticket type", "delete from public.ticket_types", []],
  ["confirm an order", "update public.orders set status = 'confirmed'", []],
  ["take over orders", "update public.orders set user_id = auth.uid()", []],
  ["delete orders", "delete from public.orders", []],
  ["change a price paid", "update public.order_items set unit_price = 0", []],
  ["scan a ticket", "update public.tickets set checked_in_at = now()", []],
  ["take over a ticket", "update public.tickets set user_id = auth.uid()", []],
  ["accept a transfer without its link", "update public.ticket_transfers set to_user_id = auth.uid()", []],
  ["take a transfer back without the function", "delete from public.ticket_transfers", []],
  ["read a transfer's token", "select token_hash from public.ticket_transfers", []],
  ["forget a correction", "delete from public.attendee_corrections", []],
  ["mark a payment paid", "update public.payments set status = 'succeeded'", []],
  ["invent a refund", "update public.refunds set amount = 999", []],
  [
    "make oneself admin",
    "insert into public.user_roles (user_id, role) values ((select auth.uid()), 'admin') on conflict (user_id) do update set role = 'admin'",
    ["admin"],
  ],
  [
    "demote admins",
    "update public.user_roles set role = 'user' where role = 'admin' and user_id <> auth.uid()",
    ["admin"],
  ],
  ["remove roles", "delete from public.user_roles where user_id <> auth.uid()", ["admin"]],
  ["decide on vendors", "update public.vendor_applications set status = 'approved'", ["admin"]],
  ["rewrite an application", "update public.vendor_applications set booth_name = 'x'", []],
  ["apply without the function", "insert into public.vendor_applications (booth_name) values ('x')", []],
  ["inquire without the function", "insert into public.sponsor_inquiries (company_name) values ('x')", []],
  ["change the settings", "update public.shop_settings set max_tickets_per_buyer = 21", ["admin"]],
  ["write the audit log", "insert into public.audit_logs (action_type) values ('x')", []],
  ["empty the audit log", "delete from public.audit_logs", []],
  ["rewrite the audit log", "update public.audit_logs set action_type = 'x'", []],
  [
    "queue a mail",
    "insert into public.outbox (kind, payload, dedupe_key) values ('order_mail', '{}', 'x')",
    [],
  ],
  ["touch others' visits", "update public.site_visits set visit_duration = 1", []],
  ["delete visits", "delete from public.site_visits", []],
  ["change the waitlist without the function", "update public.waitlist_entries set state = 'waiting'", []],
  ["be offered more", "update public.waitlist_entries set offered = 10", []],
  ["change the fees collected", "update public.fee_totals set collected = 0", []],
  ["set a fee", "update public.shop_settings set fee_percent = 5", ["admin"]],
  ["change the totals", "update public.sales_totals set sold = 0", []],
  ["change the provider's books", "update public.provider_transactions set cents = 0", []],
  ["let in a permit", "update public.parking_permits set checked_in_at = now()", []],
  ["add an entrance", "insert into public.gate_entrances (name, admits) values ('Side', 'both')", ["admin"]],
  ["close an entrance", "update public.gate_entrances set is_open = false", ["admin"]],
  ["remove an entrance", "delete from public.gate_entrances where name = 'Parking'", ["admin"]],
  ["close the doors", "update public.gate_settings set doors_close_at = now()", ["admin"]],
  ["rename a device", "update public.gate_devices set name = 'x'", []],
  ["restore a device without the function", "update public.gate_devices set revoked_at = null", []],
  [
    "undo an admission without the function",
    "update public.admissions set undone_at = now(), undo_reason = 'x'",
    [],
  ],
  ["forget an admission", "delete from public.admissions", []],
  ["forget a refusal", "delete from public.gate_refusals", []],
  ["invite without the function", "insert into public.gate_invitations (label) values ('x')", []],
  ["read an invitation's token", "select token_hash from public.gate_invitations", []],
  ["invent an entry key", "insert into public.entry_keys values ('x', '{\"x\": \"x\"}')", []],
  [
    "make a role an invitation's",
    "update public.user_roles set invitation_id = gen_random_uuid() where user_id <> auth.uid()",
    [],
  ],
  ["move the festival without the function", "update public.festival set starts_at = now()", []],
  ["publish without the function", "update public.festival_sections set content = content", []],
  ["draft without the function", "update public.festival_sections set draft = '{}'", []],
  ["remove a section", "delete from public.festival_sections", []],
  ["read the drafts without the function", "select draft, updated_by from public.festival_sections", []],
  ["let oneself sell", "update public.user_roles set sells_at_door = true where role = 'gate'", ["admin"]],
  ["empty a till", "update public.till_payments set amount = 1", []],
  ["forget a till", "delete from public.till_shifts", []],
  ["give oneself a comp", "insert into public.comps (order_id) select id from public.orders", []],
  ["rewrite a guest list", "update public.guest_lists set reason = 'x'", []],
  ["rewrite a note", "update public.order_notes set body = 'x'", []],
  ["tag without the function", "insert into public.order_tags select id, 'x' from public.orders", []],
  ["rename a buyer without the function", "update public.orders set buyer_email = 'x@people.test'", []],
  ["change the tallies", "update public.order_tallies set orders = 0", []],
];

describe("writing", () => {
  for (const [what, statement, allowed] of writes) {
    it(`${what}: ${allowed.length > 0 ? allowed.join(", ") : "nobody"}`, async () => {
      const able: Who[] = [];
      for (const who of everybody) {
        if ((await office.attempt(who, statement)) > 0) able.push(who);
      }
      expect(able).toEqual(allowed);
    });
  }
});

describe("a hidden ticket type", () => {
  it("is seen by administrators, and by those who hold a ticket of it", async () => {
    const seen = async () => {
      const all = await Promise.all(
        (["anon", "buyer", "other", "admin"] as const).map((who) => office.count(who, "ticket_types")),
      );
      return all.map((count) => count - 2);
    };
    const [{ total }] = (await office.sql("select count(*)::int as total from public.ticket_types")) as [
      { total: number },
    ];
    expect(total).toBe(3);
    const hide = "update public.ticket_types set is_hidden = $1 where name = 'General Admission'";
    expect(await seen()).toEqual([1, 1, 1, 1]);
    await office.sql(hide, true);
    expect(await seen()).toEqual([0, 1, 0, 1]);
    await office.sql(hide, false);
  });
});

describe("a visitor", () => {
  const visit = `insert into public.site_visits (session_id, page_path) values ('session-of-ana', '/') returning id`;

  it("records a visit under the session it names, and no other", async () => {
    expect(await office.attempt("anon", visit, { "x-visit-session": "session-of-ana" })).toBe(1);
    expect(await office.attempt("anon", visit, { "x-visit-session": "session-of-ben" })).toBe(0);
  });

  it("learns the id of a visit without a session, and sees none of anybody's", async () => {
    expect(await office.attempt("anon", visit)).toBe(1);
    expect(await office.attempt("buyer", visit)).toBe(1);
    expect(await office.attempt("anon", "select id from public.site_visits")).toBe(0);
  });

  it("cannot write a visit in another user's name", async () => {
    const named = `insert into public.site_visits (session_id, page_path, user_id)
      values ('session-of-ana', '/', '${office.buyer}')`;
    const headers = { "x-visit-session": "session-of-ana" };
    expect(await office.attempt("anon", named, headers)).toBe(0);
    expect(await office.attempt("other", named, headers)).toBe(0);
    expect(await office.attempt("buyer", named, headers)).toBe(1);
  });

  it("updates its own duration by the database's clock, and nothing else of it", async () => {
    const headers = { "x-visit-session": "seeded-session" };
    const far = `update public.site_visits set visit_duration = 30, updated_at = '2999-01-01'`;
    expect(await office.attempt("anon", far, { "x-visit-session": "another-session" })).toBe(0);
    expect(await office.attempt("anon", far, headers)).toBe(1);
    expect(
      await office.attempt(
        "anon",
        `${far} where updated_at < '2900-01-01' returning updated_at < now() + interval '1 s'`,
        headers,
      ),
    ).toBe(1);
    expect(await office.attempt("anon", "update public.site_visits set page_path = '/x'", headers)).toBe(0);
  });
});

describe("record_visits", () => {
  const id = "0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e9001";
  const ana = { "x-visit-session": "session-of-ana" };
  const call = (visit: object) =>
    `select public.record_visits('${JSON.stringify([{ id, page_path: "/", ...visit }])}')`;
  const stored = async () =>
    (
      await office.sql(
        "select session_id, user_id, page_path, visit_duration from public.site_visits where id = $1",
        id,
      )
    )[0];

  it("writes a visit once, and only lengthens the duration of a known one", async () => {
    await office.as("buyer", call({ user_id: office.buyer }), [], ana);
    const first = { session_id: "session-of-ana", user_id: office.buyer, page_path: "/", visit_duration: 0 };
    expect(await stored()).toEqual(first);
    await office.as("anon", call({ page_path: "/x", visit_duration: 30 }), [], ana);
    await office.as("anon", call({ page_path: "/x", visit_duration: 20 }), [], ana);
    expect(await stored()).toEqual({ ...first, visit_duration: 30 });
  });

  it("refuses another session's visit, another's name, no session and no visits", async () => {
    const ben = { "x-visit-session": "session-of-ben" };
    const refusal = (who: Who, statement: string, headers?: Record<string, string>) =>
      office.as(who, statement, [], headers).then(
        () => "done",
        (error: { code?: string }) => error.code,
      );
    expect(await refusal("anon", call({ visit_duration: 99 }), ben)).toBe("42501");
    const other = { id: "0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e9002" };
    expect(await refusal("other", call({ ...other, user_id: office.buyer }), ana)).toBe("42501");
    expect(await refusal("anon", call(other))).toBe("42501");
    expect(await refusal("anon", "select public.record_visits('{}')", ana)).toBe("22023");
    expect(await refusal("anon", call({ ...other, visit_duration: 86_401 }), ana)).toBe("23514");
    expect((await stored())?.visit_duration).toBe(30);
  });
});

/** Functions that are not listed may be called by nobody but the service. */
const callable = {
  anon: [
    "ask_for_second_step",
    "festival_day",
    "get_festival",
    "get_sale",
    "get_ticket_allowance",
    "has_role",
    "is_admin",
    "record_visits",
    "request_address",
    "request_header",
    "require_admin",
    "require_finance",
    "site_page",
    "took_own_step",
    "transfers_close_at",
    "visit_address",
    "visit_session",
    "visit_writer",
  ],
  authenticated: [
    "add_order_note",
    "announce_festival_change",
    "ask_for_second_step",
    "cancel_order",
    "change_buyer",
    "check_in_code",
    "claim_kept_tickets",
    "close_till",
    "compare_accounts",
    "correct_attendee",
    "corrections_close_at",
    "create_gate_invitation",
    "delete_my_account",
    "edit_inventory",
    "end_my_session",
    "export_my_data",
    "festival_day",
    "gate_board",
    "gate_leave",
    "gate_list",
    "gate_open",
    "gate_recent",
    "gate_scan",
    "gate_search",
    "get_account_report",
    "get_festival",
    "get_festival_drafts",
    "get_inventory_status",
    "get_order_actors",
    "get_realtime_visit_stats",
    "get_recent_orders",
    "get_refund_offers",
    "get_refund_run",
    "get_sale",
    "get_sales_overview",
    "get_sales_plot",
    "get_system_health",
    "get_ticket_allowance",
    "get_till",
    "get_till_report",
    "get_user_stats",
    "has_role",
    "inventory_question",
    "invite_staff",
    "is_admin",
    "is_phone",
    "issue_comps",
    "join_waitlist",
    "leave_waitlist",
    "list_account_lines",
    "list_attendees",
    "list_audit_logs",
    "list_comps",
    "list_disputes",
    "list_message_bounces",
    "list_messages",
    "list_my_sessions",
    "list_order_tags",
    "list_orders_with_money",
    "list_promo_codes",
    "list_refund_runs",
    "list_sponsor_inquiries",
    "list_users",
    "list_vendor_applications",
    "list_waitlist",
    "log_admin_action",
    "mail_door_sale",
    "mail_order_again",
    "my_waitlist",
    "names_general",
    "names_vip",
    "offer_place",
    "offer_transfer",
    "open_till",
    "preview_account_deletion",
    "preview_festival_change",
    "preview_message_audience",
    "preview_refund_run",
    "publish_festival_section",
    "quote_promo_code",
    "recall_transfer",
    "record_visits",
    "refund_amount",
    "refund_order",
    "release_hold",
    "request_address",
    "request_header",
    "request_refund",
    "require_admin",
    "require_finance",
    "resend_order_mail",
    "restore_gate_device",
    "resume_message",
    "retry_refund",
    "revoke_comp",
    "revoke_gate_device",
    "revoke_gate_invitation",
    "revoke_staff_invitation",
    "save_festival_draft",
    "second_step",
    "sell_at_door",
    "send_message",
    "send_message_test",
    "site_page",
    "start_refund_run",
    "steer_refund_run",
    "stop_message",
    "tag_order",
    "took_own_step",
    "transfers_close_at",
    "undo_admission",
    "visit_address",
    "visit_session",
    "visit_writer",
    "void_door_sale",
    "void_for_refund",
  ],
} as const;

describe("functions", () => {
  for (const [role, names] of Object.entries(callable)) {
    it(`${role} may call exactly these`, async () => {
      const rows = await office.sql(
        `select distinct proname from pg_proc where pronamespace = 'public'::regnamespace
           and prorettype <> 'trigger'::regtype and has_function_privilege($1, oid, 'execute') order by 1`,
        role,
      );
      expect(rows.map(({ proname }) => proname)).toEqual(names);
    });
  }

  // A token outlives its session by up to an hour: a role ends with the session, mere ownership does not.
  it("that write as their owner ask for a live session or a role", async () => {
    const unasked = await office.sql(
      `select proname from pg_proc where pronamespace = 'public'::regnamespace and prosecdef and provolatile = 'v'
         and prorettype <> 'trigger'::regtype and has_function_privilege('authenticated', oid, 'execute')
         and prosrc !~ '(require_live_session|require_admin|require_finance|require_seller|require_gate_device|has_role)\\('
       order by 1`,
    );
    expect(unasked).toEqual([]);
  });

  it("that run as their owner search no schema by default", async () => {
    const loose = await office.sql(
      `select proname from pg_proc where pronamespace = 'public'::regnamespace and prosecdef
         and not coalesce(proconfig @> array['search_path=""'], false)`,
    );
    expect(loose).toEqual([]);
  });

  /** What each asks, and who besides administrators is answered. */
  const calls: Record<string, readonly ("finance" | "gate")[]> = {
    "public.get_sales_overview()": ["finance"],
    "public.get_recent_orders()": ["finance"],
    "public.list_orders_with_money()": ["finance"],
    "public.get_order_actors(:order)": ["finance"],
    "public.list_promo_codes()": ["finance"],
    "public.list_waitlist()": [],
    "public.refund_order(:order)": ["finance"],
    "public.refund_amount(gen_random_uuid(), :order, 100, 'goodwill')": ["finance"],
    "public.resend_order_mail(:order)": ["finance"],
    "public.preview_refund_run('{}')": ["finance"],
    "public.start_refund_run(gen_random_uuid(), '{}', 'goodwill', null, 1, 4500)": ["finance"],
    "public.steer_refund_run((select id from public.refund_runs limit 1), 'stop')": ["finance"],
    "public.list_refund_runs()": ["finance"],
    "public.list_disputes()": ["finance"],
    "public.get_sales_plot()": ["finance"],
    "public.get_account_report()": ["finance"],
    "public.compare_accounts()": ["finance"],
    "public.list_account_lines()": ["finance"],
    "public.get_refund_run(gen_random_uuid())": ["finance"],
    "public.retry_refund((select id from public.refunds limit 1))": ["finance"],
    "public.cancel_order(:pending)": [],
    "public.get_till_report()": ["finance"],
    "public.add_order_note(:order, 'Called')": ["finance"],
    "public.tag_order(:order, 'vip')": ["finance"],
    "public.list_order_tags()": ["finance"],
    "public.change_buyer(:order, 'Ana', 'ana@people.test')": [],
    "public.list_attendees()": [],
    "public.list_comps()": [],
    'public.issue_comps(gen_random_uuid(), \'Press\', (select id from public.ticket_types where is_vip), \'[{"name": "Zoe", "email": "zoe@people.test"}]\')':
      [],
    "public.get_till()": [],
    "public.open_till(50)": [],
    "public.get_user_stats()": [],
    "public.get_inventory_status()": [],
    "public.get_system_health()": [],
    "public.get_realtime_visit_stats()": [],
    "public.list_users()": [],
    "public.list_audit_logs()": [],
    "public.list_vendor_applications()": [],
    "public.list_sponsor_inquiries()": [],
    "public.preview_festival_change()": [],
    "public.list_messages()": [],
    "public.list_message_bounces(gen_random_uuid())": [],
    'public.preview_message_audience(\'{"people": "buyers", "state": "valid"}\')': [],
    'public.send_message(gen_random_uuid(), \'a\', \'b\', \'{"people": "buyers", "state": "valid"}\')': [],
    "public.send_message_test('a', 'b')": [],
    "public.stop_message(gen_random_uuid())": [],
    "public.resume_message(gen_random_uuid())": [],
    "public.log_admin_action('NOTE', 'orders', '{}')": [],
    "public.edit_inventory('ticket', gen_random_uuid())": [],
    "public.get_festival_drafts()": [],
    "public.save_festival_draft('faq', 1, '{}')": [],
    "public.publish_festival_section('faq', 1, (select content from public.festival_sections where id = 'faq'))":
      [],
    "public.gate_board()": [],
    "public.create_gate_invitation('Volunteers', null, public.festival_day(now()))": [],
    "public.revoke_gate_invitation(gen_random_uuid())": [],
    "public.correct_attendee((select id from public.tickets where voided_at is null limit 1), 'Ana Reyes', 'a@people.test', 'x')":
      [],
    "public.check_in_code((select id from public.tickets where voided_at is null limit 1), 'x')": [],
    "public.revoke_gate_device(gen_random_uuid())": [],
    "public.restore_gate_device(gen_random_uuid())": [],
    "public.gate_open(gen_random_uuid(), 'North')": ["gate"],
  };
  for (const [call, staff] of Object.entries(calls)) {
    it(`${call.replace(/\(.*/, "")} answers ${["administrators", ...staff].join(" and ")} only`, async () => {
      const statement = `select ${call.replace(":order", `'${office.order}'`).replace(":pending", `'${office.pending}'`)}`;
      for (const who of everybody) {
        if (who === "admin" || staff.some((one) => one === who)) {
          expect(await office.attempt(who, statement), who).toBe(1);
        } else expect(await office.refusal(who, statement), who).toBe("42501");
      }
    });
  }

  it("that need a device refuse everybody's but one's own", async () => {
    const asks = [
      "gate_list('0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e4001')",
      "gate_scan('0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e4001', '[]')",
      "gate_search('0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e4001', 'ana')",
      "gate_recent('0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e4001')",
      "gate_leave('0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e4001')",
    ];
    for (const ask of asks) {
      for (const who of everybody) {
        const refusal = await office.refusal(who, `select public.${ask}`);
        expect(refusal, `${who}: ${ask}`).toBe(who === "gate" ? undefined : "42501");
      }
    }
  });
});

describe("a role that has expired", () => {
  it("gives no access", async () => {
    for (const who of ["finance", "gate"] as const) {
      await office.sql(
        "update public.user_roles set expires_at = now() - interval '1 s' where role = $1",
        who,
      );
      expect(await office.count(who, who === "finance" ? "orders" : "gate_entrances")).toBe(0);
      await office.sql("update public.user_roles set expires_at = null where role = $1", who);
    }
  });

  it("is never an administrator's", async () => {
    await expect(
      office.sql("update public.user_roles set expires_at = now() where user_id = $1", office.admin),
    ).rejects.toMatchObject({ code: "23514" });
  });
});
