// Inviting staff by mail: an administrator invites, the auth service mails, and the person who opens the link gets the
// role.
import { afterAll, beforeAll, expect, it } from "vitest";
import { openWorld, type World } from "../../../../shop/testing/world.ts";

let world: World;
let admin: string;
beforeAll(async () => {
  world = await openWorld();
  admin = await staff("admin");
});
afterAll(() => world?.close());

async function staff(role: string): Promise<string> {
  const id = await world.newUser();
  await world.sql("insert into public.user_roles (user_id, role) values ($1, $2)", id, role);
  return id;
}
const as = async <T>(user: string, text: string, ...values: unknown[]): Promise<T> => {
  const claims = { role: "authenticated", sub: user };
  const { rows } = await world.db.database.run({ claims }, { text: `select ${text} as answer`, values });
  return (rows[0] as { answer: T }).answer;
};
const invite = (email: string, role = "finance", by = admin) =>
  as<string>(by, "public.invite_staff($1, $2)", email, role);
const ask = (invitation_id: string, by = admin) =>
  world.call("invite-staff", { as: by, body: { invitation_id } });
const deliver = () => world.call("drain-outbox", { as: "service" });
/** Asks, then sends the mail. */
const send = async (invitation_id: string) => {
  const answer = await ask(invitation_id);
  await deliver();
  return answer;
};
/**
 * The final effect of opening the mailed link. `password` is set when a stranger's earlier sign-up was confirmed
 * instead.
 */
const confirm = (email: string, password: string | null = null) =>
  world.sql(
    "update auth.users set email_confirmed_at = now(), encrypted_password = $2 where email = $1",
    email,
    password,
  );
/** Somebody signs up, without confirming the address. */
const signUp = (email: string) =>
  world.sql(
    `insert into auth.users (id, aud, role, email, encrypted_password, created_at, updated_at)
     values (gen_random_uuid(), 'authenticated', 'authenticated', $1, 'a stranger''s', now(), now())`,
    email,
  );
const rolesOf = (email: string) =>
  world.sql(
    "select r.role from public.user_roles r join auth.users u on u.id = r.user_id where u.email = $1",
    email,
  );

it("says how long the link works", async () => {
  await send(await invite("soon@staff.test"));
  expect(world.mails.at(-1)!.text).toContain("The button works once, for 60 minutes.");
});

it("gives the role to the person who opens the mail, and records who invited and who accepted", async () => {
  const id = await invite(" Books@Staff.test ");
  expect(await send(id)).toMatchObject({ status: 200, body: { sent: true } });
  expect(world.mails.at(-1)).toMatchObject({
    to: "books@staff.test",
    text: expect.stringMatching(
      /to manage the festival's money, [\s\S]+\/auth\?mode=reset#type=invite&token_hash=[\w-]{20}/,
    ),
  });
  const [account] = await world.sql(
    "select invited_at, email_confirmed_at from auth.users where email = 'books@staff.test'",
  );
  expect(account).toMatchObject({ invited_at: expect.any(Date), email_confirmed_at: null });
  expect(await rolesOf("books@staff.test")).toEqual([]);
  await confirm("books@staff.test");
  expect(await rolesOf("books@staff.test")).toEqual([{ role: "finance" }]);
  const [row] = await world.sql(
    "select accepted_at, accepted_by, invited_by from public.staff_invitations where id = $1",
    id,
  );
  expect(row).toMatchObject({
    accepted_at: expect.any(Date),
    accepted_by: expect.any(String),
    invited_by: admin,
  });
  const entries = await world.sql(
    `select action_type, table_name, admin_user_id from public.audit_logs
     where record_id in ($1::text, (select accepted_by::text from public.staff_invitations where id = $1::uuid)) order by created_at, action_type`,
    id,
  );
  expect(entries).toMatchObject([
    { action_type: "CREATE", table_name: "staff_invitations", admin_user_id: admin },
    { table_name: "staff_invitations" },
    { action_type: "CREATE", table_name: "user_roles" },
    { table_name: "staff_invitations" },
  ]);
});

it("is mailed when the mail server accepts it: nobody waits for that, and a second request within a minute adds no mail", async () => {
  const email = "unreached@staff.test";
  const id = await invite(email, "gate");
  world.breakMail(() => new Error("421 try again later"));
  expect(await send(id)).toMatchObject({ status: 200, body: { sent: true } });
  world.breakMail(undefined);
  expect(await send(id), "it waits").toMatchObject({ status: 200, body: { sent: false } });
  const mails = () => world.mails.filter(({ to }) => to === email).length;
  expect(mails()).toBe(0);
  await world.sql("update public.outbox set next_attempt_at = now() where kind = 'staff_invitation_mail'");
  await deliver();
  expect(mails()).toBe(1);
  expect((await send(id)).body, "it is less than a minute old").toEqual({ sent: false });
  expect(mails()).toBe(1);
  await world.sql(
    "update public.rate_limits set hits = array[now() - interval '1 minute'] where key like $1",
    `%${id}`,
  );
  expect((await send(id)).body).toEqual({ sent: true });
  expect(mails()).toBe(2);
});

it("is not mailed if it was revoked while its mail waited", async () => {
  const email = "too.late@staff.test";
  const id = await invite(email);
  await ask(id);
  await as(admin, "public.revoke_staff_invitation($1)", id);
  expect((await deliver()).body).toMatchObject({ failed: 0 });
  expect(world.mails.filter(({ to }) => to === email)).toEqual([]);
});

it("gives nothing once it was revoked or has expired, and sends no more mail", async () => {
  for (const [email, ending] of [
    ["revoked@staff.test", "select public.revoke_staff_invitation($1)"],
    [
      "late@staff.test",
      "update public.staff_invitations set expires_at = now() - interval '1 second' where id = $1",
    ],
  ] as const) {
    const id = await invite(email);
    await send(id);
    if (ending.startsWith("select"))
      expect(await as(admin, "public.revoke_staff_invitation($1)", id)).toBe(true);
    else await world.sql(ending, id);
    await confirm(email);
    expect(await rolesOf(email)).toEqual([]);
  }
  const id = await invite("unsent@staff.test");
  await as(admin, "public.revoke_staff_invitation($1)", id);
  expect((await send(id)).status).toBe(404);
  expect(await as(admin, "public.revoke_staff_invitation($1)", id)).toBe(false);
  expect(await invite("unsent@staff.test")).not.toBe(id);
});

it.each([
  ["before", "early@staff.test"],
  ["after", "later@staff.test"],
])(
  "is not hindered by a stranger who signed up with the address %s it, and is of no use to them",
  async (when, email) => {
    if (when === "before") await signUp(email);
    const id = await invite(email, "admin");
    if (when === "after") await signUp(email);
    expect(await send(id)).toMatchObject({ status: 200, body: { sent: true } });
    await confirm(email, "a stranger's");
    expect(await rolesOf(email)).toEqual([]);
    await world.sql("update auth.users set email_confirmed_at = null where email = $1", email);
    await confirm(email);
    expect(await rolesOf(email)).toEqual([{ role: "admin" }]);
  },
);

it("gives the role if the platform sets a random password at confirmation, but not with an older one", async () => {
  for (const email of ["platform@staff.test", "older@staff.test"])
    expect(await send(await invite(email, "gate"))).toMatchObject({ body: { sent: true } });
  const password = "update auth.users set encrypted_password = 'known to nobody' where email = ";
  const confirmed = "update auth.users set email_confirmed_at = now() where email = ";
  const email = "'platform@staff.test'";
  await world.sql(`do $$ begin ${password}${email}; ${confirmed}${email}; end $$`);
  expect(await rolesOf("platform@staff.test")).toEqual([{ role: "gate" }]);
  await world.sql(`${password}$1`, "older@staff.test");
  await world.sql(`${confirmed}$1`, "older@staff.test");
  expect(await rolesOf("older@staff.test")).toEqual([]);
});

it("for an address confirmed meanwhile, refers to where its role is assigned", async () => {
  const email = "quicker@staff.test";
  const id = await invite(email, "gate");
  await signUp(email);
  await confirm(email, "their own");
  expect(await rolesOf(email)).toEqual([]);
  const refused = await send(id);
  expect(refused.status).toBe(404);
  expect(JSON.stringify(refused.body)).toContain("An account with this address already exists.");
});

it("is for administrators, unconfirmed addresses and staff roles, one at a time", async () => {
  const finance = await staff("finance");
  const id = await invite("twice@staff.test");
  await expect(invite("x@staff.test", "gate", finance)).rejects.toThrow("Only administrators may do this.");
  await expect(as(finance, "public.revoke_staff_invitation($1)", id)).rejects.toThrow("Only administrators");
  expect((await ask(id, finance)).status).toBe(403);
  expect((await world.call("invite-staff", { body: { invitation_id: id } })).status).toBe(401);
  await expect(as(admin, "public.send_staff_invitation($1)", id)).rejects.toThrow("permission denied");
  await expect(invite("Twice@staff.test")).rejects.toThrow("This address already has a pending invitation.");
  const [known] = await world.sql(
    "update auth.users set email_confirmed_at = now() where id = $1 returning email",
    finance,
  );
  await expect(invite(known!.email)).rejects.toThrow("An account with this address already exists.");
  for (const role of ["user", "postgres"]) {
    await expect(invite("y@staff.test", role)).rejects.toThrow("Choose a staff role for the invitation.");
  }
  for (const email of ["", "second@", "one@staff.test, two@staff.test"]) {
    await expect(invite(email)).rejects.toThrow("Valid email is required");
  }
});
