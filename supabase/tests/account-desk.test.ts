// What an administrator may do about a person's sign-in: sign them out, remove lost second steps, block and unblock.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { cloneDatabase, type TestDatabase } from "../../server/testing/database.ts";
import type { Claims } from "../../server/src/platform/keys/jwt.ts";
import { type Office, openOffice } from "./office.ts";

let db: TestDatabase;
let office: Office;
let person: string;
beforeAll(async () => {
  db = await cloneDatabase();
  office = await openOffice(db);
});
afterAll(() => db?.close());

beforeEach(async () => {
  person = randomUUID();
  await office.sql(
    "insert into auth.users (id, email, email_confirmed_at, created_at) values ($1, $2, now(), now())",
    person,
    `${person}@people.test`,
  );
  for (let n = 0; n < 2; n++) await newSession(person);
});

async function newSession(user: string): Promise<string> {
  const id = randomUUID();
  await office.sql("insert into auth.sessions (id, user_id, created_at) values ($1, $2, now())", id, user);
  return id;
}

const newFactor = (kind: string) =>
  office.sql(
    `insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
     values (gen_random_uuid(), $1, $2, 'verified', clock_timestamp(), now())`,
    person,
    kind,
  );

/** Calls as the administrator, with the network and browser that the audit log must record. */
function ask(call: string, values: unknown[] = [person, "Lost phone"], claims: Partial<Claims> = {}) {
  const scope = {
    claims: { role: "authenticated", sub: office.admin, ...claims },
    headers: { "x-forwarded-for": "203.0.113.9", "user-agent": "Office" },
  };
  return db.database.transaction(scope, async (tx) => (await tx.query(`select public.${call}`, values)).rows);
}

const sessions = async () =>
  (await office.sql("select count(*)::int as n from auth.sessions where user_id = $1", person))[0]?.n;
const lastAudit = async () =>
  (
    await office.sql(
      `select admin_user_id, action_type, table_name, old_values, new_values, ip_address, user_agent from public.audit_logs
       where record_id = $1 order by created_at desc limit 1`,
      person,
    )
  )[0];
const listed = async () => {
  const [answer] = await ask("list_users($1) as list", [person]);
  return answer?.["list"].rows[0];
};

const WORKS = [
  "sign_out_user($1, $2)",
  "remove_second_steps($1, $2)",
  "block_user($1, $2)",
  "unblock_user($1, $2)",
];

describe.each(WORKS)("%s", (work) => {
  it("requires a reason, and an existing account that is not the caller's own", async () => {
    await newFactor("totp");
    for (const reason of [null, " ", "x".repeat(501)]) {
      await expect(ask(work, [person, reason])).rejects.toThrow("Enter a reason (up to 500 characters)");
    }
    await expect(ask(work, [office.admin, "Why not"])).rejects.toThrow("This is your own account.");
    await expect(ask(work, [randomUUID(), "Who?"])).rejects.toThrow("This account no longer exists.");
    expect(await sessions()).toBe(2);
  });

  it("requires the second step if the back office does, and a live session", async () => {
    await office.sql("update public.staff_settings set two_step_roles = '{admin}'");
    await expect(ask(work)).rejects.toMatchObject({ code: "42501", hint: "insufficient_aal" });
    await office.sql("update public.staff_settings set two_step_roles = '{}'");
    await expect(ask(work, undefined, { session_id: randomUUID() })).rejects.toMatchObject({ code: "42501" });
    expect(await lastAudit()).toBeUndefined();
  });
});

it("signs a person out everywhere and records it in both logs", async () => {
  expect(await ask("sign_out_user($1, $2) as ended")).toEqual([{ ended: 2 }]);
  expect(await sessions()).toBe(0);
  expect(await lastAudit()).toEqual({
    admin_user_id: office.admin,
    action_type: "UPDATE",
    table_name: "users",
    old_values: { sessions: 2 },
    new_values: { sessions: 0, reason: "Lost phone" },
    ip_address: "203.0.113.9",
    user_agent: "Office",
  });
  const [entry] = await office.sql(
    "select payload from auth.audit_log_entries where payload -> 'traits' ->> 'user_id' = $1",
    person,
  );
  expect(entry?.payload).toMatchObject({ action: "logout", actor_id: office.admin, log_type: "account" });
  const [logs] = await ask("list_audit_logs(null) as list", []);
  expect(logs?.["list"].rows[0].record_name).toBe(`${person}@people.test`);
});

it("removes every second step with its sessions, and mails the person in the same transaction", async () => {
  await expect(ask("remove_second_steps($1, $2)")).rejects.toThrow(
    "This account has no two-step verification.",
  );
  for (const kind of ["totp", "webauthn", "recovery_code"]) await newFactor(kind);
  expect(await listed()).toMatchObject({ has_second_step: true });
  await ask("remove_second_steps($1, $2)");
  expect(await listed()).toMatchObject({ has_second_step: false });
  expect(await sessions()).toBe(0);
  expect(await lastAudit()).toMatchObject({
    old_values: { second_steps: ["totp", "webauthn", "recovery_code"] },
    new_values: { second_steps: [], reason: "Lost phone" },
  });
  const mails = await office.sql(
    "select kind from public.outbox where payload ->> 'email' = $1",
    `${person}@people.test`,
  );
  expect(mails).toEqual([{ kind: "second_steps_mail" }]);
});

it("blocks a person for days or for good, and lifts the block", async () => {
  const session = await newSession(person);
  const live = async () =>
    (await office.sql("select public.is_live_session($1, $2) as live", person, session))[0]?.live;
  await ask("block_user($1, $2, $3)", [person, "Card fraud", 7]);
  expect(await live()).toBe(false);
  expect(await sessions()).toBe(0);
  const [week] = await office.sql(
    "select banned_until - updated_at = interval '7 days' as is_week from auth.users where id = $1",
    person,
  );
  expect(week).toEqual({ is_week: true });
  await ask("block_user($1, $2, $3)", [person, "Card fraud", null]);
  expect(Date.parse((await listed()).blocked_until)).toBeGreaterThan(Date.now() + 99 * 365 * 86_400_000);
  for (const days of [0, -1, 366]) {
    await expect(ask("block_user($1, $2, $3)", [person, "Late", days])).rejects.toThrow(
      "Choose 1 to 365 days, or permanently.",
    );
  }
  await ask("unblock_user($1, $2)", [person, "It was not them"]);
  expect((await listed()).blocked_until).toBeNull();
  expect((await lastAudit())?.["new_values"]).toEqual({ blocked_until: null, reason: "It was not them" });
  await expect(ask("unblock_user($1, $2)")).rejects.toThrow("This account is not blocked.");
});

describe("the last administrator who can sign in", () => {
  const admins = async () =>
    (await office.sql("select user_id from public.user_roles where role = 'admin' order by 1")).map(
      ({ user_id }) => user_id as string,
    );
  const blockAs = (by: string, whom: string) =>
    db.database.transaction({ claims: { role: "authenticated", sub: by } }, async (tx) => {
      await tx.query("select public.block_user($1, 'x')", [whom]);
    });

  it("stays, even when two block each other", async () => {
    const [one, two] = (await admins()) as [string, string];
    const outcomes = await Promise.allSettled([blockAs(one, two), blockAs(two, one)]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const [blocked] = await office.sql("select id from auth.users where banned_until > now()");
    const left = blocked?.["id"] === one ? two : one;
    // A blocked administrator does not count as another administrator.
    await expect(
      office.sql("update public.user_roles set role = 'user' where user_id = $1", left),
    ).rejects.toThrow("The last administrator cannot be demoted or removed.");
    await expect(
      office.sql("update auth.users set banned_until = now() + interval '1 day' where id = $1", left),
    ).rejects.toThrow("The last administrator cannot be blocked.");
    await office.sql("update auth.users set banned_until = null");
    expect(await admins()).toHaveLength(2);
  });
});
