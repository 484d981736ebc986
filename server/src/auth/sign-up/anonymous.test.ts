// Anonymous accounts, and what they become.
import { afterAll, beforeAll, expect, it } from "vitest";
import { fragmentOf, PASSWORD, startAuth, type TestAuth } from "../../../testing/auth.ts";

let auth: TestAuth;
beforeAll(async () => {
  auth = await startAuth(
    {},
    {
      environment: {
        GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED: "true",
        GOTRUE_EXTERNAL_PHONE_ENABLED: "true",
      },
    },
  );
});
afterAll(() => auth.close());

async function nameless() {
  const client = auth.client();
  const { data, error } = await client.auth.signInAnonymously({ options: { data: { hat: "10 gallon" } } });
  expect(error).toBeNull();
  return { client, user: data.user!, session: data.session! };
}

it("signs in anonymously", async () => {
  const { user, session } = await nameless();
  expect(user).toMatchObject({
    ...{ is_anonymous: true, email: "", phone: "", role: "authenticated" },
    ...{ app_metadata: {}, user_metadata: { hat: "10 gallon" }, identities: [] },
  });
  expect(await auth.claimsOf(session.access_token)).toMatchObject({
    is_anonymous: true,
    amr: [{ method: "anonymous" }],
  });
});

it("becomes a permanent account by confirming an address, and may then set a password", async () => {
  const { client, user } = await nameless();
  const email = "named@example.com";
  const refused = await client.auth.updateUser({ password: PASSWORD });
  expect(refused.error).toMatchObject({
    message: "Updating password of an anonymous user without an email or phone is not allowed",
    status: 422,
  });
  expect((await client.auth.updateUser({ email })).data.user).toMatchObject({ new_email: email });
  const { data } = await client.auth.verifyOtp({ email, token: auth.codeTo(email), type: "email_change" });
  expect(data.user).toMatchObject({
    ...{ id: user.id, email, is_anonymous: false, email_confirmed_at: expect.any(String) },
    app_metadata: { provider: "email", providers: ["email"] },
    user_metadata: { hat: "10 gallon", email_verified: true },
    identities: [{ provider: "email", email }],
  });
  expect((await client.auth.updateUser({ password: PASSWORD })).error).toBeNull();
  expect((await client.auth.signInWithPassword({ email, password: PASSWORD })).data.user?.id).toBe(user.id);
});

it("has neither second factors nor passkeys, which would guard an account nobody can return to", async () => {
  const { client, session } = await nameless();
  const refused = {
    status: 403,
    code: "no_authorization",
    message: "Anonymous user not allowed to perform these actions",
  };
  const { mfa, passkey } = client.auth;
  expect((await mfa.enroll({ factorType: "totp" })).error).toMatchObject(refused);
  expect((await passkey.startRegistration()).error).toMatchObject(refused);
  expect((await passkey.list()).error).toMatchObject(refused);
  const codes = await auth.call("POST", "/factors/recovery-codes", {}, session.access_token);
  expect([codes.status, codes.body.error_code]).toEqual([403, "no_authorization"]);
});

it("becomes permanent by the link of the mail, and by a number", async () => {
  const first = await nameless();
  await first.client.auth.updateUser({ email: "by-link@example.com" });
  const { access_token } = fragmentOf(await auth.call("GET", auth.linkTo("by-link@example.com")));
  expect((await auth.claimsOf(access_token!)).is_anonymous).toBe(false);
  const second = await nameless();
  const phone = "17135550123";
  await second.client.auth.updateUser({ phone });
  const code = { phone, token: auth.codeTo(phone), type: "phone_change" } as const;
  expect((await second.client.auth.verifyOtp(code)).data.user).toMatchObject({
    ...{ id: second.user.id, phone, is_anonymous: false },
    app_metadata: { provider: "phone", providers: ["phone"] },
  });
});

it("is refused where it is off, where sign-up is off, and after 30 from one address in an hour", async () => {
  const anonymous = () => auth.call("POST", "/signup", {});
  let back = auth.set({ GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED: "false" });
  expect((await anonymous()).body).toMatchObject({
    error_code: "anonymous_provider_disabled",
    msg: "Anonymous sign-ins are disabled",
  });
  back();
  back = auth.set({ GOTRUE_DISABLE_SIGNUP: "true", GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED: "true" });
  expect((await anonymous()).body.error_code).toBe("signup_disabled");
  back();
  auth.comeFrom("198.51.100.200");
  for (let n = 0; n < 30; n++) expect((await anonymous()).status).toBe(200);
  const refused = await anonymous();
  expect([refused.status, refused.body.error_code]).toEqual([429, "over_request_rate_limit"]);
  const wait = Number(refused.headers.get("retry-after"));
  expect(wait).toBeGreaterThan(60);
  expect(wait).toBeLessThanOrEqual(120);
  auth.advance(121);
  expect((await anonymous()).status).toBe(200);
});
