// What a second step must withstand: factors planted before it, endless texts, odd spellings.
import { TOTP } from "otpauth";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PASSWORD, startAuth, type TestAuth } from "../../../testing/auth.ts";

const ON = Object.fromEntries(
  ["PHONE", "WEB_AUTHN"].flatMap((kind) =>
    ["ENROLL", "VERIFY"].map((what) => [`GOTRUE_MFA_${kind}_${what}_ENABLED`, "true"]),
  ),
);
const WEBAUTHN = { GOTRUE_WEBAUTHN_RP_ID: "localhost", GOTRUE_WEBAUTHN_RP_ORIGINS: "http://localhost:3000" };
let auth: TestAuth;
let ahead = 0;
beforeAll(async () => {
  auth = await startAuth({}, { environment: { ...ON, ...WEBAUTHN } });
});
afterAll(() => auth.close());

const advance = (seconds: number) => {
  auth.advance(seconds);
  ahead += seconds * 1000;
};

let people = 0;
async function person() {
  const email = `guard-${++people}@example.com`;
  const { access_token: token, user } = await auth.signedUp(email);
  return { email, token, id: user.id };
}
const signIn = async (email: string): Promise<string> =>
  (await auth.call("POST", "/token?grant_type=password", { email, password: PASSWORD })).body.access_token;

const post = (token: string, path: string, body: unknown = {}) => auth.call("POST", path, body, token);
const enroll = async (token: string, body: object): Promise<string> => {
  const answer = await post(token, "/factors", body);
  expect(answer.status).toBe(200);
  return answer.body.id;
};
const phoneFactor = (token: string, phone: string) =>
  enroll(token, { factor_type: "phone", phone, friendly_name: phone });

/** A verified authenticator app: its id, and tokens of a session with both steps. */
async function withApp(token: string) {
  const { body } = await post(token, "/factors", { factor_type: "totp", friendly_name: "App" });
  const code = new TOTP({ secret: body.totp.secret }).generate({ timestamp: Date.now() + ahead });
  const challenge = await post(token, `/factors/${body.id}/challenge`);
  const raised = await post(token, `/factors/${body.id}/verify`, { challenge_id: challenge.body.id, code });
  expect(raised.status).toBe(200);
  return {
    id: body.id as string,
    secret: body.totp.secret as string,
    token: raised.body.access_token as string,
  };
}
const answerOf = ({ status, body }: { status: number; body: { error_code?: string } }) => [
  status,
  body.error_code,
];

describe("a factor that someone planted before the owner had one", () => {
  it.each([
    ["phone", { factor_type: "phone", phone: "+15559990007" }],
    ["key", { factor_type: "webauthn" }],
  ])("is gone once the owner's is verified: a %s", async (_, planted) => {
    const { email, token } = await person();
    const id = await enroll(token, { ...planted, friendly_name: "planted" });
    await withApp(token);
    const low = await signIn(email);
    expect(answerOf(await post(low, `/factors/${id}/challenge`))).toEqual([404, "mfa_factor_not_found"]);
  });

  it("can be neither challenged nor answered with the password alone", async () => {
    const { email, token, id: userId } = await person();
    await withApp(token);
    const low = await signIn(email);
    // As if an enrollment had slipped in alongside the owner's first verification.
    const service = auth.database.asService("a test plants a factor");
    const { rows } = await service.query<{ id: string }>(
      `insert into auth.mfa_factors (id, user_id, factor_type, friendly_name, status, phone, created_at, updated_at)
       values (gen_random_uuid(), $1, 'phone', 'late', 'unverified', '15559990008', $2, $2) returning id`,
      [userId, new Date(Date.now() + ahead)],
    );
    const { id } = rows[0]!;
    expect(answerOf(await post(low, `/factors/${id}/challenge`))).toEqual([403, "insufficient_aal"]);
    const code = { challenge_id: id, code: "123456" };
    expect(answerOf(await post(low, `/factors/${id}/verify`, code))).toEqual([403, "insufficient_aal"]);
    expect(auth.texts.some(({ to }) => to === "15559990008")).toBe(false);
  });

  it("expires when nobody finishes it in time", async () => {
    const { token } = await person();
    const id = await phoneFactor(token, "+15559990009");
    advance(301);
    expect(answerOf(await post(token, `/factors/${id}/challenge`))).toEqual([404, "mfa_factor_not_found"]);
  });
});

describe("texts of the second step", () => {
  it("go to one number once a minute, however often its factor is recreated", async () => {
    const { token } = await person();
    const first = await phoneFactor(token, "+15559990010");
    expect((await post(token, `/factors/${first}/challenge`)).status).toBe(200);
    expect((await auth.call("DELETE", `/factors/${first}`, undefined, token)).status).toBe(200);
    const second = await phoneFactor(token, "+15559990010");
    const soon = await post(token, `/factors/${second}/challenge`);
    expect(answerOf(soon)).toEqual([429, "over_sms_send_rate_limit"]);
    expect(Number(soon.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(auth.texts.filter(({ to }) => to === "15559990010")).toHaveLength(1);
    advance(61);
    expect((await post(token, `/factors/${second}/challenge`)).status).toBe(200);
  });

  it("count toward the shop's hourly limit of messages", async () => {
    const { token } = await person();
    const ids = await Promise.all(["1", "2", "3"].map((digit) => phoneFactor(token, `+1555999002${digit}`)));
    auth.set({ GOTRUE_RATE_LIMIT_SMS_SENT: "2" });
    const answers = [];
    for (const id of ids) answers.push(answerOf(await post(token, `/factors/${id}/challenge`)));
    expect(answers).toEqual([
      [200, undefined],
      [200, undefined],
      [429, "over_sms_send_rate_limit"],
    ]);
  });
});

it("counts a code in other digits as a wrong one", async () => {
  const { token } = await person();
  const { body } = await post(token, "/factors", { factor_type: "totp", friendly_name: "App" });
  const challenge = await post(token, `/factors/${body.id}/challenge`);
  const answer = { challenge_id: challenge.body.id, code: "９９９９９９" };
  for (let guess = 0; guess < 5; guess++)
    expect(answerOf(await post(token, `/factors/${body.id}/verify`, answer))).toEqual([
      422,
      "mfa_verification_failed",
    ]);
  expect((await post(token, `/factors/${body.id}/verify`, answer)).status).toBe(429);
});

describe("an id in capitals", () => {
  it("does not leave recovery codes behind as the only factor", async () => {
    const { token } = await person();
    const app = await withApp(token);
    expect((await post(app.token, "/factors/recovery-codes")).status).toBe(200);
    const path = `/factors/${app.id.toUpperCase()}`;
    expect(answerOf(await auth.call("DELETE", path, undefined, app.token))).toEqual([
      422,
      "mfa_recovery_codes_sole_factor",
    ]);
  });

  it("also names the factor for an administrator", async () => {
    const { token, id: userId } = await person();
    const app = await withApp(token);
    expect((await post(app.token, "/factors/recovery-codes")).status).toBe(200);
    const key = await auth.serviceKey();
    const path = `/admin/users/${userId.toUpperCase()}/factors`;
    const named = await auth.call("PUT", `${path}/${app.id.toUpperCase()}`, { friendly_name: "Old" }, key);
    expect(named.body).toMatchObject({ id: app.id, friendly_name: "Old" });
    const gone = await auth.call("DELETE", `${path}/${app.id.toUpperCase()}`, undefined, key);
    expect([gone.status, gone.body.id]).toEqual([200, app.id]);
    expect((await auth.call("GET", path, undefined, key)).body).toEqual([]);
  });
});

describe("the owner is told by mail", () => {
  const told = (email: string) =>
    auth.mails
      .filter(({ to }) => to === email)
      .flatMap(({ subject }) => (/verification method|recovery codes/i.test(subject) ? [subject] : []));

  it("when a factor or recovery codes are added or removed", async () => {
    const { email, token } = await person();
    const app = await withApp(token);
    expect(told(email)).toEqual(["A verification method was added"]);
    expect(auth.mails.findLast(({ to }) => to === email)!.text).toContain("an authenticator app");
    await post(app.token, "/factors/recovery-codes");
    await auth.call("DELETE", "/factors/recovery-codes", undefined, app.token);
    await auth.call("DELETE", `/factors/${app.id}`, undefined, app.token);
    expect(told(email)).toEqual([
      "A verification method was added",
      "Recovery codes were created for your account",
      "Your recovery codes were removed",
      "A verification method was removed",
    ]);
  });

  it("when an administrator removes it, but not for an unfinished one", async () => {
    const { email, token, id: userId } = await person();
    const idle = await phoneFactor(token, "+15559990030");
    await auth.call("DELETE", `/factors/${idle}`, undefined, token);
    expect(told(email)).toEqual([]);
    const app = await withApp(token);
    await auth.call("DELETE", `/admin/users/${userId}/factors/${app.id}`, undefined, await auth.serviceKey());
    expect(told(email)).toEqual(["A verification method was added", "A verification method was removed"]);
  });

  it("unless that is switched off", async () => {
    auth.set({
      GOTRUE_MAILER_NOTIFICATIONS_MFA_FACTOR_ENROLLED_ENABLED: "false",
      GOTRUE_MAILER_NOTIFICATIONS_MFA_FACTOR_UNENROLLED_ENABLED: "false",
    });
    const { email, token } = await person();
    const app = await withApp(token);
    await auth.call("DELETE", `/factors/${app.id}`, undefined, app.token);
    expect(told(email)).toEqual([]);
  });
});
