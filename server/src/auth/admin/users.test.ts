import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { PASSWORD, startAuth, type TestAuth } from "../../../testing/auth.ts";
import { untilWaitingOn } from "../../../testing/waiting.ts";

let auth: TestAuth;
let key: string;
beforeAll(async () => {
  auth = await startAuth();
  key = await auth.serviceKey();
});
afterAll(() => auth.close());

const create = (body: object) => auth.call("POST", "/admin/users", body, key);
const grant = (email: string, password: string) =>
  auth.call("POST", "/token?grant_type=password", { email, password });

it.each(["GET", "POST"])("refuses %s to everybody without the service key", async (method) => {
  const { access_token } = await auth.signedUp(`plain-${method.toLowerCase()}@example.com`);
  const body = method === "POST" ? { email: "x@example.com" } : undefined;
  for (const [token, status, code] of [
    [undefined, 401, "no_authorization"],
    [access_token, 403, "not_admin"],
  ] as const) {
    const answer = await auth.call(method, "/admin/users", body, token);
    expect([answer.status, answer.body.error_code]).toEqual([status, code]);
  }
});

it("is open to the configured roles, under whose name the audit log records it", async () => {
  const reset = auth.set({ GOTRUE_JWT_ADMIN_ROLES: "box_office" });
  const boxOffice = auth.tokens.signWithSecret({ role: "box_office" });
  const made = await auth.call("POST", "/admin/users", { email: "by-box-office@example.com" }, boxOffice);
  expect(made.status).toBe(200);
  const { body: entries } = await auth.call(
    "GET",
    "/admin/audit?query=author:box_office",
    undefined,
    boxOffice,
  );
  expect(entries).toMatchObject([{ payload: { action: "user_signedup", actor_username: "box_office" } }]);
  // It also works for a user with such a role, and no longer for the service key.
  await auth.call(
    "PUT",
    `/admin/users/${made.body.id}`,
    { role: "box_office", password: PASSWORD, email_confirm: true },
    boxOffice,
  );
  const { body: signedIn } = await grant("by-box-office@example.com", PASSWORD);
  expect((await auth.call("GET", "/admin/users", undefined, signedIn.access_token)).status).toBe(200);
  expect((await auth.call("GET", "/admin/users", undefined, key)).body.error_code).toBe("not_admin");
  reset();
  expect((await auth.call("GET", "/admin/users", undefined, boxOffice)).body.error_code).toBe("not_admin");
});

it.each([
  [{}, "Cannot create a user without either an email or phone"],
  [{ email: "odd@example.com", id: "17" }, "ID must conform to the uuid v4 format"],
  [{ email: "odd@example.com", id: "00000000-0000-0000-0000-000000000000" }, "ID cannot be a nil uuid"],
  [
    { email: "odd@example.com", password: PASSWORD, password_hash: "$2a$10$x" },
    "Only a password or a password hash should be provided",
  ],
])("refuses to create %j", async (body, msg) => {
  const { status, body: answer } = await create(body);
  expect([status, answer]).toEqual([400, { code: 400, error_code: "validation_failed", msg }]);
});

it("creates a confirmed user who can sign in at once, without sending a mail", async () => {
  const { status, body } = await create({
    email: "Made@example.com",
    password: PASSWORD,
    email_confirm: true,
    user_metadata: { full_name: "Made" },
    app_metadata: { team: "gate" },
  });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    email: "made@example.com",
    user_metadata: { full_name: "Made", email_verified: true },
    app_metadata: { provider: "email", providers: ["email"], team: "gate" },
  });
  expect(auth.mails.filter(({ to }) => to === "made@example.com")).toEqual([]);
  expect((await grant("made@example.com", PASSWORD)).status).toBe(200);
});

it("names the id that another account has", async () => {
  const { body: first } = await create({ email: "first-id@example.com" });
  const { status, body } = await create({ email: "second-id@example.com", id: first.id });
  expect([status, body.error_code, body.msg]).toEqual([
    ...[422, "user_already_exists", "A user with this ID has already been registered"],
  ]);
});

it.each(["user_metadata", "app_metadata"])(
  "refuses %s that grows too large little by little",
  async (member) => {
    const { body: user } = await create({ email: `hoarder-of-${member.replace("_", "-")}@example.com` });
    const put = (name: string) =>
      auth.call("PUT", `/admin/users/${user.id}`, { [member]: { [name]: "x".repeat(3000) } }, key);
    expect((await put("first")).status).toBe(200);
    const { status, body } = await put("second");
    expect([status, body.error_code]).toEqual([400, "validation_failed"]);
    expect((await put("first")).status).toBe(200);
  },
);

it.each([
  [{}, 400, "validation_failed"],
  [{ email: "made@example.com" }, 422, "email_exists"],
  [{ email: "b@example.com", password: "short" }, 422, "weak_password"],
  [{ email: "b@example.com", password: "b@example.com" }, 422, "weak_password"],
  [{ email: "b@example.com", id: "7" }, 400, "validation_failed"],
  [{ email: "b@example.com", ban_duration: "for ever" }, 400, "validation_failed"],
])("refuses to create %j", async (body, status, code) => {
  const answer = await create(body);
  expect([answer.status, answer.body.error_code]).toEqual([status, code]);
});

it.each([{}, { email: "after@example.com" }])(
  "refuses an address as its password, after %j",
  async (change) => {
    const email = `own${Object.keys(change).length}@example.com`;
    const { body: made } = await create({ email, password: PASSWORD });
    const password = "email" in change ? change.email : email;
    const answer = await auth.call("PUT", `/admin/users/${made.id}`, { ...change, password }, key);
    expect([answer.status, answer.body.error_code]).toEqual([422, "weak_password"]);
  },
);

it("changes password, address and confirmation immediately", async () => {
  const { body: made } = await create({ email: "before@example.com", password: PASSWORD });
  const change = { email: "after@example.com", password: "new password", email_confirm: true };
  const { body } = await auth.call("PUT", `/admin/users/${made.id}`, change, key);
  expect(body).toMatchObject({ id: made.id, email: "after@example.com" });
  expect(body.identities[0].email).toBe("after@example.com");
  expect((await grant("after@example.com", "new password")).status).toBe(200);
  const taken = await auth.call("PUT", `/admin/users/${made.id}`, { email: "made@example.com" }, key);
  expect(taken.body.error_code).toBe("email_exists");
});

it("invalidates mailed links and a pending change when the account moves to another address", async () => {
  const { user, access_token } = await auth.signedUp("taken@example.com");
  await auth.call("PUT", "/user", { email: "thief@example.com" }, access_token);
  const half = auth.codeTo("taken@example.com");
  const other = auth.codeTo("thief@example.com");
  await auth.call("POST", "/otp", { email: "taken@example.com", create_user: false });
  const signIn = auth.linkTo("taken@example.com");
  const moved = { email: "safe@example.com", email_confirm: true };
  expect((await auth.call("PUT", `/admin/users/${user.id}`, moved, key)).status).toBe(200);
  for (const [email, token] of [
    ["taken@example.com", half],
    ["safe@example.com", half],
    ["thief@example.com", other],
  ]) {
    const { status } = await auth.call("POST", "/verify", { type: "email_change", email, token });
    expect([email, status]).toEqual([email, 403]);
  }
  expect((await auth.call("GET", signIn)).headers.get("location")).toContain("otp_expired");
  const { body } = await auth.call("GET", `/admin/users/${user.id}`, undefined, key);
  expect(body).toMatchObject({ email: "safe@example.com" });
  expect(body.new_email).toBeUndefined();
});

it("lists in pages, newest first, with the total", async () => {
  const { body, headers } = await auth.call("GET", "/admin/users?page=1&per_page=2", undefined, key);
  expect(body.aud).toBe("authenticated");
  expect(body.users).toHaveLength(2);
  const total = Number(headers.get("x-total-count"));
  expect(total).toBeGreaterThan(2);
  expect(headers.get("link")).toContain('page=2&per_page=2>; rel="next"');
  const rest = await auth.call("GET", "/admin/users?page=2&per_page=2", undefined, key);
  expect(rest.body.users[0].id).not.toBe(body.users[0].id);
  expect((await auth.call("GET", "/admin/users?page=-1", undefined, key)).status).toBe(400);
});

it("deletes a user with its sessions, and no longer finds it", async () => {
  const { user, refresh_token } = await auth.signedUp("leaving@example.com");
  expect((await auth.call("DELETE", `/admin/users/${user.id}`, undefined, key)).status).toBe(200);
  const refreshed = await auth.call("POST", "/token?grant_type=refresh_token", { refresh_token });
  expect(refreshed.body.error_code).toBe("refresh_token_not_found");
  for (const id of [user.id, "00000000-0000-4000-8000-000000000000"]) {
    const { status, body } = await auth.call("GET", `/admin/users/${id}`, undefined, key);
    expect([status, body.error_code]).toEqual([404, "user_not_found"]);
  }
  expect((await auth.call("GET", "/admin/users/7", undefined, key)).status).toBe(404);
});

it("writes an audit row for each change, with actor and address", async () => {
  await create({ email: "audited@example.com" });
  const service = auth.database.asService("the test looks inside");
  const { rows } = await service.query(
    `select payload, ip_address from auth.audit_log_entries
     where payload -> 'traits' ->> 'user_email' = 'audited@example.com'`,
  );
  expect(rows).toMatchObject([
    { ip_address: "203.0.113.7", payload: { action: "user_signedup", actor_username: "service_role" } },
  ]);
});

it("deletes a buyer and keeps the orders", async () => {
  const { body: made } = await create({ email: "bought@example.com", password: PASSWORD });
  const service = auth.database.asService("tests look at everything");
  await service.query(
    `insert into public.orders (user_id, total_amount, buyer_full_name, buyer_email, buyer_phone_number, hold_expires_at)
     values ($1, 45, 'Bought', 'bought@example.com', '713', now())`,
    [made.id],
  );
  expect(await auth.call("DELETE", `/admin/users/${made.id}`, undefined, key)).toMatchObject({ status: 200 });
  const { rows } = await service.query(
    "select user_id from public.orders where buyer_email = 'bought@example.com'",
  );
  expect(rows).toEqual([{ user_id: null }]);
});

it("deletes a buyer whose cart is being placed, after the order", async () => {
  const { body: buyer } = await create({ email: "buying@example.com" });
  const service = auth.database.asService("a cart has its stock, and no order yet");
  const { rows } = await service.query<{ id: string }>(
    `insert into public.waitlist_entries (user_id, ticket_type_id, quantity)
     select $1, id, 1 from public.ticket_types where name = 'General Admission' returning ticket_type_id as id`,
    [buyer.id],
  );
  const type = rows[0]!.id;
  const cart = {
    ...{ user_id: buyer.id, idempotency_key: randomUUID(), request_hash: "hash", total_cents: 4500 },
    items: [{ id: type, type: "ticket", quantity: 1 }],
    attendees: [{ name: "Ana", email: "ana@people.test" }],
    buyer: { name: "Ana", email: "ana@people.test", phone: "713-555-0100" },
  };
  const [placing, deleting] = await service.transaction(async (tx) => {
    await tx.query("select from public.ticket_types where id = $1 for update", [type]);
    const order = service.query("select public.reserve_orders($1::jsonb) as answers", [
      JSON.stringify([cart]),
    ]);
    await untilWaitingOn(service)(1);
    const deletion = auth.call("DELETE", `/admin/users/${buyer.id}`, undefined, key);
    await untilWaitingOn(service)(2);
    return [order, deletion] as const;
  });
  expect((await placing).rows).toMatchObject([{ answers: [{ ok: true }] }]);
  expect(await deleting).toMatchObject({ status: 200 });
});

it("explains why a user cannot be deleted: the last administrator, or rows that refer to them", async () => {
  const service = auth.database.asService("tests look at everything");
  const { body: admin } = await create({
    email: "last-admin@example.com",
    password: PASSWORD,
    email_confirm: true,
  });
  await service.query("insert into public.user_roles (user_id, role) values ($1, 'admin')", [admin.id]);
  const { body: kept } = await create({ email: "kept@example.com", password: PASSWORD, email_confirm: true });
  await service.query("create table public.badges (holder uuid references auth.users (id))");
  await service.query("insert into public.badges values ($1)", [kept.id]);
  for (const [id, msg] of [
    [admin.id, "The last administrator cannot be demoted or removed."],
    [kept.id, "The user cannot be deleted: badges still refers to them"],
  ]) {
    expect(await auth.call("DELETE", `/admin/users/${id}`, undefined, key)).toMatchObject({
      status: 409,
      body: { code: 409, error_code: "conflict", msg },
    });
    expect((await auth.call("GET", `/admin/users/${id}`, undefined, key)).status).toBe(200);
  }
  expect(
    await auth.call("DELETE", `/admin/users/${admin.id}`, { should_soft_delete: true }, key),
  ).toMatchObject({
    status: 409,
    body: { error_code: "conflict", msg: "The last administrator cannot be deleted." },
  });
  const ban = { ban_duration: "24h" };
  expect(await auth.call("PUT", `/admin/users/${admin.id}`, ban, key)).toMatchObject({
    status: 409,
    body: { error_code: "conflict", msg: "The last administrator cannot be blocked." },
  });
  expect((await grant("last-admin@example.com", PASSWORD)).status).toBe(200);
  expect((await auth.call("PUT", `/admin/users/${kept.id}`, ban, key)).status).toBe(200);
  expect((await grant("kept@example.com", PASSWORD)).body.error_code).toBe("user_banned");
});

it("deletes a user of a database without the shop", async () => {
  const { body: made } = await create({ email: "no-shop@example.com" });
  const service = auth.database.asService("an operator has only accounts");
  await service.query("drop function public.lock_departure");
  expect(await auth.call("DELETE", `/admin/users/${made.id}`, undefined, key)).toMatchObject({ status: 200 });
});
