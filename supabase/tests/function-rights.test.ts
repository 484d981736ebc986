// Who may call which function: the whole matrix, can and cannot. It also walks the catalog, so that a function that is missing
// here fails.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cloneDatabase, type TestDatabase } from "../../server/testing/database.ts";
import { openOffice, type Office } from "./office.ts";

let db: TestDatabase;
let office: Office;
beforeAll(async () => {
  db = await cloneDatabase();
  office = await openOffice(db);
});
afterAll(() => db?.close());

const everybody = ["anon", "buyer", "other", "admin", "finance", "gate"] as const;

/** Functions that are not listed may be called only by the service. */
const callable = {
  anon: [
    "ask_for_second_step",
    "festival_day",
    "get_festival",
    "get_sale",
    "get_ticket_allowance",
    "has_live_session",
    "has_role",
    "is_admin",
    "record_visits",
    "request_address",
    "request_header",
    "request_network",
    "require_admin",
    "require_finance",
    "site_page",
    "took_own_step",
    "transfers_close_at",
    "visit_session",
    "visit_writer",
  ],
  authenticated: [
    "acknowledge_order",
    "add_order_note",
    "announce_festival_change",
    "ask_for_second_step",
    "block_user",
    "call_off_my_email_change",
    "cancel_order",
    "change_buyer",
    "check_in_code",
    "claim_kept_tickets",
    "close_till",
    "compare_accounts",
    "confirmed_half_of_my_email_change",
    "correct_attendee",
    "corrections_close_at",
    "create_gate_invitation",
    "delete_my_account",
    "edit_inventory",
    "email_pattern",
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
    "gate_waiting",
    "get_account_items",
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
    "get_shut_out",
    "get_system_health",
    "get_ticket_allowance",
    "get_till",
    "get_till_report",
    "get_user_stats",
    "has_link",
    "has_live_session",
    "has_role",
    "inventory_question",
    "invite_staff",
    "is_admin",
    "is_email",
    "is_one_line",
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
    "recall_transfer",
    "record_visits",
    "refund_amount",
    "refund_order",
    "release_hold",
    "remove_second_steps",
    "request_address",
    "request_header",
    "request_network",
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
    "seen_pattern",
    "sell_at_door",
    "send_message",
    "send_message_test",
    "sign_out_user",
    "site_page",
    "start_refund_run",
    "steer_refund_run",
    "stop_message",
    "tag_order",
    "took_own_step",
    "transfers_close_at",
    "unblock_user",
    "undo_admission",
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

  // A token outlives its session by up to an hour: a role ends with the session, ownership alone does not.
  it("that write as their owner require a live session or a role", async () => {
    const unasked = await office.sql(
      `select proname from pg_proc where pronamespace = 'public'::regnamespace and prosecdef and provolatile = 'v'
         and prorettype <> 'trigger'::regtype and has_function_privilege('authenticated', oid, 'execute')
         and prosrc !~ '(require_live_session|require_admin|require_finance|require_seller|require_gate_device|has_role)\\('
       order by 1`,
    );
    expect(unasked).toEqual([]);
  });

  // The policies on the tables ask for it, and these pass them by.
  it("that read what is the caller's own as their owner require the second step that was set up", async () => {
    const unasked = await office.sql(
      `select proname from pg_proc where pronamespace = 'public'::regnamespace and prosecdef and provolatile = 's'
         and has_function_privilege('authenticated', oid, 'execute') and prosrc ~ 'auth\\.uid\\(\\)'
         and prosrc !~ '(require_live_session|took_own_step|require_admin|require_finance|require_seller|require_gate_device|has_role)\\('
       order by 1`,
    );
    // What decides about roles, sessions and steps itself, and how many tickets the caller may still buy.
    expect(unasked.map(({ proname }) => proname)).toEqual([
      "ask_for_second_step",
      "get_ticket_allowance",
      "has_live_session",
      "has_role",
      "is_admin",
      "second_step",
      "took_own_step",
    ]);
  });

  it("that run as their owner search no schema by default", async () => {
    const loose = await office.sql(
      `select proname from pg_proc where pronamespace = 'public'::regnamespace and prosecdef
         and not coalesce(proconfig @> array['search_path=""'], false)`,
    );
    expect(loose).toEqual([]);
  });

  /** Each call, and the roles besides administrators that it answers. */
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
    "public.acknowledge_order(:order)": [],
    "public.preview_refund_run('{}')": ["finance"],
    "public.start_refund_run(gen_random_uuid(), '{}', 'goodwill', null, 1, 4500)": ["finance"],
    "public.steer_refund_run((select id from public.refund_runs limit 1), 'stop')": ["finance"],
    "public.list_refund_runs()": ["finance"],
    "public.list_disputes()": ["finance"],
    "public.get_sales_plot()": ["finance"],
    "public.get_account_items()": ["finance"],
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
    "public.get_shut_out('admin')": [],
    "public.sign_out_user(:buyer, 'Phone stolen')": [],
    "public.block_user(:buyer, 'Card fraud')": [],
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
    "public.edit_inventory(gen_random_uuid())": [],
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
      const named = { ":order": office.order, ":pending": office.pending, ":buyer": office.buyer };
      const statement = Object.entries(named).reduce(
        (text, [name, id]) => text.replace(name, `'${id}'`),
        `select ${call}`,
      );
      for (const who of everybody) {
        if (who === "admin" || staff.some((one) => one === who)) {
          expect(await office.attempt(who, statement), who).toBe(1);
        } else expect(await office.refusal(who, statement), who).toBe("42501");
      }
    });
  }

  it("that need a device refuse all devices but the caller's own", async () => {
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
