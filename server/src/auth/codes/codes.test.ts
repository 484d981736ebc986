// Mailed codes and links instead of a password, through the official client and by hand.
import { beforeEach, describe, expect, it } from "vitest";
import { API, CHALLENGE, codeOf, fragmentOf, PASSWORD, useAuth, VERIFIER } from "../../../testing/auth.ts";

const auth = await useAuth();
beforeEach(() => {
  auth.comeFrom("203.0.113.7");
  auth.advance(61);
});

const otp = (body: object) => auth.call("POST", "/otp", body);
const verify = (body: object) => auth.call("POST", "/verify", body);
const refusal = ({ status, body }: Awaited<ReturnType<typeof otp>>) => [status, body.error_code, body.msg];
const WRONG = [403, "otp_expired", "Token has expired or is invalid"];
const wrongOne = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, "0");

describe("signing in with a mailed code", () => {
  it("creates an account for a new address, with the metadata sent along, and signs in", async () => {
    const client = auth.client();
    const email = "New-Code@example.com";
    const asked = await client.auth.signInWithOtp({ email, options: { data: { full_name: "Ada" } } });
    expect(asked).toEqual({ data: { user: null, session: null, messageId: undefined }, error: null });
    const token = auth.codeTo("new-code@example.com");
    expect(token).toMatch(/^\d{6}$/);
    const { data, error } = await client.auth.verifyOtp({ email, token, type: "email" });
    expect(error).toBeNull();
    expect(data.user).toMatchObject({
      email: "new-code@example.com",
      email_confirmed_at: expect.any(String),
      user_metadata: { full_name: "Ada", email_verified: true },
      app_metadata: { provider: "email", providers: ["email"] },
    });
    expect((await auth.claimsOf(data.session!.access_token)).amr).toMatchObject([{ method: "otp" }]);
    expect((await client.auth.getUser()).data.user?.id).toBe(data.user!.id);
  });

  it("opens the existing account of an address, and keeps its password", async () => {
    const email = "has-password@example.com";
    const { user } = await auth.signedUp(email);
    const client = auth.client();
    await client.auth.signInWithOtp({ email, options: { shouldCreateUser: false } });
    const { data } = await client.auth.verifyOtp({ email, token: auth.codeTo(email), type: "email" });
    expect(data.user?.id).toBe(user.id);
    expect((await client.auth.signInWithPassword({ email, password: PASSWORD })).error).toBeNull();
  });

  it("signs in by the link of the same mail, after which the code is dead", async () => {
    const email = "by-link@example.com";
    await auth.call("POST", "/magiclink", { email });
    const code = auth.codeTo(email);
    const { access_token, type } = fragmentOf(await auth.call("GET", auth.linkTo(email)));
    expect([typeof access_token, type]).toEqual(["string", "signup"]);
    expect(refusal(await verify({ type: "email", email, token: code }))).toEqual(WRONG);
    auth.advance(61);
    await auth.call("POST", "/magiclink", { email });
    expect(fragmentOf(await auth.call("GET", auth.linkTo(email))).type).toBe("magiclink");
  });

  it("hands the link's session to the browser that requested it, by PKCE, and to no other", async () => {
    const email = "pkce-code@example.com";
    await otp({ email, data: { full_name: "Ada" }, ...CHALLENGE });
    const link = new URL(auth.linkTo(email), API);
    // Without its prefix the token is worthless.
    const bare = link.pathname + link.search.replace("pkce_", "");
    expect(fragmentOf(await auth.call("GET", bare)).error_code).toBe("otp_expired");
    const token_hash = link.searchParams.get("token")!.replace("pkce_", "");
    expect((await verify({ type: "email", token_hash })).body.error_code).toBe("otp_expired");
    const auth_code = codeOf(await auth.call("GET", auth.linkTo(email)));
    const exchange = (code_verifier: string) =>
      auth.call("POST", "/token?grant_type=pkce", { auth_code, code_verifier });
    expect((await exchange("another browser's secret")).body.error_code).toBe("bad_code_verifier");
    expect((await exchange(VERIFIER)).body.user.user_metadata.full_name).toBe("Ada");
  });

  it("expires after an hour", async () => {
    const email = "late@example.com";
    await otp({ email });
    const token = auth.codeTo(email);
    auth.advance(3600);
    expect(refusal(await verify({ type: "email", email, token }))).toEqual(WRONG);
  });

  it("keeps what an administrator entered", async () => {
    const email = "made@example.com";
    const account = { email, password: PASSWORD, user_metadata: { team: "gate" } };
    await auth.call("POST", "/admin/users", account, await auth.serviceKey());
    await otp({ email, data: { team: "none" } });
    const { body } = await verify({ type: "email", email, token: auth.codeTo(email) });
    expect(body.user.user_metadata.team).toBe("gate");
    const granted = await auth.call("POST", "/token?grant_type=password", { email, password: PASSWORD });
    expect(granted.status).toBe(200);
  });
});

describe("a code", () => {
  it("dies after five wrong guesses, while its mail's link still works", async () => {
    const email = "guessed-code@example.com";
    await otp({ email });
    const token = auth.codeTo(email);
    for (let guess = 0; guess < 5; guess++) {
      expect(refusal(await verify({ type: "email", email, token: wrongOne(token) }))).toEqual(WRONG);
    }
    auth.comeFrom("198.51.100.1");
    expect(refusal(await verify({ type: "email", email, token }))).toEqual(WRONG);
    expect(fragmentOf(await auth.call("GET", auth.linkTo(email))).access_token).toBeDefined();
  });

  it("makes a client that keeps guessing wait, for unknown addresses too", async () => {
    for (const email of ["hammered@example.com", "nobody-hammered@example.com"]) {
      if (email.startsWith("hammered")) await otp({ email });
      const statuses = [];
      for (let guess = 0; guess < 7; guess++) {
        statuses.push((await verify({ type: "email", email, token: "000000x" })).status);
      }
      expect(statuses).toEqual([403, 403, 403, 403, 403, 429, 429]);
    }
  });

  it("is checked at most five times when many guesses arrive at once", async () => {
    const email = "at-once@example.com";
    await otp({ email });
    const token = auth.codeTo(email);
    const guesses = Array.from({ length: 40 }, (_, n) => {
      auth.comeFrom(`198.51.100.${n}`);
      return verify({ type: "email", email, token: wrongOne(token) });
    });
    await Promise.all(guesses);
    expect(refusal(await verify({ type: "email", email, token }))).toEqual(WRONG);
  });

  it("works once, and only for its own address, type and kind of mail", async () => {
    const [mine, theirs] = ["mine-code@example.com", "theirs-code@example.com"] as const;
    for (const email of [mine, theirs]) await otp({ email });
    const token = auth.codeTo(mine);
    expect(refusal(await verify({ type: "email", email: theirs, token }))).toEqual(WRONG);
    expect(refusal(await verify({ type: "recovery", email: mine, token }))).toEqual(WRONG);
    expect(refusal(await verify({ type: "email_change", email: mine, token }))).toEqual(WRONG);
    expect((await verify({ type: "signup", email: mine, token })).status).toBe(200);
    expect(refusal(await verify({ type: "signup", email: mine, token }))).toEqual(WRONG);
  });

  it("is neither in the database nor to be found by trying all of them on a copy of it", async () => {
    const email = "at-rest@example.com";
    await otp({ email });
    const service = auth.database.asService("the test looks inside");
    const { rows } = await service.query<{ code_hash: string }>(
      `select c.code_hash from auth.one_time_codes c join auth.one_time_tokens t on t.id = c.token_id
       where t.relates_to = $1`,
      [email],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]!.code_hash).toMatch(/^[\w-]{43}$/); // a keyed hash
  });

  it("stays valid only while it is among the newest four", async () => {
    const email = "many@example.com";
    const codes = [];
    for (let n = 0; n < 5; n++) {
      auth.comeFrom(`198.51.100.${n}`);
      auth.advance(61);
      await otp({ email });
      codes.push(auth.codeTo(email));
    }
    expect(refusal(await verify({ type: "email", email, token: codes[0] }))).toEqual(WRONG);
    expect((await verify({ type: "email", email, token: codes[1] })).status).toBe(200);
  });
});

it("answers and mails known, unconfirmed and unknown addresses alike, even within the same minute", async () => {
  await auth.signedUp("known-otp@example.com");
  await auth.call("POST", "/signup", { email: "unconfirmed-otp@example.com", password: PASSWORD });
  auth.advance(61);
  const seen = [];
  for (const who of ["known", "unconfirmed", "unknown"]) {
    const email = `${who}-otp@example.com`;
    const first = await otp({ email });
    const mail = auth.mails.findLast(({ to }) => to === email)!;
    const again = await otp({ email });
    seen.push([first.status, first.body, mail.subject, again.status, again.body.error_code]);
  }
  expect(seen[1]).toEqual(seen[0]);
  expect(seen[2]).toEqual(seen[0]);
  expect(seen[0]!.slice(3)).toEqual([429, "over_email_send_rate_limit"]);
});

describe("the password of a sign-up that is confirmed by its code", () => {
  const signUp = (email: string, password: string) => auth.call("POST", "/signup", { email, password });
  const grant = async (email: string, password: string) =>
    (await auth.call("POST", "/token?grant_type=password", { email, password })).status;

  it("counts when nobody else requested one", async () => {
    const email = "typed-sign-up@example.com";
    const client = auth.client();
    await client.auth.signUp({ email, password: PASSWORD, options: { data: { full_name: "Ada" } } });
    const { data } = await client.auth.verifyOtp({ email, token: auth.codeTo(email), type: "signup" });
    expect(data.user?.user_metadata.full_name).toBe("Ada");
    expect(await grant(email, PASSWORD)).toBe(200);
  });

  it.each(["before", "after"])("does not when the owner asked for a code %s the stranger", async (when) => {
    const email = `stranger-${when}@example.com`;
    if (when === "before") await otp({ email });
    auth.comeFrom("198.51.100.66");
    await signUp(email, "chosen by a stranger");
    const strangers = auth.codeTo(email);
    auth.comeFrom("203.0.113.7");
    if (when === "after") await otp({ email });
    expect((await verify({ type: "email", email, token: strangers })).status).toBe(200);
    expect(await grant(email, "chosen by a stranger")).toBe(400);
  });
});

describe("refusals", () => {
  it.each([
    [{}, 400, "validation_failed", "One of email or phone must be set"],
    [
      { email: "a@example.com", phone: "1" },
      400,
      "validation_failed",
      "Only an email address or phone number should be provided",
    ],
    [
      { email: "a@example.com", channel: "sms" },
      400,
      "validation_failed",
      "Channel should only be specified with Phone OTP",
    ],
    [{ email: "nope" }, 400, "validation_failed", "Unable to validate email address: invalid format"],
    [
      { email: "\u212Aelly@example.com" },
      400,
      "validation_failed",
      "Unable to validate email address: invalid format",
    ],
    [
      { email: "nobody-at-all@example.com", create_user: false },
      422,
      "otp_disabled",
      "Signups not allowed for otp",
    ],
    [{ phone: "+17135550100" }, 400, "phone_provider_disabled", "Unsupported phone provider"],
    [
      { email: "a@example.com", code_challenge: "x" },
      400,
      "validation_failed",
      "PKCE flow requires code_challenge_method and code_challenge",
    ],
  ])("POST /otp %j", async (body, ...expected) => {
    expect(refusal(await otp(body))).toEqual(expected);
  });

  it.each([
    [{ token: "1", email: "a@example.com" }, 400, "Verify requires a verification type"],
    [{ type: "email" }, 400, "Verify requires either a token or a token hash"],
    [{ type: "email", token: "1", token_hash: "2" }, 400, "Verify requires either a token or a token hash"],
    [
      { type: "email", token_hash: "2", email: "a@example.com" },
      400,
      "Only the token_hash and type should be provided",
    ],
    [
      { type: "email", token: "1" },
      400,
      "Only an email address or phone number should be provided on verify",
    ],
    [{ type: "sms", token: "1", phone: "none" }, 400, "Invalid phone number format (E.164 required)"],
    [{ type: "email", token: "1", phone: "17135550100" }, 400, "Invalid sms verification type"],
    [{ type: "nothing", token_hash: "1" }, 400, "Invalid email verification type"],
    [{ type: "nothing", token: "1", email: "a@example.com" }, 403, "Token has expired or is invalid"],
  ])("POST /verify %j", async (body, status, message) => {
    const answer = await verify(body);
    expect([answer.status, answer.body.msg]).toEqual([status, message]);
  });

  it("reports what is switched off", async () => {
    const email = "off@example.com";
    for (const [setting, call, expected] of [
      [
        "GOTRUE_EXTERNAL_EMAIL_ENABLED",
        () => otp({ email }),
        [422, "email_provider_disabled", "Email logins are disabled"],
      ],
      [
        "GOTRUE_EXTERNAL_EMAIL_MAGIC_LINK_ENABLED",
        () => otp({ email }),
        [422, "email_provider_disabled", "Login with magic link is disabled"],
      ],
    ] as const) {
      auth.set({ [setting]: "false" });
      expect(refusal(await call())).toEqual(expected);
    }
    auth.set({ GOTRUE_DISABLE_SIGNUP: "true" });
    expect(refusal(await otp({ email }))).toEqual([
      422,
      "signup_disabled",
      "Signups not allowed for this instance",
    ]);
    expect((await auth.call("POST", "/signup", { email, password: PASSWORD })).body.error_code).toBe(
      "signup_disabled",
    );
  });
});

it("signs up immediately where no confirmation is needed, and then reports that an address is taken", async () => {
  auth.set({ GOTRUE_MAILER_AUTOCONFIRM: "true" });
  const client = auth.client();
  const asked = {
    email: "at-once-in@example.com",
    password: PASSWORD,
    options: { data: { full_name: "Ada" } },
  };
  const { data, error } = await client.auth.signUp(asked);
  expect(error).toBeNull();
  expect(data.session?.user.user_metadata).toMatchObject({ full_name: "Ada", email_verified: true });
  expect((await client.auth.signUp(asked)).error).toMatchObject({ code: "user_already_exists", status: 422 });
});
