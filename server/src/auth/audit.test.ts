// Every action leaves a row in the audit log, and none happens without it.
import { createHash, randomUUID } from "node:crypto";
import { TOTP } from "otpauth";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Answer, PASSWORD, startAuth, type TestAuth } from "../../testing/auth.ts";

let auth: TestAuth;
let key: string;
beforeAll(async () => {
  auth = await startAuth({}, { environment: { GOTRUE_SECURITY_MANUAL_LINKING_ENABLED: "true" } });
  key = await auth.serviceKey();
  await sql(`create function auth.refuse_audit() returns trigger language plpgsql as
      $$ begin raise exception 'the audit log is full'; end $$;
    create trigger full_log before insert on auth.audit_log_entries for each row execute function auth.refuse_audit();
    alter table auth.audit_log_entries disable trigger full_log;`);
});
afterAll(() => auth.close());

const sql = async (text: string, values: unknown[] = []) =>
  (await auth.database.asService("the test looks inside").query(text, values)).rows;

const fillLog = (isFull: boolean) =>
  sql(`alter table auth.audit_log_entries ${isFull ? "enable" : "disable"} trigger full_log`);

/** Everything auth stores, except its failure counters. */
async function everything(): Promise<string> {
  const tables = await sql(
    "select relname from pg_class where relnamespace = 'auth'::regnamespace and relkind = 'r' and relname not in ('audit_log_entries', 'sign_in_failures') order by 1",
  );
  const sums = tables.map(
    ({ relname }) =>
      `select '${relname}', md5(string_agg(t::text, ',' order by t::text)) from auth.${relname} t`,
  );
  return JSON.stringify(await sql(sums.join(" union all ")));
}

interface Person {
  readonly email: string;
  readonly id: string;
  readonly access_token: string;
  readonly refresh_token: string;
}

async function person(): Promise<Person> {
  const email = `${randomUUID()}@example.com`;
  const { user, ...tokens } = await auth.signedUp(email);
  return { email, id: user.id, ...tokens };
}

type Action = (by: Person) => Promise<() => Promise<Answer>>;

/** An action that needs nothing but the user. */
const plain =
  (
    method: string,
    path: string | ((by: Person) => string),
    body?: (by: Person) => unknown,
    asAdmin = false,
  ): Action =>
  async (by) =>
  () =>
    auth.call(
      method,
      typeof path === "string" ? path : path(by),
      body?.(by),
      asAdmin ? key : by.access_token,
    );

const factor = async (by: Person) => {
  const { body } = await auth.call("POST", "/factors", { factor_type: "totp" }, by.access_token);
  return { id: body.id as string, secret: body.totp.secret as string };
};

const actions: readonly (readonly [string, string, Action])[] = [
  [
    "signing up",
    "user_confirmation_requested",
    plain("POST", "/signup", ({ id }) => ({ email: `new-${id}@example.com`, password: PASSWORD })),
  ],
  [
    "a password",
    "login",
    plain("POST", "/token?grant_type=password", ({ email }) => ({ email, password: PASSWORD })),
  ],
  [
    "a refresh",
    "token_refreshed",
    plain("POST", "/token?grant_type=refresh_token", ({ refresh_token }) => ({ refresh_token })),
  ],
  ["signing out", "logout", plain("POST", "/logout")],
  ["signing out elsewhere", "logout", plain("POST", "/logout?scope=others")],
  ["new metadata", "user_modified", plain("PUT", "/user", () => ({ data: { full_name: "Ada" } }))],
  [
    "a new password",
    "user_updated_password",
    plain("PUT", "/user", () => ({ password: "gulf coast thunder" })),
  ],
  ["a link to sign in", "user_recovery_requested", plain("POST", "/magiclink", ({ email }) => ({ email }))],
  [
    "a link to a new password",
    "user_recovery_requested",
    plain("POST", "/recover", ({ email }) => ({ email })),
  ],
  ["a nonce", "user_reauthenticate_requested", plain("GET", "/reauthenticate")],
  [
    "an invitation",
    "user_invited",
    plain("POST", "/invite", ({ id }) => ({ email: `guest-${id}@example.com` }), true),
  ],
  [
    "a user made",
    "user_signedup",
    plain("POST", "/admin/users", ({ id }) => ({ email: `made-${id}@example.com` }), true),
  ],
  [
    "a user changed",
    "user_modified",
    plain(
      "PUT",
      ({ id }) => `/admin/users/${id}`,
      () => ({ user_metadata: { a: 1 } }),
      true,
    ),
  ],
  ["a user deleted", "user_deleted", plain("DELETE", ({ id }) => `/admin/users/${id}`, undefined, true)],
  [
    "a link made",
    "user_recovery_requested",
    plain("POST", "/admin/generate_link", ({ email }) => ({ type: "recovery", email }), true),
  ],
  [
    "a link opened",
    "login",
    async (by) => {
      await auth.call("POST", "/magiclink", { email: by.email });
      const token = new URL(auth.linkTo(by.email), "http://localhost").searchParams.get("token");
      return () => auth.call("POST", "/verify", { type: "magiclink", token_hash: token });
    },
  ],
  [
    "a code typed",
    "login",
    async (by) => {
      await auth.call("POST", "/otp", { email: by.email });
      const token = auth.codeTo(by.email);
      return () => auth.call("POST", "/verify", { type: "email", email: by.email, token });
    },
  ],
  ["a factor begun", "factor_in_progress", plain("POST", "/factors", () => ({ factor_type: "totp" }))],
  [
    "a challenge",
    "challenge_created",
    async (by) => {
      const { id } = await factor(by);
      return () => auth.call("POST", `/factors/${id}/challenge`, {}, by.access_token);
    },
  ],
  [
    "a factor verified",
    "verification_attempted",
    async (by) => {
      const { id, secret } = await factor(by);
      const { body } = await auth.call("POST", `/factors/${id}/challenge`, {}, by.access_token);
      const code = new TOTP({ secret }).generate();
      return () =>
        auth.call("POST", `/factors/${id}/verify`, { challenge_id: body.id, code }, by.access_token);
    },
  ],
  [
    "a factor removed",
    "factor_unenrolled",
    async (by) => {
      const { id } = await factor(by);
      return () => auth.call("DELETE", `/factors/${id}`, undefined, by.access_token);
    },
  ],
  [
    "a passkey renamed",
    "passkey_updated",
    async (by) => {
      const id = await passkey(by);
      return () => auth.call("PATCH", `/passkeys/${id}`, { friendly_name: "Phone" }, by.access_token);
    },
  ],
  [
    "a passkey removed",
    "passkey_deleted",
    async (by) => {
      const id = await passkey(by);
      return () => auth.call("DELETE", `/passkeys/${id}`, undefined, by.access_token);
    },
  ],
  [
    "an identity unlinked",
    "identity_unlinked",
    async (by) => {
      const [row] = await sql(
        `insert into auth.identities (provider_id, user_id, identity_data, provider, created_at, updated_at)
        values ($1::text, $1::text::uuid, jsonb_build_object('sub', $1::text), 'google', now(), now()) returning id`,
        [by.id],
      );
      return () => auth.call("DELETE", `/user/identities/${row!.id}`, undefined, by.access_token);
    },
  ],
];

async function passkey(by: Person): Promise<string> {
  const [row] = await sql(
    `insert into auth.webauthn_credentials (user_id, credential_id, public_key, friendly_name)
      values ($1, $2, '\\x00', 'Key') returning id`,
    [by.id, createHash("sha256").update(by.id).digest()],
  );
  return row!.id as string;
}

it.each(actions)("%s leaves %s, and does not happen without", async (_name, expected, prepare) => {
  const act = await prepare(await person());
  const before = await everything();
  const actionsBefore = await sql("select count(*)::int as n from auth.audit_log_entries");
  await fillLog(true);
  try {
    expect((await act()).status).toBe(500);
  } finally {
    await fillLog(false);
  }
  expect(await everything()).toBe(before);
  expect((await act()).status).toBeLessThan(300);
  const left = await sql(
    "select payload ->> 'action' as action from auth.audit_log_entries order by created_at offset $1",
    [actionsBefore[0]!.n],
  );
  expect(left.map(({ action }) => action)).toContain(expected);
});
