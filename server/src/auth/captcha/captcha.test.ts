// Captchas, against a verifier on loopback that speaks the same wire format.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { PASSWORD, startAuth, type TestAuth } from "../../../testing/auth.ts";

let auth: TestAuth;
/** The requests the verifier received; "broken" gets an answer that is not JSON. */
let asked: { path: string; form: Record<string, string> }[] = [];
const ON = {
  GOTRUE_SECURITY_CAPTCHA_ENABLED: "true",
  GOTRUE_SECURITY_CAPTCHA_SECRET: "the secret",
  GOTRUE_SECURITY_CAPTCHA_SITE_KEY: "the site's key",
};
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const form = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
    asked.push({ path: request.url!, form });
    if (form["response"] === "broken") return response.end("oops");
    const success = form["response"] === "a person";
    return response.end(
      JSON.stringify({ success, ...(!success && { "error-codes": ["invalid-input-response"] }) }),
    );
  });
});

beforeAll(async () => {
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  auth = await startAuth(
    {},
    {
      captchaMakers: { hcaptcha: `${origin}/hcaptcha`, turnstile: `${origin}/turnstile` },
      environment: ON,
    },
  );
});
afterAll(async () => {
  server.close();
  await auth.close();
});
beforeEach(() => {
  asked = [];
  auth.advance(61);
});

it.each(["hcaptcha", "turnstile"])("asks %s about the token and lets a person on", async (maker) => {
  auth.set({ ...ON, GOTRUE_SECURITY_CAPTCHA_PROVIDER: maker });
  expect((await auth.call("GET", "/settings")).body.site.captcha).toEqual({
    provider: maker,
    site_key: "the site's key",
  });
  const email = `${maker}@example.com`;
  const client = auth.client();
  const passed = await client.auth.signInWithOtp({ email, options: { captchaToken: "a person" } });
  expect(passed.error).toBeNull();
  expect(asked).toEqual([
    { path: `/${maker}`, form: { secret: "the secret", response: "a person", remoteip: "203.0.113.7" } },
  ]);
});

it.each([
  [
    "signing up",
    (c, captchaToken) =>
      c.auth.signUp({ email: "x@example.com", password: PASSWORD, options: { captchaToken } }),
  ],
  [
    "a password",
    (c, captchaToken) =>
      c.auth.signInWithPassword({ email: "x@example.com", password: PASSWORD, options: { captchaToken } }),
  ],
  [
    "a code",
    (c, captchaToken) => c.auth.signInWithOtp({ email: "x@example.com", options: { captchaToken } }),
  ],
  ["recovery", (c, captchaToken) => c.auth.resetPasswordForEmail("x@example.com", { captchaToken })],
  [
    "resending",
    (c, captchaToken) => c.auth.resend({ type: "signup", email: "x@example.com", options: { captchaToken } }),
  ],
] as const satisfies [
  string,
  (c: ReturnType<TestAuth["client"]>, captchaToken: string) => Promise<{ error: unknown }>,
][])("refuses %s without a person, and does nothing", async (_, ask) => {
  const before = auth.mails.length;
  expect((await ask(auth.client(), "a robot")).error).toMatchObject({
    ...{ status: 400, code: "captcha_failed" },
    message: "captcha protection: request disallowed (invalid-input-response)",
  });
  expect((await ask(auth.client(), "")).error).toMatchObject({
    message: "captcha protection: request disallowed (no captcha_token found)",
  });
  expect(auth.mails).toHaveLength(before);
});

it("requires no token with a service key, for a refresh or for a code exchange", async () => {
  const key = await auth.serviceKey();
  expect((await auth.call("POST", "/otp", { email: "by-service@example.com" }, key)).status).toBe(200);
  for (const grant of ["refresh_token", "pkce"]) {
    const { body } = await auth.call("POST", `/token?grant_type=${grant}`, { refresh_token: "x" });
    expect(body.error_code).not.toBe("captcha_failed");
  }
  expect(asked).toEqual([]);
});

it("refuses when the verifier gives no usable answer", async () => {
  const body = { email: "x@example.com", gotrue_meta_security: { captcha_token: "broken" } };
  expect(await auth.call("POST", "/otp", body)).toMatchObject({
    status: 500,
    body: { error_code: "unexpected_failure", msg: "captcha verification process failed" },
  });
});
