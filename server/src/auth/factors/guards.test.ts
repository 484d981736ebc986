// What a second step must withstand: factors planted before it, texts without end, odd spellings.
import { TOTP } from "otpauth";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { PASSWORD, startAuth, type TestAuth } from "../../../testing/auth.ts";

const ON = Object.fromEntries(
  ["PHONE", "WEB_AUTHN"].flatMap((kind) =>
    ["ENROLL", "VERIFY"].map((what) => [`GOTRUE_MFA_${kind}_${what}_ENABLED`, "true"]),
  ),
);
const WEBAUTHN = { GOTRUE_WEBAUTHN_RP_ID: "localhost", GOTRUE_WEBAUTHN_RP_ORIGINS: "http://localhost:3000" };
let auth: TestAuth;
let ahead = 0;
let reset = () => {};
beforeAll(async () => {
  auth = await startAuth({}, { environment: { ...ON, ...WEBAUTHN } });
});
afterAll(() => auth.close());
beforeEach(() => reset());

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
const enrol = async (token: string, body: object): Promise<string> => {
  const answer = await post(token, "/factors", body);
  expect(answer.status).toBe(200);
  return answer.body.id;
};
const phoneFactor = (token: string, phone: string) =>
  enrol(token, { factor_type: "phone", phone, friendly_name: phone });

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

describe("a factor that somebody planted before the owner had one", () => {
  it.each([
    ["phone", { factor_type: "phone", phone: "+15559990007" }],
    ["key", { factor_type: "webauthn" }],
  ])("is gone once the owner's is verified: a %s", async (_, planted) => {
    const { email, token } = await person();
    const id = await enrol(token, { ...planted, friendly_name: "planted" });
    await withApp(token);
    const low = await signIn(email);
    expect(answerOf(await post(low, `/factors/${id}/challenge`))).toEqual([404, "mfa_factor_not_found"]);
  });

  it("can be neither asked for nor answered with the password alone", async () => {
    const { email, token, id: userId } = await person();
    await withApp(token);
    const low = await signIn(email);
    // As if an enrolment had slipped in beside the owner's first verification.
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

  it("is dead when nobody finished it in time", async () => {
    const { token } = await person();
    const id = await phoneFactor(token, "+15559990009");
    advance(301);
    expect(answerOf(await post(token, `/factors/${id}/challenge`))).toEqual([404, "mfa_factor_not_found"]);
  });
});
