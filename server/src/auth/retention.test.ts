// What auth deletes, and what it keeps.
import { expect, it } from "vitest";
import { parseSettings } from "./settings/settings.ts";
import { forgetOldRows } from "./retention.ts";
import { CHALLENGE, PASSWORD, useAuth } from "../../testing/auth.ts";

const auth = await useAuth();

const sql = async (text: string, values: unknown[] = []) =>
  (await auth.database.asService("the test looks at what is kept").query<{ n: number }>(text, values)).rows;
const forget = (days: number, most?: number, environment: Record<string, string> = {}) =>
  forgetOldRows(
    auth.database.asService("the clean-up"),
    parseSettings(environment),
    Date.now() + days * 86_400_000,
    most,
  );
const count = async (table: string, where = "true") =>
  (await sql(`select count(*)::int as n from auth.${table} where ${where}`))[0]!.n;

it("keeps what is recent, then deletes in batches used tokens, ended sessions, old entries and unconfirmed accounts", async () => {
  const { refresh_token, user } = await auth.signedUp("kept@people.test");
  await auth.call("POST", "/token?grant_type=refresh_token", { refresh_token });
  await sql("update auth.refresh_tokens set parent = null where not revoked");
  for (const name of ["a", "b"]) {
    await auth.call("POST", "/signup", { email: `${name}@strangers.test`, password: "swangas and vogues" });
  }
  await forget(6);
  expect(await count("refresh_tokens", "revoked")).toBe(1);
  expect(await count("users")).toBe(3);

  await sql("update auth.sessions set refreshed_at = now() + interval '30 days'");
  await forget(31, 1);
  expect(await count("refresh_tokens", "revoked")).toBe(0);
  expect(await count("refresh_tokens")).toBe(await count("sessions"));
  expect(await count("users", "confirmed_at is null")).toBe(1);
  await forget(31);
  expect(await count("sessions")).toBeGreaterThan(0);
  expect(await sql("select id from auth.users")).toEqual([{ id: user.id }]);
  expect(await count("audit_log_entries")).toBeGreaterThan(0);

  await forget(366);
  expect([await count("sessions"), await count("refresh_tokens")]).toEqual([0, 0]);
  expect(await count("audit_log_entries")).toBe(0);
  expect(await count("users")).toBe(1);
});

it("deletes counters after an hour and a link's flow after a day, or once they no longer matter", async () => {
  const hours = (n: number) => n / 24;
  const kept = async () => [
    await count("mail_requests"),
    await count("sign_in_failures"),
    await count("flow_state"),
  ];
  for (const email of ["one@strangers.test", "two@strangers.test"]) {
    await auth.call("POST", "/signup", { email, password: PASSWORD, ...CHALLENGE });
    await auth.call("POST", "/token?grant_type=password", { email, password: "a guess" });
  }
  const all = await kept();
  // A guess counts twice: for the account from its network, and for the account from everywhere.
  expect(all).toEqual([2, 4, 2]);
  expect(await forget(hours(0.9))).toBe(false);
  expect(await kept()).toEqual(all);

  const slow = { GOTRUE_SMTP_MAX_FREQUENCY: "3h", GOTRUE_MAILER_OTP_EXP: "172800" };
  expect(await forget(hours(25), 1, slow)).toBe(true);
  expect(await kept()).toEqual([1, 3, 2]);
  expect(await forget(hours(2), undefined, slow)).toBe(false);
  expect(await kept()).toEqual([1, 0, 2]);
  expect(await forget(hours(25), 1)).toBe(true);
  expect(await kept()).toEqual([0, 0, 1]);
  expect(await forget(hours(25), 5)).toBe(false);
  expect(await kept()).toEqual([0, 0, 0]);
});
