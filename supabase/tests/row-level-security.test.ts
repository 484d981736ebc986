// Who can do what to which table: the whole matrix, can and cannot. table-rights.test.ts checks that each table is in it; functions are
// in function-rights.test.ts.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cloneDatabase, type TestDatabase } from "../../server/testing/database.ts";
import { openOffice, type Office, type Who } from "./office.ts";
import { behind, readable } from "./table-decisions.ts";

let db: TestDatabase;
let office: Office;
beforeAll(async () => {
  db = await cloneDatabase();
  office = await openOffice(db);
});
afterAll(() => db?.close());

const everybody = ["anon", "buyer", "other", "admin", "finance", "gate"] as const;

describe("reading", () => {
  for (const [table, may] of Object.entries(readable)) {
    it(`${table}: anon ${may.anon ? "can" : "cannot"}, a buyer sees ${may.buyer}, an admin ${may.admin ? "can" : "cannot"}, also ${may.staff?.join(" and ") ?? "nobody"}`, async () => {
      expect(await office.total(behind[table] ?? table), "there is something to see").toBeGreaterThan(0);
      const seen = {
        anon: (await office.count("anon", table)) > 0,
        buyer: (await office.count("buyer", table)) > 0,
        // Another signed-in user sees nothing of the first buyer's.
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

  it("is only in these columns", async () => {
    expect((await columns()).map(({ relname, attname }) => `${relname}.${attname}`)).toEqual([
      "entry_codes.qr_code_data",
      "entry_codes.qr_code_url",
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
    for (const write of [
      "update public.order_codes set issue_number = 9",
      "delete from public.order_codes",
    ]) {
      expect(await office.refusal("finance", write)).toBe("42501");
    }
    const options = await office.sql("select reloptions from pg_class where relname = 'order_codes'");
    expect(options[0]?.reloptions).toContain("security_barrier=true");
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
  ["set a fee", "update public.shop_settings set fee_percent = 5", ["admin"]],
  ["change what was returned", "update public.order_returns set amount = 0", []],
  ["change the provider's books", "update public.provider_transactions set cents = 0", []],
  ["let in a vehicle", "update public.entry_codes set checked_in_at = now()", []],
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
  [
    "add a picture",
    "insert into storage.objects (bucket_id, name) values ('festival-pictures', 'x.png')",
    ["admin"],
  ],
  [
    "look through the pictures",
    "select name from storage.objects where bucket_id = 'festival-pictures'",
    ["admin"],
  ],
  [
    "replace a picture",
    "update storage.objects set version = null where bucket_id = 'festival-pictures'",
    [],
  ],
  ["remove a picture", "delete from storage.objects where bucket_id = 'festival-pictures'", []],
  ["let oneself sell", "update public.user_roles set sells_at_door = true where role = 'gate'", ["admin"]],
  ["empty a till", "update public.till_payments set amount = 1", []],
  ["forget a till", "delete from public.till_shifts", []],
  ["give oneself a comp", "insert into public.comps (order_id) select id from public.orders", []],
  ["rewrite a guest list", "update public.guest_lists set reason = 'x'", []],
  ["rewrite a note", "update public.order_notes set body = 'x'", []],
  ["tag without the function", "insert into public.order_tags select id, 'x' from public.orders", []],
  ["rename a buyer without the function", "update public.orders set buyer_email = 'x@people.test'", []],
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
  it("is seen by administrators, and by the holders of its tickets", async () => {
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

  it("learns the id of a visit without a session, and sees no others", async () => {
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

  it("updates only its own visit's duration, by the database's clock", async () => {
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

  it("writes a visit once, and only lengthens a known visit's duration", async () => {
    await office.as("buyer", call({ user_id: office.buyer }), [], ana);
    const first = { session_id: "session-of-ana", user_id: office.buyer, page_path: "/", visit_duration: 0 };
    expect(await stored()).toEqual(first);
    await office.as("anon", call({ page_path: "/x", visit_duration: 30 }), [], ana);
    await office.as("anon", call({ page_path: "/x", visit_duration: 20 }), [], ana);
    expect(await stored()).toEqual({ ...first, visit_duration: 30 });
  });

  it("refuses another session's visit, another user's name, no session and no visits", async () => {
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

  it("is never the administrator role", async () => {
    await expect(
      office.sql("update public.user_roles set expires_at = now() where user_id = $1", office.admin),
    ).rejects.toMatchObject({ code: "23514" });
  });
});
