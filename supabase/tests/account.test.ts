// A user's own account: the second step that work and orders require, sessions, data export, and deletion.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { cloneDatabase, type TestDatabase } from "../../server/testing/database.ts";
import { untilWaitingOn } from "../../server/testing/waiting.ts";
import type { Claims } from "../../server/src/platform/keys/jwt.ts";
import { type Office, openOffice } from "./office.ts";

let db: TestDatabase;
let office: Office;
beforeAll(async () => {
  db = await cloneDatabase();
  office = await openOffice(db);
});
afterAll(() => db?.close());

const now = () => Math.floor(Date.now() / 1000);

/** Rows that a holder of a token with these claims gets, or the refusal. */
async function as(user: string, statement: string, claims: Partial<Claims> = {}) {
  const scope = { claims: { role: "authenticated", sub: user, ...claims } };
  return db.database
    .transaction(scope, async (tx) => (await tx.query(statement)).rows)
    .then(
      (rows) => ({ rows, code: undefined, hint: undefined, message: undefined }),
      (error: { code?: string; hint?: string; message?: string }) => ({
        rows: [],
        code: error.code,
        hint: error.hint,
        message: error.message,
      }),
    );
}

async function newUser(email = `${randomUUID()}@people.test`): Promise<string> {
  const id = randomUUID();
  await office.sql(
    "insert into auth.users (id, email, email_confirmed_at, created_at) values ($1, $2, now(), now())",
    id,
    email,
  );
  return id;
}

const factorOf = (user: string, status = "verified") =>
  office.sql(
    `insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at)
     values (gen_random_uuid(), $1, 'Phone', 'totp', $2, now(), now())`,
    user,
    status,
  );

const askOf = (roles: string) => office.sql("update public.staff_settings set two_step_roles = $1", roles);
const forgetFactors = () => office.sql("delete from auth.mfa_factors");

describe("a second step that the organizer requires of a role", () => {
  beforeEach(async () => {
    await forgetFactors();
    await askOf("{}");
  });
  const work = "select public.get_user_stats()";

  it("is required by the back office's functions and tables, which all answer once it is taken", async () => {
    expect((await as(office.admin, work)).rows).toHaveLength(1);
    await askOf("{admin}");
    expect(await as(office.admin, work)).toMatchObject({
      code: "42501",
      hint: "insufficient_aal",
      message: "This requires two-step verification.",
    });
    for (const table of ["orders", "audit_logs", "staff_settings", "order_codes"]) {
      expect((await as(office.admin, `select from public.${table}`)).rows, table).toEqual([]);
      expect(
        (await as(office.admin, `select from public.${table}`, { aal: "aal2" })).rows.length,
        table,
      ).toBeGreaterThan(0);
    }
    expect((await as(office.admin, work, { aal: "aal2" })).rows).toHaveLength(1);
    expect((await as(office.admin, work, { aal: "aal1" })).code).toBe("42501");
  });

  it("is not reported to users without a role there", async () => {
    await askOf("{admin,finance,gate}");
    for (const user of [office.buyer, await newUser()]) {
      expect(await as(user, work)).toMatchObject({ code: "42501", hint: undefined });
    }
  });

  it("is required of each role separately, and of the gate only when it is named", async () => {
    const [{ finance, gate }] = (await office.sql(
      `select (select user_id from public.user_roles where role = 'finance') as finance,
         (select user_id from public.user_roles where role = 'gate') as gate`,
    )) as [{ finance: string; gate: string }];
    const money = "select public.get_sales_overview()";
    const doors = "select from public.gate_settings";
    await askOf("{admin}");
    expect((await as(finance, money)).rows).toHaveLength(1);
    expect((await as(gate, doors)).rows).toHaveLength(1);
    await askOf("{admin,finance}");
    expect((await as(finance, money)).hint).toBe("insufficient_aal");
    expect((await as(gate, doors)).rows).toHaveLength(1);
    // An administrator who works at the gate counts as gate staff.
    const open = "select public.gate_open(gen_random_uuid(), 'North')";
    expect((await as(office.admin, open)).rows).toHaveLength(1);
    await askOf("{gate}");
    expect((await as(gate, doors)).rows).toEqual([]);
    expect((await as(gate, open)).hint).toBe("insufficient_aal");
    expect((await as(office.admin, open)).hint).toBe("insufficient_aal");
    expect((await as(gate, open, { aal: "aal2" })).rows).toHaveLength(1);
  });

  it("is reported to the user who must take it", async () => {
    const asked = async (user: string, aal?: string) =>
      (await as(user, "select public.second_step() as step", aal === undefined ? {} : { aal })).rows[0]?.[
        "step"
      ];
    expect(await asked(office.admin)).toEqual({ is_set_up: false, is_taken: false, is_required: false });
    await askOf("{admin}");
    await factorOf(office.admin);
    expect(await asked(office.admin)).toEqual({ is_set_up: true, is_taken: false, is_required: true });
    expect(await asked(office.admin, "aal2")).toEqual({ is_set_up: true, is_taken: true, is_required: true });
    expect(await asked(office.buyer)).toEqual({ is_set_up: false, is_taken: false, is_required: false });
  });

  it("cannot be required of administrators by one whom it would lock out", async () => {
    const change = "update public.staff_settings set two_step_roles = '{admin}'";
    expect(await as(office.admin, change)).toMatchObject({ code: "23514", hint: "insufficient_aal" });
    expect((await as(office.admin, change, { aal: "aal2" })).code).toBeUndefined();
    const [entry] = await office.sql(
      "select new_values -> 'two_step_roles' as roles from public.audit_logs where table_name = 'staff_settings' order by created_at desc",
    );
    expect(entry?.["roles"]).toEqual(["admin"]);
  });

  it("is missing from those whom a role that required it would shut out", async () => {
    const shutOut = async (role: string) =>
      (await as(office.admin, `select public.get_shut_out('${role}') as answer`)).rows[0]!["answer"];
    await office.sql(
      "insert into public.user_roles (user_id, role, expires_at) values ($1, 'finance', now() - interval '1 minute')",
      await newUser(),
    );
    await factorOf(office.admin, "unverified");
    expect(await shutOut("admin")).toMatchObject({ count: 2, phones: 0 });
    await forgetFactors();
    expect(await shutOut("finance")).toMatchObject({ count: 1 });
    await factorOf(office.admin);
    const left = await as(office.admin, "select public.get_shut_out('admin') as answer", { aal: "aal2" });
    const others = await office.sql(
      `select u.email from auth.users u join public.user_roles r on r.user_id = u.id and r.role = 'admin'
        where u.id <> '${office.admin}'`,
    );
    expect(left.rows[0]!["answer"]).toEqual({
      count: 1,
      phones: 0,
      emails: others.map(({ email }) => email),
    });
  });

  it("is required by functions outside the database too", async () => {
    const role = async (aal: string | null) =>
      (await office.sql("select public.office_role($1, $2) as role", office.admin, aal))[0]?.["role"];
    expect(await role(null)).toBe("admin");
    await askOf("{admin}");
    expect([await role(null), await role("aal1"), await role("aal2")]).toEqual([null, null, "admin"]);
  });
});

describe("a second step that a user set up", () => {
  beforeEach(async () => {
    await forgetFactors();
    await askOf("{}");
  });

  it("protects their orders, tickets and actions, and work in a role that does not require it", async () => {
    await factorOf(office.buyer, "unverified");
    expect((await as(office.buyer, "select from public.orders")).rows.length).toBeGreaterThan(0);
    await forgetFactors();
    await factorOf(office.buyer);
    for (const table of [
      "orders",
      "order_items",
      "tickets",
      "payments",
      "ticket_transfers",
      "waitlist_entries",
    ]) {
      expect((await as(office.buyer, `select from public.${table}`)).rows, table).toEqual([]);
      expect(
        (await as(office.buyer, `select from public.${table}`, { aal: "aal2" })).rows.length,
        table,
      ).toBeGreaterThan(0);
    }
    expect((await as(office.buyer, "select public.list_my_sessions()")).hint).toBe("insufficient_aal");
    await factorOf(office.admin);
    expect((await as(office.admin, "select public.get_user_stats()")).hint).toBe("insufficient_aal");
    expect((await as(office.admin, "select public.get_user_stats()", { aal: "aal2" })).rows).toHaveLength(1);
  });

  it("decides for functions outside the database whether a session is usable", async () => {
    await factorOf(office.buyer);
    const [answer] = await office.sql(
      "select public.usable_sessions($1::jsonb) as usable",
      JSON.stringify([
        { user_id: office.buyer },
        { user_id: office.buyer, aal: "aal1" },
        { user_id: office.buyer, aal: "aal2" },
        { user_id: office.admin },
      ]),
    );
    expect(answer?.["usable"]).toEqual([false, false, true, true]);
  });
});

describe("sessions", () => {
  beforeAll(forgetFactors);
  const open = async (user: string, ip: string, agent = "Mozilla/5.0 Firefox/140.0") => {
    const id = randomUUID();
    await office.sql(
      `insert into auth.sessions (id, user_id, created_at, updated_at, refreshed_at, user_agent, ip, aal)
       values ($1, $2, now() - interval '1 day', now(), now() at time zone 'UTC', $3, $4, 'aal1')`,
      id,
      user,
      agent,
      ip,
    );
    return id;
  };

  it("are listed with their full address, and mark the calling one", async () => {
    const user = await newUser();
    const mine = await open(user, "203.0.113.77");
    const other = await open(user, "2001:db8:5:6::1");
    const { rows } = await as(user, "select * from public.list_my_sessions()", { session_id: mine });
    expect(rows).toMatchObject([
      { id: mine, address: "203.0.113.77", is_this: true, user_agent: "Mozilla/5.0 Firefox/140.0" },
      { id: other, address: "2001:db8:5:6::1", is_this: false },
    ]);
  });

  it("end one by one, with a line in the audit log, without ending another user's", async () => {
    const [user, stranger] = [await newUser(), await newUser()];
    const [mine, other, theirs] = [
      await open(user, "203.0.113.1"),
      await open(user, "203.0.113.2"),
      await open(stranger, "203.0.113.3"),
    ];
    const end = async (session: string) =>
      (await as(user, `select public.end_my_session('${session}') as ended`, { session_id: mine })).rows[0];
    expect(await end(theirs)).toEqual({ ended: false });
    expect(await end(other)).toEqual({ ended: true });
    expect(await end(other)).toEqual({ ended: false });
    const left = await office.sql("select id from auth.sessions where id = any ($1)", [mine, other, theirs]);
    expect(left.map(({ id }) => id).toSorted()).toEqual([mine, theirs].toSorted());
    const [entry] = await office.sql(
      "select payload from auth.audit_log_entries where payload ->> 'actor_id' = $1",
      user,
    );
    expect(entry?.["payload"]).toMatchObject({ action: "logout", traits: { session_id: other } });
    // The calling session may end itself; afterwards it may do nothing more.
    expect(await end(mine)).toEqual({ ended: true });
    expect((await as(user, "select public.list_my_sessions()", { session_id: mine })).code).toBe("42501");
  });
});

describe("a data export", () => {
  it("contains everything that names the person, and nobody else, without codes and secrets", async () => {
    await forgetFactors();
    const { rows } = await as(office.buyer, "select public.export_my_data() as data");
    const data = rows[0]!["data"] as Record<string, never[]>;
    expect(Object.keys(data).toSorted()).toEqual([
      "account",
      "at_most_of_a_kind",
      "corrections",
      "made_at",
      "orders",
      "parking",
      "sign_in",
      "sponsor_inquiries",
      "tickets",
      "transfers",
      "vendor_applications",
      "visits",
      "waitlist",
    ]);
    expect(data["account"]).toMatchObject({ id: office.buyer, role: "user" });
    expect(data["orders"]).toHaveLength(2);
    expect(data["orders"]![0]).toMatchObject({ buyer_full_name: "Ana Reyes", items: [{ quantity: 1 }] });
    expect(data["tickets"]).toHaveLength(1);
    const text = JSON.stringify(data);
    expect(text).not.toMatch(/qr_code|token_hash|idempotency|request_hash|encrypted_password|secret/);
    const { rows: others } = await as(await newUser(), "select public.export_my_data() as data");
    expect(others[0]!["data"]).toMatchObject({
      orders: [],
      tickets: [],
      transfers: [],
      visits: [],
      waitlist: [],
    });
  });

  it("is limited to ten an hour, and to signed-in users", async () => {
    const user = await newUser();
    for (let time = 0; time < 10; time++) {
      expect((await as(user, "select public.export_my_data()")).code).toBeUndefined();
    }
    expect((await as(user, "select public.export_my_data()")).code).toBe("PT429");
    expect(await office.refusal("anon", "select public.export_my_data()")).toBe("42501");
  });
});

describe("a change of address", () => {
  const TOKENS = ["email_change_token_current", "email_change_token_new"] as const;
  const half = "select public.confirmed_half_of_my_email_change() as half";
  const callOff = "select public.call_off_my_email_change() as done";

  async function moving(confirmed: number, ...awaited: readonly (typeof TOKENS)[number][]) {
    const user = await newUser();
    await office.sql(
      "update auth.users set email_change = 'next@people.test', email_change_confirm_status = $2 where id = $1",
      user,
      confirmed,
    );
    for (const type of awaited) {
      await office.sql(
        `insert into auth.one_time_tokens (id, user_id, token_type, token_hash, relates_to)
         values (gen_random_uuid(), $1, $2, gen_random_uuid()::text, 'next@people.test')`,
        user,
        type,
      );
    }
    return user;
  }

  it("shows its owner which half has confirmed", async () => {
    const told = async (user: string) => (await as(user, half)).rows[0]?.["half"];
    expect(await told(await newUser())).toBeNull();
    expect(await told(await moving(0, ...TOKENS))).toBeNull();
    expect(await told(await moving(1, TOKENS[1]))).toBe("current");
    expect(await told(await moving(1, TOKENS[0], TOKENS[0]))).toBe("new");
    expect(await office.refusal("anon", half)).toBe("42501");
  });

  it("is called off only by its owner, along with all mailed links, and is logged", async () => {
    const [user, other] = [await moving(1, TOKENS[1]), await moving(0, ...TOKENS)];
    expect((await as(user, callOff)).rows).toEqual([{ done: true }]);
    expect((await as(user, callOff)).rows).toEqual([{ done: false }]);
    expect(
      await office.sql(
        "select email_change, email_change_confirm_status from auth.users where id = $1",
        user,
      ),
    ).toEqual([{ email_change: "", email_change_confirm_status: 0 }]);
    expect(await office.sql("select from auth.one_time_tokens where user_id = $1", user)).toEqual([]);
    expect(await office.sql("select from auth.one_time_tokens where user_id = $1", other)).toHaveLength(2);
    expect(
      await office.sql(
        "select payload ->> 'action' as action from auth.audit_log_entries where payload ->> 'actor_id' = $1",
        user,
      ),
    ).toEqual([{ action: "user_modified" }]);
    expect(await office.refusal("anon", callOff)).toBe("42501");
  });
});

describe("account deletion", () => {
  const fresh = () => ({ amr: [{ method: "password", timestamp: now() - 60 }] });
  const leave = (email: string, knowing = false) => `select public.delete_my_account('${email}', ${knowing})`;

  it("requires a recent sign-in and the account's own address", async () => {
    const user = await newUser("leaver@people.test");
    expect(await as(user, leave("leaver@people.test"))).toMatchObject({ hint: "reauthentication_needed" });
    const old = {
      amr: [
        { method: "password", timestamp: now() - 1000 },
        { method: "token_refresh", timestamp: now() },
      ],
    };
    expect(await as(user, leave("leaver@people.test"), old)).toMatchObject({
      hint: "reauthentication_needed",
    });
    expect((await as(user, leave("somebody@people.test"), fresh())).code).toBe("22023");
    expect((await as(user, leave(" Leaver@People.test "), fresh())).code).toBeUndefined();
    expect(await office.sql("select from auth.users where id = $1", user)).toEqual([]);
    expect(
      await office.sql("select lane, payload from public.outbox where kind = 'account_deleted_mail'"),
    ).toEqual([{ lane: "mail", payload: { email: "leaver@people.test" } }]);
    const [entry] = await office.sql(
      "select payload from auth.audit_log_entries where payload ->> 'actor_id' = $1",
      user,
    );
    expect(entry?.["payload"]).toMatchObject({
      action: "user_deleted",
      actor_username: "leaver@people.test",
    });
  });

  it("keeps the names until 120 days after the festival by the calendar, although the clocks change", async () => {
    await office.sql(
      "update public.festival set starts_at = '2040-11-29 11:00 America/Chicago', ends_at = '2040-11-29 23:30 America/Chicago'",
    );
    const user = await newUser("autumn@people.test");
    const { rows } = await as(user, "select public.preview_account_deletion() ->> 'names_until' as until");
    const shown = new Date(rows[0]!["until"] as string).toLocaleString("en-US", {
      timeZone: "America/Chicago",
    });
    expect(shown).toBe("3/29/2041, 11:30:00 PM");
  });

  it("warns of unused tickets whatever the festival's date, keeps them valid and the order in the books", async () => {
    await office.sql(
      "update public.festival set starts_at = now() - interval '2 days', ends_at = now() - interval '1 day'",
    );
    const user = await newUser("holder@people.test");
    await office.sql("delete from public.former_buyers"); // of the office: this order's buyer is not gone yet
    await office.sql("update public.orders set user_id = $1 where id = $2", user, office.order);
    await office.sql("update public.tickets set user_id = $1", user);
    const { rows } = await as(user, "select public.preview_account_deletion() as ahead");
    expect(rows[0]!["ahead"]).toEqual({
      tickets_to_come: 1,
      orders: 1,
      names_until: expect.any(String),
      refusal: null,
      sign_in_first: true,
    });
    const recently = await as(user, "select public.preview_account_deletion() as ahead", fresh());
    expect(recently.rows[0]!["ahead"]).toMatchObject({ sign_in_first: false });
    expect(await as(user, leave("holder@people.test"), fresh())).toMatchObject({ hint: "tickets_to_come" });
    expect((await as(user, leave("holder@people.test", true), fresh())).code).toBeUndefined();
    const [order] = await office.sql("select * from public.orders where id = $1", office.order);
    expect(order).toMatchObject({ user_id: null, status: "confirmed", buyer_full_name: "Ana Reyes" });
    expect(
      await office.sql("select from public.tickets where voided_at is null and user_id is null"),
    ).toHaveLength(1);
  });

  it("removes the names from kept orders once no payment can be disputed", async () => {
    await office.sql("select public.forget_deleted_buyers()");
    const read = async () =>
      (
        await office.sql(
          "select buyer_full_name, buyer_email, total_amount from public.orders where id = $1",
          office.order,
        )
      )[0];
    expect(await read()).toMatchObject({ buyer_full_name: "Ana Reyes" });
    await office.sql(
      "update public.festival set starts_at = now() - interval '122 days', ends_at = now() - interval '121 days'",
    );
    await office.sql("select public.clean_up()");
    expect(await read()).toMatchObject({
      buyer_full_name: "Deleted account",
      buyer_email: "deleted@account.invalid",
      total_amount: "45.00",
    });
    const [ticket] = await office.sql(
      "select attendee_name, attendee_email from public.tickets where order_id = $1",
      office.order,
    );
    expect(ticket).toEqual({ attendee_name: "Deleted account", attendee_email: "" });
    // Orders of existing accounts keep their names.
    expect(
      await office.sql(
        "select from public.orders where user_id is not null and buyer_full_name = 'Ana Reyes'",
      ),
    ).not.toHaveLength(0);
  });

  it("removes the names by the day it named, although the next festival has been published since", async () => {
    const festival = (ends: string) =>
      office.sql(
        `update public.festival set starts_at = now() + interval '${ends}' - interval '1 day', ends_at = now() + interval '${ends}'`,
      );
    const sold = async (user: string) =>
      (
        await office.sql(
          `insert into public.orders (user_id, status, confirmed_at, total_amount, buyer_full_name, buyer_email, buyer_phone_number)
            values ($1, 'confirmed', now(), 45, 'Named', 'named@people.test', '713-555-0100') returning id`,
          user,
        )
      )[0]!["id"] as string;
    const users = [await newUser("named@people.test"), await newUser(), await newUser(), await newUser()];
    const [own, removed, later] = users as [string, string, string, string];
    const orders = [];
    for (const user of users) orders.push(await sold(user));
    await festival("-121 days");
    expect((await as(own, leave("named@people.test"), fresh())).code).toBeUndefined();
    await office.sql("delete from auth.users where id = $1", removed); // by an administrator
    await festival("-119 days");
    await office.sql("delete from auth.users where id = $1", later);
    await festival("300 days");
    await office.sql("select public.clean_up()");
    const names = await office.sql(
      "select buyer_full_name as name from public.orders where id = any ($1) order by array_position($1, id)",
      orders,
    );
    expect(names.map(({ name }) => name)).toEqual(["Deleted account", "Deleted account", "Named", "Named"]);
  });

  it("happens once, however often it is sent, and every call answers that it is done", async () => {
    const user = await newUser("thrice@people.test");
    const calls = Array.from({ length: 3 }, () => leave("thrice@people.test"));
    const service = db.database.asService("deletions meet");
    const deletions = await service.transaction(async (tx) => {
      await tx.query("select from auth.users where id = $1 for key share", [user]);
      const waiting = calls.map((call) => as(user, call, fresh()));
      await untilWaitingOn(service)(3);
      return waiting;
    });
    expect((await Promise.all(deletions)).map(({ message }) => message)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(
      await office.sql(
        "select from public.outbox where kind = 'account_deleted_mail' and payload ->> 'email' = 'thrice@people.test'",
      ),
    ).toHaveLength(1);
  });

  it("waits for an order that is being placed, and is refused", async () => {
    const user = await newUser("buying@people.test");
    const service = db.database.asService("an order is placed slowly");
    const [deletion] = await service.transaction(async (tx) => {
      await tx.query(
        `insert into public.orders (user_id, total_amount, buyer_full_name, buyer_email, buyer_phone_number, hold_expires_at)
          values ($1, 45, 'Buyer', 'buying@people.test', '713-555-0100', now() + interval '15 minutes')`,
        [user],
      );
      const waiting = as(user, leave("buying@people.test"), fresh());
      await untilWaitingOn(service)(1);
      return [waiting];
    });
    expect(await deletion).toMatchObject({ message: expect.stringContaining("You have an unpaid order.") });
  });

  it("locks nothing when it is refused for its sign-in or the address", async () => {
    const user = await newUser("refused@people.test");
    const service = db.database.asService("a cart is being placed");
    await service.transaction(async (tx) => {
      await tx.query("select pg_advisory_xact_lock(hashtextextended('buyer ' || $1::text, 0))", [user]);
      expect((await as(user, leave("somebody@people.test"), fresh())).code).toBe("22023");
      expect(await as(user, leave("refused@people.test"))).toMatchObject({ hint: "reauthentication_needed" });
    });
  });

  it("waits for a cart of the account before it locks what the cart's order needs", async () => {
    const user = await newUser("cart@people.test");
    const service = db.database.asService("a cart has its stock, and no order yet");
    const [deletion] = await service.transaction(async (tx) => {
      await tx.query("select pg_advisory_xact_lock(hashtextextended('buyer ' || $1::text, 0))", [user]);
      const waiting = as(user, leave("cart@people.test"), fresh());
      await untilWaitingOn(service)(1);
      await tx.query("select from auth.users where id = $1 for update nowait", [user]);
      return [waiting];
    });
    expect(await deletion).toMatchObject({ message: undefined });
  });

  it("is refused while an order, a till or the last administrator depends on the account", async () => {
    const buyer = await as(office.buyer, "select public.preview_account_deletion() as ahead");
    expect(buyer.rows[0]!["ahead"]).toMatchObject({
      refusal: expect.stringContaining("You have an unpaid order."),
    });
    const [{ gate }] = (await office.sql(
      "select user_id as gate from public.user_roles where role = 'gate'",
    )) as [{ gate: string }];
    const mail = (await office.sql("select email from auth.users where id = $1", gate))[0]![
      "email"
    ] as string;
    expect(await as(gate, leave(mail), fresh())).toMatchObject({
      code: "23514",
      message: expect.stringContaining("till"),
    });
    await office.sql("delete from public.user_roles where role = 'admin' and user_id <> $1", office.admin);
    const admin = (await office.sql("select email from auth.users where id = $1", office.admin))[0]![
      "email"
    ] as string;
    expect(await as(office.admin, leave(admin), fresh())).toMatchObject({
      code: "23514",
      message: expect.stringContaining("last administrator"),
    });
  });
});
