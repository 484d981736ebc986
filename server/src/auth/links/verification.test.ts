import { describe, expect, it } from "vitest";
import { API, fragmentOf, PASSWORD, useAuth } from "../../../testing/auth.ts";

const auth = await useAuth();

const signUp = (email: string, redirectTo?: string) =>
  auth.call("POST", `/signup${redirectTo ? `?redirect_to=${encodeURIComponent(redirectTo)}` : ""}`, {
    email,
    password: PASSWORD,
  });
const tokenIn = (link: string) => new URL(link, API).searchParams.get("token")!;
const EXPIRED = {
  error: "access_denied",
  error_code: "otp_expired",
  error_description: "Email link is invalid or has expired",
};

describe("the link of a confirmation mail", () => {
  it("redirects to the site with a session in the fragment", async () => {
    await signUp("link@example.com", `${API}/dashboard`);
    const answer = await auth.call("GET", auth.linkTo("link@example.com"));
    expect(answer.status).toBe(303);
    expect(answer.headers.get("location")).toMatch(`${API}/dashboard#access_token=`);
    const { access_token, ...rest } = fragmentOf(answer);
    expect(rest).toMatchObject({ token_type: "bearer", type: "signup", expires_in: "3600" });
    const { body } = await auth.call("GET", "/user", undefined, access_token);
    expect(body).toMatchObject({ email: "link@example.com", user_metadata: { email_verified: true } });
    expect(body.email_confirmed_at).toBeDefined();
    expect(body.identities[0].identity_data.email_verified).toBe(true);
  });

  it("works once, also for two clicks at once", async () => {
    await signUp("once@example.com");
    const link = auth.linkTo("once@example.com");
    const answers = await Promise.all([auth.call("GET", link), auth.call("GET", link)]);
    expect(answers.filter((answer) => fragmentOf(answer).access_token)).toHaveLength(1);
    expect(fragmentOf(await auth.call("GET", link))).toEqual(EXPIRED);
  });

  it("is not used up by HEAD, which mail scanners send", async () => {
    await signUp("scanned@example.com");
    const link = auth.linkTo("scanned@example.com");
    await auth.call("HEAD", link);
    expect(fragmentOf(await auth.call("GET", link)).access_token).toBeDefined();
  });

  it("expires", async () => {
    await signUp("late@example.com");
    auth.advance(3601);
    expect(fragmentOf(await auth.call("GET", auth.linkTo("late@example.com")))).toEqual(EXPIRED);
  });

  it.each([
    ["another site", "https://evil.example/take"],
    ["another site that looks like ours", `${API}@evil.example/`],
    ["a script", "javascript:alert(1)"],
    ["a pattern only half matched", "https://evil.example/https://a.festival.example/"],
  ])("never leads to %s", async (_, target) => {
    const email = `redirect-${Math.random().toString(36).slice(2)}@example.com`;
    await signUp(email, target);
    const answer = await auth.call("GET", auth.linkTo(email));
    expect(new URL(answer.headers.get("location")!).origin).toBe(API);
    const tampered = await auth.call(
      "GET",
      `/verify?token=x&type=signup&redirect_to=${encodeURIComponent(target)}`,
    );
    expect(new URL(tampered.headers.get("location")!).origin).toBe(API);
  });

  it.each([
    ["an app", "houston.culture-app://signed-in", "houston.culture-app://signed-in#access_token="],
    ["an app's bare scheme", "festival://", "festival://#access_token="],
    ["a path below an app's", "festival://open/now", `${API}/#access_token=`],
    ["another app", "other://signed-in", `${API}/#access_token=`],
    ["an app, with a fragment of its own", "festival://tickets#first", "festival://tickets#access_token="],
  ])("leads to %s as the patterns say", async (_, target, wanted) => {
    auth.set({ GOTRUE_URI_ALLOW_LIST: "houston.culture-app://**,festival://*" });
    const email = `app-${Math.random().toString(36).slice(2)}@example.com`;
    await signUp(email, target);
    const location = (await auth.call("GET", auth.linkTo(email))).headers.get("location")!;
    expect(location.slice(0, wanted.length)).toBe(wanted);
  });

  it("never leads to a script, whatever the patterns say", async () => {
    auth.set({ GOTRUE_URI_ALLOW_LIST: "**" });
    for (const target of ["javascript:alert(1)", "data:text/html,hi", "file:///etc/passwd"]) {
      const answer = await auth.call(
        "GET",
        `/verify?token=x&type=signup&redirect_to=${encodeURIComponent(target)}`,
      );
      expect(new URL(answer.headers.get("location")!).origin).toBe(API);
    }
  });

  it("leads to an allowed address", async () => {
    await signUp("allowed@example.com", "https://www.festival.example/welcome?a=1");
    const answer = await auth.call("GET", auth.linkTo("allowed@example.com"));
    expect(answer.headers.get("location")).toMatch("https://www.festival.example/welcome?a=1#access_token=");
  });

  it.each([
    "/verify",
    "/verify?type=signup",
    "/verify?token=x",
    "/verify?token=%00&type=signup",
    "/verify?token=x&type=constructor",
  ])("%s redirects with an error", async (path) => {
    const answer = await auth.call("GET", path);
    expect(answer.status).toBe(303);
    expect(fragmentOf(answer).error_code).toMatch(/validation_failed|otp_expired/);
  });

  it("of one kind does not open another", async () => {
    await signUp("kinds@example.com");
    const token = tokenIn(auth.linkTo("kinds@example.com"));
    expect(fragmentOf(await auth.call("GET", `/verify?token=${token}&type=recovery`))).toEqual(EXPIRED);
  });
});

it("carries a token that cannot be guessed, however many are valid at once", async () => {
  const admin = await auth.serviceKey();
  await auth.signedUp("entropy@example.com");
  const tokens = new Set<string>();
  for (let n = 0; n < 3; n++) {
    const request = { type: "recovery", email: "entropy@example.com" };
    const { body } = await auth.call("POST", "/admin/generate_link", request, admin);
    expect(body.email_otp).toMatch(/^\d{6}$/);
    expect(body.hashed_token).toMatch(/^[0-9a-f]{56}$/);
    tokens.add(body.hashed_token);
  }
  expect(tokens.size).toBe(3);
});

describe("POST /verify", () => {
  it("accepts the token's hash", async () => {
    await signUp("hash@example.com");
    const token_hash = tokenIn(auth.linkTo("hash@example.com"));
    const { status, body } = await auth.call("POST", "/verify", { type: "email", token_hash });
    expect(status).toBe(200);
    expect(body).toMatchObject({ token_type: "bearer", user: { email: "hash@example.com" } });
  });

  it("accepts a typed code with the address it was sent to, once", async () => {
    const email = "typed@example.com";
    await signUp(email);
    const code = { type: "signup", token: auth.codeTo(email) };
    expect((await auth.call("POST", "/verify", { ...code, email: "other@example.com" })).status).toBe(403);
    expect((await auth.call("POST", "/verify", { ...code, email: "Typed@example.com" })).status).toBe(200);
    expect((await auth.call("POST", "/verify", { ...code, email })).status).toBe(403);
    expect(code.token).toMatch(/^\d{6}$/);
  });

  it("refuses a wrong code, and an address alone or with a hash", async () => {
    await signUp("code@example.com");
    const token_hash = tokenIn(auth.linkTo("code@example.com"));
    const wrong = await auth.call("POST", "/verify", {
      type: "signup",
      email: "code@example.com",
      token: "0000000000",
    });
    expect([wrong.status, wrong.body.error_code, wrong.body.msg]).toEqual([
      403,
      "otp_expired",
      "Token has expired or is invalid",
    ]);
    // The link carries the hash, which is not accepted as a code.
    const hashAsCode = { type: "signup", email: "code@example.com", token: token_hash };
    expect((await auth.call("POST", "/verify", hashAsCode)).status).toBe(403);
    const both = { type: "signup", email: "code@example.com", token_hash };
    expect((await auth.call("POST", "/verify", both)).body.error_code).toBe("validation_failed");
    expect((await auth.call("POST", "/verify", { type: "signup", token: "1" })).status).toBe(400);
  });
});

describe("recovering a password", () => {
  it("signs in by mail, sets a new password and ends the other sessions", async () => {
    const old = await auth.signedUp("forgot@example.com");
    expect((await auth.call("POST", "/recover", { email: "forgot@example.com" })).body).toEqual({});
    const { access_token, type } = fragmentOf(await auth.call("GET", auth.linkTo("forgot@example.com")));
    expect(type).toBe("recovery");
    const changed = await auth.call("PUT", "/user", { password: "candy paint" }, access_token);
    expect(changed.status).toBe(200);
    const grant = (password: string) =>
      auth.call("POST", "/token?grant_type=password", { email: "forgot@example.com", password });
    expect((await grant(PASSWORD)).status).toBe(400);
    expect((await grant("candy paint")).status).toBe(200);
    const refreshed = await auth.call("POST", "/token?grant_type=refresh_token", {
      refresh_token: old.refresh_token,
    });
    expect(refreshed.body.error_code).toBe("refresh_token_not_found");
    expect((await auth.call("GET", "/user", undefined, access_token)).status).toBe(200);
  });

  it("answers an unknown address like a known one and mails nothing", async () => {
    const before = auth.mails.length;
    const { status, body } = await auth.call("POST", "/recover", { email: "stranger@example.com" });
    expect([status, body]).toEqual([200, {}]);
    expect(auth.mails).toHaveLength(before);
  });

  it("keeps the owner's link valid while a stranger requests another each minute, until one is used", async () => {
    const email = "pestered@example.com";
    await auth.signedUp(email);
    await auth.call("POST", "/recover", { email });
    const own = auth.linkTo(email);
    const strangers: string[] = [];
    auth.comeFrom("198.51.100.66");
    for (let minute = 0; minute < 20; minute++) {
      auth.advance(61);
      expect((await auth.call("POST", "/recover", { email })).status).toBe(200);
      strangers.push(auth.linkTo(email));
    }
    auth.comeFrom("203.0.113.7");
    expect(fragmentOf(await auth.call("GET", own)).access_token).toBeDefined();
    for (const link of strangers) expect(fragmentOf(await auth.call("GET", link))).toEqual(EXPIRED);
  });

  it.each([
    ["the user", async (id: string, token: string) => auth.call("PUT", "/user", { password: id }, token)],
    [
      "an administrator",
      async (id: string) => auth.call("PUT", `/admin/users/${id}`, { password: id }, await auth.serviceKey()),
    ],
  ])("invalidates every link once %s has changed the password", async (who, change) => {
    const email = `changed-by-${who.split(" ")[1]}@example.com`;
    const { access_token, user } = await auth.signedUp(email);
    await auth.call("POST", "/recover", { email });
    const links = [auth.linkTo(email)];
    auth.advance(61);
    await auth.call("POST", "/recover", { email });
    links.push(auth.linkTo(email));
    expect((await change(user.id, access_token)).status).toBe(200);
    for (const link of links) expect(fragmentOf(await auth.call("GET", link))).toEqual(EXPIRED);
  });

  it("deletes expired links when another is requested", async () => {
    const email = "forgetful@example.com";
    await auth.signedUp(email);
    for (let asked = 0; asked < 3; asked++) {
      auth.advance(3601);
      await auth.call("POST", "/recover", { email });
    }
    const service = auth.database.asService("the test looks inside");
    const { rows } = await service.query("select from auth.one_time_tokens where relates_to = $1", [email]);
    expect(rows).toHaveLength(1);
  });

  it("mails once a minute", async () => {
    await auth.signedUp("eager@example.com");
    expect((await auth.call("POST", "/recover", { email: "eager@example.com" })).status).toBe(200);
    expect((await auth.call("POST", "/recover", { email: "eager@example.com" })).status).toBe(429);
    auth.advance(61);
    expect((await auth.call("POST", "/recover", { email: "eager@example.com" })).status).toBe(200);
  });
});
