import { beforeEach, describe, expect, it } from "vitest";
import { PASSWORD, startAuth, useAuth } from "../../../testing/auth.ts";

const auth = await useAuth();
beforeEach(() => auth.breakMail(undefined));

const signUp = (email: unknown, password: unknown = PASSWORD, more: object = {}) =>
  auth.call("POST", "/signup", { email, password, ...more });
const countUsers = async (email: string) => {
  const service = auth.database.asService("the test looks inside");
  return (await service.query("select 1 from auth.users where email = $1", [email])).rows.length;
};

describe("signing up", () => {
  it("returns an unconfirmed user and mails one link", async () => {
    const { status, body } = await signUp("New@Example.com", PASSWORD, { data: { full_name: "Ada" } });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      aud: "authenticated",
      role: "authenticated",
      email: "new@example.com",
      phone: "",
      app_metadata: { provider: "email", providers: ["email"] },
      user_metadata: { full_name: "Ada", email_verified: false, sub: body.id },
      identities: [{ provider: "email", id: body.id, user_id: body.id, email: "new@example.com" }],
      is_anonymous: false,
    });
    expect(body.confirmation_sent_at).toMatch(/Z$/);
    expect(body).not.toHaveProperty("email_confirmed_at");
    expect(JSON.stringify(body)).not.toContain("$2");
    expect(auth.mails.filter(({ to }) => to === "new@example.com")).toHaveLength(1);
  });

  it("uses the configured audience for the user and the tokens", async () => {
    auth.set({ GOTRUE_JWT_AUD: "festival" });
    expect((await signUp("audience@example.com")).body.aud).toBe("festival");
    const { access_token, user } = await auth.signedUp("audience-too@example.com");
    expect(user).toMatchObject({ aud: "festival" });
    expect((await auth.claimsOf(access_token)).aud).toBe("festival");
  });

  it("does not let an unconfirmed user in", async () => {
    await signUp("waiting@example.com");
    const { status, body } = await auth.call("POST", "/token?grant_type=password", {
      email: "waiting@example.com",
      password: PASSWORD,
    });
    expect([status, body]).toEqual([
      400,
      { code: 400, error_code: "email_not_confirmed", msg: "Email not confirmed" },
    ]);
  });

  it("answers a confirmed user's address like a new one, changes nothing, and notifies the owner by mail", async () => {
    const { user } = await auth.signedUp("taken@example.com");
    auth.advance(61);
    const fresh = await signUp("fresh@example.com", "another password", { data: { hat: "10 gallon" } });
    const before = auth.mails.length;
    const known = await signUp("taken@example.com", "another password", { data: { hat: "10 gallon" } });
    expect(known.status).toBe(200);
    expect(known.body.id).not.toBe(user.id);
    expect(shapeOf(known.body)).toEqual(shapeOf(fresh.body));
    expect(auth.mails.slice(before)).toMatchObject([
      { to: "taken@example.com", subject: "You already have an account for Lake Street Library" },
    ]);
    expect(auth.mails.at(-1)!.text).not.toContain("/verify");
    const still = await auth.call("POST", "/token?grant_type=password", {
      email: "taken@example.com",
      password: PASSWORD,
    });
    expect(still.status).toBe(200);
    // A second attempt within the minute is refused for both alike.
    const again = [await signUp("taken@example.com"), await signUp("fresh@example.com")];
    expect(again.map(({ status, body }) => [status, body.error_code])).toEqual([
      [429, "over_email_send_rate_limit"],
      [429, "over_email_send_rate_limit"],
    ]);
  });

  it("mails an unconfirmed user again only after a minute, without the first sender's metadata", async () => {
    await signUp("again@example.com", PASSWORD, { data: { secret: "mine" } });
    const first = auth.linkTo("again@example.com");
    const tooSoon = await signUp("again@example.com");
    expect(tooSoon.status).toBe(429);
    expect(tooSoon.body.error_code).toBe("over_email_send_rate_limit");
    expect(tooSoon.body.msg).toMatch(
      /^For security purposes, you can only request this after \d+ seconds\.$/,
    );
    auth.advance(61);
    const again = await signUp("again@example.com");
    expect(again.status).toBe(200);
    expect(again.body.user_metadata).not.toHaveProperty("secret");
    expect(auth.linkTo("again@example.com")).not.toBe(first);
  });

  it("creates one user from two simultaneous sign-ups", async () => {
    const answers = await Promise.all([1, 2, 3, 4].map(() => signUp("twins@example.com")));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 429, 429, 429]);
    expect(await countUsers("twins@example.com")).toBe(1);
  });

  it("does not wait for the mail server, and sends the mail once it accepts mail again", async () => {
    auth.breakMail(Object.assign(new Error("greylisted"), { responseCode: 451 }));
    expect((await signUp("greylisted@example.com")).status).toBe(200);
    auth.breakMail(undefined);
    expect(() => auth.linkTo("greylisted@example.com")).toThrow("no link was mailed");
    auth.advance(10);
    await auth.call("POST", "/recover", { email: "somebody-else@example.com" });
    const opened = await auth.call("GET", auth.linkTo("greylisted@example.com"));
    expect(opened.headers.get("location")).toContain("access_token");
  });

  it("does not send a mail whose link no longer works", async () => {
    auth.breakMail(Object.assign(new Error("greylisted"), { responseCode: 451 }));
    await signUp("too-late@example.com");
    auth.breakMail(undefined);
    auth.advance(25 * 3600);
    await auth.call("POST", "/recover", { email: "somebody-else@example.com" });
    expect(() => auth.linkTo("too-late@example.com")).toThrow("no link was mailed");
    const service = auth.database.asService("the test looks inside");
    const { rows } = await service.query("select mail ->> 'to' as to from auth.mail_outbox");
    expect(rows).toEqual([]);
  });

  it("drops a mail that the server will never accept", async () => {
    auth.breakMail(
      Object.assign(new Error("no such mailbox"), {
        code: "EENVELOPE",
        command: "RCPT TO",
        responseCode: 550,
      }),
    );
    await signUp("nowhere@example.com");
    const service = auth.database.asService("the test looks inside");
    const { rows } = await service.query("select mail ->> 'to' from auth.mail_outbox");
    expect(rows).toEqual([]);
  });

  it.each([
    ["our password", { code: "EAUTH", command: "AUTH PLAIN", responseCode: 535 }],
    ["us at the greeting", { code: "EPROTOCOL", command: "CONN", responseCode: 554 }],
    ["our sender", { code: "EENVELOPE", command: "MAIL FROM", responseCode: 530 }],
    ["a recipient of whom it wants a login", { code: "EENVELOPE", command: "RCPT TO", responseCode: 530 }],
  ])("keeps a mail while the server refuses %s", async (_, refusal) => {
    const email = `kept-${refusal.code}-${refusal.responseCode}-${refusal.command.slice(0, 4)}@example.com`;
    auth.breakMail(Object.assign(new Error("refused"), refusal));
    await signUp(email);
    auth.breakMail(undefined);
    const service = auth.database.asService("the test looks inside");
    const { rows } = await service.query("select from auth.mail_outbox where mail ->> 'to' = $1", [
      email.toLowerCase(),
    ]);
    expect(rows).toHaveLength(1);
    await service.query("delete from auth.mail_outbox");
  });

  it("answers while a mail server is silent", async () => {
    const patient = await startAuth();
    try {
      patient.breakMail("silence");
      const body = { email: "slow@example.com", password: PASSWORD };
      expect((await patient.call("POST", "/signup", body)).status).toBe(200);
    } finally {
      await patient.close();
    }
  });

  it.each([
    [{ password: PASSWORD }, 422, "anonymous_provider_disabled"],
    [{ phone: "+17135550100", password: PASSWORD }, 400, "phone_provider_disabled"],
    [{ email: "a@example.com" }, 400, "validation_failed"],
    [{ email: "a@example.com", password: "x".repeat(73) }, 400, "validation_failed"],
    [{ email: "no address", password: PASSWORD }, 400, "validation_failed"],
    [{ email: "a@b.example\r\nBcc: x@y.example", password: PASSWORD }, 400, "validation_failed"],
    [{ email: `${"a".repeat(250)}@b.example`, password: PASSWORD }, 400, "validation_failed"],
    [
      { email: "a@example.com", password: PASSWORD, code_challenge: "x", code_challenge_method: "s256" },
      400,
      "validation_failed",
    ],
    [
      { email: "a@example.com", password: PASSWORD, code_challenge: "x".repeat(43) },
      400,
      "validation_failed",
    ],
  ])("refuses %j", async (body, status, code) => {
    const answer = await auth.call("POST", "/signup", body);
    expect([answer.status, answer.body.error_code]).toEqual([status, code]);
  });

  it.each(["        ", "own-address@example.com", "Own-Address@Example.com "])(
    "refuses the password %j",
    async (password) => {
      const answer = await signUp("own-address@example.com", password);
      expect([answer.status, answer.body]).toMatchObject([422, { weak_password: { reasons: ["pwned"] } }]);
    },
  );

  it("accepts a common password only where the operator switched the check off", async () => {
    const tries = async () => (await signUp("common@example.com", "password123")).status;
    expect(await tries()).toBe(422);
    auth.set({ GOTRUE_PASSWORD_HIBP_ENABLED: "false" });
    expect(await tries()).toBe(200);
    expect((await signUp("blank@example.com", "        ")).status).toBe(422);
  });

  it("explains why a password is too weak, in the format of the client's version", async () => {
    const old = await signUp("weak@example.com", "1234567");
    expect([old.status, old.body]).toEqual([
      422,
      {
        code: 422,
        error_code: "weak_password",
        msg: "Password should be at least 8 characters.",
        weak_password: { reasons: ["length"] },
      },
    ]);
    const modern = await auth.call(
      "POST",
      "/signup",
      { email: "weak@example.com", password: "1234567" },
      undefined,
      {
        "x-supabase-api-version": "2024-01-01",
      },
    );
    expect(modern.headers.get("x-supabase-api-version")).toBe("2024-01-01");
    expect(modern.body).toEqual({
      code: "weak_password",
      message: "Password should be at least 8 characters.",
      weak_password: { reasons: ["length"] },
    });
  });
});

/** How a caller could tell two answers apart, leaving out what they sent and the time. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).map(([name, member]) => [name, shapeOf(member)]);
  }
  const text = String(value);
  if (/^\d{4}-\d\d-\d\dT.*Z$/.test(text)) return "time";
  return /^[0-9a-f-]{36}$/.test(text) ? "id" : text.replace(/\w+@example\.com/, "address");
}

describe("resending", () => {
  it("mails a fresh confirmation after a minute", async () => {
    await signUp("resend@example.com");
    const request = { type: "signup", email: "resend@example.com" };
    expect((await auth.call("POST", "/resend", request)).status).toBe(429);
    auth.advance(61);
    const before = auth.mails.length;
    expect((await auth.call("POST", "/resend", request)).body).toEqual({});
    expect(auth.mails).toHaveLength(before + 1);
  });

  it("answers an unknown and a confirmed address alike, without a mail", async () => {
    await auth.signedUp("confirmed@example.com");
    auth.advance(61);
    const before = auth.mails.length;
    for (const path of ["/resend", "/recover"]) {
      for (const status of [200, 429]) {
        for (const email of ["nobody@example.com", "confirmed@example.com"]) {
          expect((await auth.call("POST", path, { type: "signup", email })).status).toBe(status);
        }
      }
    }
    expect(auth.mails.slice(before)).toMatchObject([
      { to: "confirmed@example.com", subject: "Choose a new password" },
    ]);
  });

  it("refuses a type it does not know", async () => {
    const { status, body } = await auth.call("POST", "/resend", { type: "pigeon", email: "a@example.com" });
    expect([status, body.error_code]).toEqual([400, "validation_failed"]);
  });
});
