import { describe, expect, it } from "vitest";
import { fragmentOf, PASSWORD, useAuth } from "../../../testing/auth.ts";

const auth = await useAuth();

describe("the signed-in user's endpoint", () => {
  it.each([
    ["no user's token", async () => undefined, 401, "no_authorization"],
    ["the anonymous key", () => auth.tokens.sign({ role: "anon" }), 403, "bad_jwt"],
    ["a forged token", async () => "a.b.c", 403, "bad_jwt"],
    [
      "a subject that is no user",
      () => auth.tokens.sign({ role: "authenticated", sub: "7" }),
      400,
      "bad_jwt",
    ],
    [
      "a user who was deleted",
      () => auth.tokens.sign({ role: "authenticated", sub: "00000000-0000-4000-8000-000000000000" }),
      403,
      "user_not_found",
    ],
  ])("refuses %s", async (_, token, status, code) => {
    const answer = await auth.call("GET", "/user", undefined, await token());
    expect([answer.status, answer.body.error_code]).toEqual([status, code]);
  });

  it("refuses an expired token", async () => {
    const { access_token } = await auth.signedUp("expired@example.com");
    auth.advance(3601);
    const { status, body } = await auth.call("GET", "/user", undefined, access_token);
    expect([status, body.error_code]).toEqual([403, "bad_jwt"]);
    expect(body.msg).toContain("expired");
  });

  it("refuses a session of another user", async () => {
    const [mine, theirs] = [
      await auth.signedUp("mine@example.com"),
      await auth.signedUp("theirs@example.com"),
    ];
    const { session_id } = (await auth.tokens.verify(theirs.access_token)) as { session_id: string };
    const mixed = auth.tokens.sign({ role: "authenticated", sub: mine.user.id, session_id });
    expect((await auth.call("GET", "/user", undefined, mixed)).body.error_code).toBe("session_not_found");
  });
});

it("lets nobody change their account once an administrator keeps it", async () => {
  const { access_token, user } = await auth.signedUp("kept@example.com");
  auth.set({ SECURITY_MANUAL_LINKING_ENABLED: "true" });
  const kept = { app_metadata: { unchangeable: true } };
  await auth.call("PUT", `/admin/users/${user.id}`, kept, await auth.serviceKey());
  for (const [method, path, body] of [
    ["PUT", "/user", { password: "another long password" }],
    ["PUT", "/user", { email: "elsewhere@example.com" }],
    ["PUT", "/user", { data: { a: 1 } }],
    ["GET", "/reauthenticate", undefined],
    ["POST", "/factors", { factor_type: "totp", friendly_name: "x" }],
    ["POST", "/passkeys/registration/options", {}],
    ["GET", "/user/identities/authorize?provider=google", undefined],
    ["DELETE", `/user/identities/${user.id}`, undefined],
  ] as const) {
    const answer = await auth.call(method, path, body, access_token);
    expect([answer.status, answer.body.msg], `${method} ${path}`).toEqual([
      403,
      "This account can only be changed by an administrator",
    ]);
  }
  expect((await auth.call("GET", "/user", undefined, access_token)).status).toBe(200);
  expect((await auth.call("POST", "/logout", undefined, access_token)).status).toBe(204);
});

it("refuses a banned user's token everywhere, even before it expires", async () => {
  const { access_token, user } = await auth.signedUp("banned@example.com");
  const ban = (ban_duration: string) =>
    auth.serviceKey().then((key) => auth.call("PUT", `/admin/users/${user.id}`, { ban_duration }, key));
  await ban("24h");
  for (const [method, path, body] of [
    ["GET", "/user", undefined],
    ["PUT", "/user", { data: { a: 1 } }],
    ["POST", "/logout", undefined],
  ] as const) {
    const answer = await auth.call(method, path, body, access_token);
    expect([path, answer.status, answer.body.error_code]).toEqual([path, 403, "user_banned"]);
  }
  await ban("none");
  expect((await auth.call("GET", "/user", undefined, access_token)).status).toBe(200);
});

describe("changing one's account", () => {
  it("merges metadata and removes what is null", async () => {
    const { access_token } = await auth.signedUp("data@example.com");
    await auth.call("PUT", "/user", { data: { city: "Houston", slab: true } }, access_token);
    const { body } = await auth.call("PUT", "/user", { data: { slab: null, boots: 2 } }, access_token);
    expect(body.user_metadata).toMatchObject({ city: "Houston", boots: 2 });
    expect(body.user_metadata).not.toHaveProperty("slab");
  });

  it("refuses metadata that grows too large in small steps, and lets it shrink", async () => {
    const { access_token } = await auth.signedUp("hoarder@example.com");
    const put = (data: object) => auth.call("PUT", "/user", { data }, access_token);
    expect((await put({ first: "x".repeat(3000) })).status).toBe(200);
    const { status, body } = await put({ second: "x".repeat(3000) });
    expect([status, body.error_code]).toEqual([400, "validation_failed"]);
    expect((await put({ first: null, second: "x".repeat(3000) })).body.user_metadata).not.toHaveProperty(
      "first",
    );
  });

  it("keeps app_metadata, role and confirmation out of reach", async () => {
    const { access_token } = await auth.signedUp("climber@example.com");
    const metadata = await auth.call("PUT", "/user", { app_metadata: { admin: true } }, access_token);
    expect([metadata.status, metadata.body.error_code]).toEqual([403, "not_admin"]);
    const { body } = await auth.call(
      "PUT",
      "/user",
      { role: "service_role", is_super_admin: true },
      access_token,
    );
    expect(body.role).toBe("authenticated");
  });

  it.each([
    ["shorter", 422, "weak_password"],
    ["Baseball1", 422, "weak_password"],
    ["Lake-Street 2026!", 422, "weak_password"],
    [" \t      \u3000", 422, "weak_password"],
    ["PW16@Example.com", 422, "weak_password"],
    [PASSWORD, 422, "same_password"],
    ["x".repeat(73), 400, "validation_failed"],
  ])("refuses the password %j", async (password, status, code) => {
    const { access_token } = await auth.signedUp(`pw${password.length}@example.com`);
    const answer = await auth.call("PUT", "/user", { password }, access_token);
    expect([answer.status, answer.body.error_code]).toEqual([status, code]);
  });

  it("requires the old password or a fresh sign-in to set a new one", async () => {
    const email = "left-the-room@example.com";
    const { access_token } = await auth.signedUp(email);
    auth.advance(15 * 60);
    auth.comeFrom("198.51.100.9");
    const change = (more: object) =>
      auth.call("PUT", "/user", { password: "somebody else's", ...more }, access_token);
    const refused = await change({});
    expect([refused.status, refused.body.error_code]).toEqual([400, "reauthentication_needed"]);
    for (let guess = 1; guess <= 5; guess++) {
      const wrong = await change({ current_password: `guess ${guess}` });
      expect([wrong.status, wrong.body.error_code]).toEqual([400, "invalid_credentials"]);
    }
    expect((await change({ current_password: PASSWORD })).status).toBe(429);
    auth.advance(301);
    expect((await change({ current_password: PASSWORD })).status).toBe(200);
    auth.comeFrom("203.0.113.7");
  });
});

describe("changing one's address", () => {
  it("requires both the old and the new address to agree, in any order", async () => {
    const { access_token, user } = await auth.signedUp("old@example.com");
    const asked = await auth.call("PUT", "/user", { email: "New-One@example.com" }, access_token);
    expect(asked.body).toMatchObject({ email: "old@example.com", new_email: "new-one@example.com" });

    const half = await auth.call("GET", auth.linkTo("new-one@example.com"));
    expect(fragmentOf(half).message).toMatch(/^Confirmation link accepted/);
    expect(fragmentOf(half).half).toBe("new");
    expect((await auth.call("GET", "/user", undefined, access_token)).body.email).toBe("old@example.com");
    const again = await auth.call("GET", auth.linkTo("new-one@example.com"));
    expect(fragmentOf(again).error_code).toBe("otp_expired");

    const whole = fragmentOf(await auth.call("GET", auth.linkTo("old@example.com")));
    const { body } = await auth.call("GET", "/user", undefined, whole.access_token);
    expect(body).toMatchObject({ id: user.id, email: "new-one@example.com" });
    expect(body).not.toHaveProperty("new_email");
    expect(body.identities[0].email).toBe("new-one@example.com");
  });

  it("starts over when its user asks again: earlier links and confirmations no longer count", async () => {
    const { access_token } = await auth.signedUp("restart@example.com");
    const change = (email: string) => auth.call("PUT", "/user", { email }, access_token);
    await change("restarted@example.com");
    await auth.call("GET", auth.linkTo("restarted@example.com"));
    const earlier = auth.linkTo("restart@example.com");
    auth.advance(61);
    await change("elsewhere@example.com");
    expect(fragmentOf(await auth.call("GET", earlier)).error_code).toBe("otp_expired");
    const first = await auth.call("GET", auth.linkTo("restart@example.com"));
    expect(fragmentOf(first).message).toBeDefined();
  });

  it("survives a stranger who has its mails resent: earlier links and a confirmation still count", async () => {
    const email = "resent@example.com";
    const { access_token } = await auth.signedUp(email);
    await auth.call("PUT", "/user", { email: "resent-to@example.com" }, access_token);
    const resend = async () => {
      auth.advance(61);
      const { status } = await auth.call("POST", "/resend", { type: "email_change", email });
      expect(status).toBe(200);
    };
    const earlier = auth.linkTo("resent-to@example.com");
    await resend();
    expect(fragmentOf(await auth.call("GET", earlier)).message).toBeDefined();
    const mailed = auth.mails.length;
    await resend();
    expect(auth.mails.slice(mailed).map(({ to }) => to)).toEqual([email]);
    const whole = fragmentOf(await auth.call("GET", auth.linkTo(email)));
    const { body } = await auth.call("GET", "/user", undefined, whole.access_token);
    expect(body.email).toBe("resent-to@example.com");
  });

  const whoIs = async (email: string) =>
    (
      await auth.database
        .asService("the test looks inside")
        .query<{ id: string }>("select id from auth.users where email = $1", [email])
    ).rows.map(({ id }) => id);

  const administrator = async (path: string, body: object) =>
    auth.call("POST", path, body, await auth.serviceKey());

  it("is not blocked by a stranger's sign-up that nobody confirmed", async () => {
    const { access_token, user } = await auth.signedUp("mover@example.com");
    await auth.call("POST", "/signup", { email: "wanted@example.com", password: PASSWORD });
    const [stranger] = await whoIs("wanted@example.com");
    auth.advance(61);
    await auth.call("PUT", "/user", { email: "wanted@example.com" }, access_token);
    const link = auth.linkTo("wanted@example.com");
    await auth.call("GET", auth.linkTo("mover@example.com"));
    expect(await whoIs("wanted@example.com")).toEqual([stranger]);
    const whole = fragmentOf(await auth.call("GET", link));
    expect(whole.error_code).toBeUndefined();
    expect(await whoIs("wanted@example.com")).toEqual([user.id]);
    const trace = { user_id: stranger, user_email: "wanted@example.com" };
    const { rows } = await auth.database
      .asService("the test looks inside")
      .query(
        "select payload -> 'traits' as traits from auth.audit_log_entries where payload ->> 'action' = $1",
        ["user_deleted"],
      );
    expect(rows).toEqual([{ traits: trace }]);
  });

  it.each([
    ["confirmed", (email: string) => auth.signedUp(email)],
    ["invited", (email: string) => administrator("/invite", { email })],
    ["made", (email: string) => administrator("/admin/users", { email })],
  ])("goes to nobody if the address has an account that was %s", async (how, open) => {
    const [from, to] = [`from-${how}@example.com`, `to-${how}@example.com`];
    const { access_token } = await auth.signedUp(from);
    await open(to);
    auth.advance(61);
    await auth.call("PUT", "/user", { email: to }, access_token);
    const subject = "Someone wanted to use your email address";
    expect(auth.mails.findLast((mail) => mail.to === to)).toMatchObject({ subject });
  });

  it("fails when someone else has taken the address meanwhile", async () => {
    const { access_token } = await auth.signedUp("wants@example.com");
    await auth.call("PUT", "/user", { email: "free@example.com" }, access_token);
    const links = [auth.linkTo("free@example.com"), auth.linkTo("wants@example.com")] as const;
    await auth.call("GET", links[0]);
    await auth.signedUp("free@example.com");
    expect(fragmentOf(await auth.call("GET", links[1])).error_code).toBe("email_exists");
    expect((await auth.call("GET", "/user", undefined, access_token)).body.email).toBe("wants@example.com");
  });
});
