// How many messages go out in an hour, where the operator has set a limit.
import { afterAll, beforeAll, expect, it } from "vitest";
import { startAuth, type TestAuth } from "../../../testing/auth.ts";

let auth: TestAuth;
beforeAll(async () => {
  auth = await startAuth(
    {},
    {
      environment: {
        GOTRUE_EXTERNAL_PHONE_ENABLED: "true",
        GOTRUE_RATE_LIMIT_EMAIL_SENT: "3",
        GOTRUE_RATE_LIMIT_SMS_SENT: "2/10m",
      },
    },
  );
});
afterAll(() => auth.close());

it.each([
  [
    "mails",
    (n: string) => ({ path: "/recover", body: { email: `someone-${n}@example.com` } }),
    3,
    1200,
    "over_email_send_rate_limit",
    "email rate limit exceeded",
  ],
  [
    "texts",
    (n: string) => ({ path: "/otp", body: { phone: `1713555${n}` } }),
    2,
    300,
    "over_sms_send_rate_limit",
    "SMS rate limit exceeded",
  ],
] as const)(
  "bounds %s of all addresses together, known or not",
  async (_, ask, most, wait, code, message) => {
    const send = (n: number) => {
      const { path, body } = ask(String(1000 + n));
      return auth.call("POST", path, body);
    };
    for (let n = 0; n < most; n++) expect((await send(n)).status).toBe(200);
    auth.comeFrom("198.51.100.3");
    const refused = await send(most);
    expect(refused).toMatchObject({ status: 429, body: { error_code: code, msg: message } });
    const asked = Number(refused.headers.get("retry-after"));
    expect(asked).toBeGreaterThan(wait - 60);
    expect(asked).toBeLessThanOrEqual(wait);
    auth.advance(wait + 1);
    expect((await send(most + 1)).status).toBe(200);
  },
);
