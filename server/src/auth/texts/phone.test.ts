// Everything by phone, through the official client.
import { beforeEach, describe, expect, it } from "vitest";
import { PASSWORD, useAuth } from "../../../testing/auth.ts";

const auth = await useAuth({}, { environment: { GOTRUE_EXTERNAL_PHONE_ENABLED: "true" } });
beforeEach(() => auth.advance(61));

let numbers = 0;
const newNumber = () => `1713555${String(++numbers).padStart(4, "0")}`;
/** A signed-in client, with its number. */
async function signedIn() {
  const phone = newNumber();
  const client = auth.client();
  await client.auth.signInWithOtp({ phone: `+${phone}` });
  const { data, error } = await client.auth.verifyOtp({ phone, token: auth.codeTo(phone), type: "sms" });
  expect(error).toBeNull();
  return { client, phone, user: data.user!, session: data.session! };
}

it("signs up and in with a code, and finds the account again", async () => {
  const { user, phone } = await signedIn();
  expect(user).toMatchObject({
    phone,
    email: "",
    phone_confirmed_at: expect.any(String),
    app_metadata: { provider: "phone", providers: ["phone"] },
    identities: [{ provider: "phone", id: user.id, identity_data: { phone, phone_verified: true } }],
  });
  auth.advance(61);
  const again = auth.client();
  await again.auth.signInWithOtp({ phone, options: { shouldCreateUser: false } });
  const { data } = await again.auth.verifyOtp({ phone: `+${phone}`, token: auth.codeTo(phone), type: "sms" });
  expect(data.user?.id).toBe(user.id);
  expect(auth.texts.at(-1)).toEqual({ to: phone, text: expect.stringMatching(/^Your code is \d{6}$/) });
});

it("signs up with a password, gets no second code at once, and signs in with the password", async () => {
  const phone = newNumber();
  const client = auth.client();
  const { data, error } = await client.auth.signUp({ phone: `+${phone}`, password: PASSWORD });
  expect([error, data.session, data.user?.phone]).toEqual([null, null, phone]);
  const early = await client.auth.signInWithPassword({ phone, password: PASSWORD });
  expect(early.error).toMatchObject({ code: "phone_not_confirmed", message: "Phone not confirmed" });
  const tooSoon = await client.auth.resend({ type: "sms", phone });
  expect(tooSoon.error).toMatchObject({ status: 429, code: "over_sms_send_rate_limit" });
  auth.advance(50);
  const token = auth.codeTo(phone);
  auth.advance(5);
  expect((await client.auth.verifyOtp({ phone, token, type: "sms" })).error).toBeNull();
  expect((await client.auth.signInWithPassword({ phone: `+${phone}`, password: PASSWORD })).error).toBeNull();
});

it("leaves a resent code's account without the password that nobody proved", async () => {
  const phone = newNumber();
  const client = auth.client();
  await client.auth.signUp({ phone, password: PASSWORD });
  auth.advance(61);
  expect((await client.auth.resend({ type: "sms", phone })).error).toBeNull();
  const { error } = await client.auth.verifyOtp({ phone, token: auth.codeTo(phone), type: "sms" });
  expect(error).toBeNull();
  expect((await auth.client().auth.signInWithPassword({ phone, password: PASSWORD })).error).toMatchObject({
    code: "invalid_credentials",
  });
  expect((await client.auth.updateUser({ password: PASSWORD })).error).toBeNull();
  expect((await client.auth.signInWithPassword({ phone, password: PASSWORD })).error).toBeNull();
});

describe("a code", () => {
  it("is valid for a minute and dies after five wrong guesses", async () => {
    for (const how of ["late", "guessed"]) {
      const phone = newNumber();
      const client = auth.client();
      await client.auth.signInWithOtp({ phone });
      const token = auth.codeTo(phone);
      if (how === "late") auth.advance(60);
      const wrong = String((Number(token) + 1) % 1_000_000).padStart(6, "0");
      for (let n = 0; how === "guessed" && n < 5; n++) {
        await client.auth.verifyOtp({ phone, token: wrong, type: "sms" });
      }
      auth.comeFrom(how === "late" ? "203.0.113.7" : "198.51.100.4");
      const { error } = await client.auth.verifyOtp({ phone, token, type: "sms" });
      expect(error).toMatchObject({ code: "otp_expired", message: "Token has expired or is invalid" });
    }
    auth.comeFrom("203.0.113.7");
  });
});

describe("changing the number", () => {
  it("waits for the code sent to the new one, which may be resent", async () => {
    const { client, user, phone } = await signedIn();
    const next = newNumber();
    const { data } = await client.auth.updateUser({ phone: `+${next}` });
    expect(data.user).toMatchObject({ phone, new_phone: next });
    auth.advance(61);
    expect((await client.auth.resend({ type: "phone_change", phone })).error).toBeNull();
    expect(auth.texts.filter(({ to }) => to === next)).toHaveLength(2);
    const changed = await client.auth.verifyOtp({
      phone: next,
      token: auth.codeTo(next),
      type: "phone_change",
    });
    expect(changed.data.user).toMatchObject({ id: user.id, phone: next });
    expect(changed.data.user).not.toHaveProperty("new_phone");
  });

  it("looks the same for another user's number and sends the code to nobody", async () => {
    const [{ client }, { phone: taken }] = [await signedIn(), await signedIn()];
    const before = auth.texts.length;
    expect((await client.auth.updateUser({ phone: taken })).error).toBeNull();
    expect(auth.texts).toHaveLength(before);
  });

  it("is not blocked by a stranger's sign-up that nobody confirmed", async () => {
    const { client, user } = await signedIn();
    const phone = newNumber();
    await auth.call("POST", "/signup", { phone, password: PASSWORD });
    auth.advance(61);
    const before = auth.texts.length;
    await client.auth.updateUser({ phone });
    expect(auth.texts.slice(before).map(({ to }) => to)).toEqual([phone]);
    const { data } = await client.auth.verifyOtp({ phone, token: auth.codeTo(phone), type: "phone_change" });
    expect(data.user).toMatchObject({ id: user.id, phone });
  });

  it("gives an account with an address a number to sign in with", async () => {
    const { access_token } = await auth.signedUp("gets-a-number@example.com");
    const phone = newNumber();
    await auth.call("PUT", "/user", { phone }, access_token);
    const { body } = await auth.call("POST", "/verify", {
      ...{ phone, token: auth.codeTo(phone), type: "phone_change" },
    });
    expect(body.user.app_metadata.providers).toEqual(["email", "phone"]);
    const granted = await auth.call("POST", "/token?grant_type=password", { phone, password: PASSWORD });
    expect(granted.body.user.email).toBe("gets-a-number@example.com");
    expect(auth.mails.findLast(({ to }) => to === "gets-a-number@example.com")!.subject).toBe(
      "Your phone number was changed",
    );
  });
});

it("reauthenticates by text a user who has no address", async () => {
  const { client, phone } = await signedIn();
  auth.advance(901);
  await client.auth.refreshSession();
  expect((await client.auth.updateUser({ password: PASSWORD })).error).toMatchObject({
    code: "reauthentication_needed",
  });
  expect((await client.auth.reauthenticate()).error).toBeNull();
  const nonce = auth.codeTo(phone);
  expect((await client.auth.updateUser({ password: PASSWORD, nonce })).error).toBeNull();
});

it.each([
  ["/otp", { phone: "+0 12" }, 400, "validation_failed", "Invalid phone number format (E.164 required)"],
  ["/otp", { phone: "17135550100", channel: "pigeon" }, 400, "validation_failed", /^Invalid channel/],
  ["/otp", { phone: "17135559999", create_user: false }, 422, "otp_disabled", "Signups not allowed for otp"],
  [
    "/signup",
    {
      phone: "17135550100",
      password: PASSWORD,
      code_challenge: "x".repeat(43),
      code_challenge_method: "plain",
    },
    400,
    "validation_failed",
    "PKCE not supported for phone signups",
  ],
  ["/resend", { type: "sms" }, 400, "validation_failed", "Type provided requires a phone number"],
  [
    "/token?grant_type=password",
    { phone: "17135559999", password: PASSWORD },
    400,
    "invalid_credentials",
    "Invalid login credentials",
  ],
])("POST %s %j is refused", async (path, body, status, code, message) => {
  const answer = await auth.call("POST", path, body);
  expect([answer.status, answer.body.error_code]).toEqual([status, code]);
  expect(answer.body.msg).toMatch(message);
});

it.each([
  ["/otp", { phone: "17135550100" }, 400, "Unsupported phone provider"],
  ["/signup", { phone: "17135550100", password: PASSWORD }, 400, "Phone signups are disabled"],
  [
    "/token?grant_type=password",
    { phone: "17135550100", password: PASSWORD },
    422,
    "Phone logins are disabled",
  ],
  ["/resend", { type: "sms", phone: "17135550100" }, 400, "Phone logins are disabled"],
])("POST %s is refused where phones are off", async (path, body, status, message) => {
  const back = auth.set({ GOTRUE_EXTERNAL_PHONE_ENABLED: "false" });
  const answer = await auth.call("POST", path, body);
  back();
  expect(answer).toMatchObject({ status, body: { error_code: "phone_provider_disabled", msg: message } });
});
