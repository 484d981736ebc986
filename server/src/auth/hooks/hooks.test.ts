// Hooks: an operator's own SQL functions and URLs, called as GoTrue calls them.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { TOTP } from "otpauth";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { PASSWORD, startAuth, type TestAuth } from "../../../testing/auth.ts";

let auth: TestAuth;
beforeAll(async () => {
  auth = await startAuth();
  await sql(`create schema hooks; grant usage on schema hooks to supabase_auth_admin;
    create table hooks.calls (name text, input jsonb); grant insert, select on hooks.calls to supabase_auth_admin;`);
});
afterAll(() => auth.close());
beforeEach(async () => {
  await sql("truncate hooks.calls");
});

/** Runs as the database owner, who installs hooks. */
const sql = async (text: string) =>
  (await auth.database.asService("the operator installs hooks").query(text)).rows;
const inputs = async () => (await sql("select input from hooks.calls")).map(({ input }) => input);
/** Installs a hook that records its input and answers with `body`. */
async function hook(name: string, body: string): Promise<void> {
  await sql(`create or replace function hooks.answer(event jsonb) returns jsonb language plpgsql as $$ begin
      insert into hooks.calls values ('${name}', event); ${body} end $$;
    revoke execute on function hooks.answer from public;
    grant execute on function hooks.answer to supabase_auth_admin;`);
  auth.set({
    [`GOTRUE_HOOK_${name}_ENABLED`]: "true",
    [`GOTRUE_HOOK_${name}_URI`]: "pg-functions://postgres/hooks/answer",
  });
}
const signUp = (email: string) =>
  auth.call("POST", "/signup", { email, password: PASSWORD, data: { full_name: "Ada" } });
const signIn = (email: string, password = PASSWORD) =>
  auth.call("POST", "/token?grant_type=password", { email, password });

describe("the hook before a user is created", () => {
  it("receives the new user, and refuses in its own words with its own status", async () => {
    await hook("BEFORE_USER_CREATED", "return '{}';");
    expect((await signUp("welcome@example.com")).status).toBe(200);
    expect(await inputs()).toMatchObject([
      {
        metadata: { name: "before-user-created", uuid: expect.any(String), ip_address: "203.0.113.7" },
        user: {
          email: "welcome@example.com",
          app_metadata: { provider: "email", providers: ["email"] },
          user_metadata: { full_name: "Ada" },
          identities: [],
          created_at: "0001-01-01T00:00:00Z",
          is_anonymous: false,
        },
      },
    ]);
    await hook(
      "BEFORE_USER_CREATED",
      `return jsonb_build_object('error', jsonb_build_object('http_code', 403, 'message', 'Staff only'));`,
    );
    const refused = await signUp("outsider@example.com");
    expect([refused.status, refused.body.msg]).toEqual([403, "Staff only"]);
    expect(await sql("select from auth.users where email = 'outsider@example.com'")).toEqual([]);
  });
});

describe("an access token", () => {
  it("carries the claims its hook returns, at sign-in and at refresh", async () => {
    await auth.signedUp("claims@example.com");
    await hook(
      "CUSTOM_ACCESS_TOKEN",
      `return jsonb_build_object('claims', event -> 'claims' || '{"team": "gate"}');`,
    );
    const { body } = await signIn("claims@example.com");
    expect((await auth.claimsOf(body.access_token))["team"]).toBe("gate");
    await auth.call("POST", "/token?grant_type=refresh_token", { refresh_token: body.refresh_token });
    expect(await inputs()).toMatchObject([
      { user_id: body.user.id, authentication_method: "password", claims: { email: "claims@example.com" } },
      { authentication_method: "token_refresh" },
    ]);
  });

  it.each([
    ["return '{}';", "output claims field is missing"],
    [
      "return jsonb_build_object('claims', (event -> 'claims') - 'sub');",
      "output claims do not conform to the expected schema: \n- (root): sub is required\n",
    ],
    ["raise exception 'broken';", "Error running hook URI: pg-functions://postgres/hooks/answer"],
    ["perform pg_sleep(5); return event;", "Error running hook URI: pg-functions://postgres/hooks/answer"],
  ])("is not issued when its hook does %j", async (body, msg) => {
    await auth.signedUp(`broken-${body.length}@example.com`);
    await hook("CUSTOM_ACCESS_TOKEN", body);
    const before = await sql("select count(*) from auth.sessions");
    const refused = await signIn(`broken-${body.length}@example.com`);
    expect([refused.status, refused.body]).toEqual([
      500,
      { code: 500, error_code: "unexpected_failure", msg },
    ]);
    expect(await sql("select count(*) from auth.sessions")).toEqual(before);
  });
});

describe("a password attempt", () => {
  it("goes to its hook, right or wrong, which may reject it and end all sessions", async () => {
    const { access_token } = await auth.signedUp("tried@example.com");
    await hook("PASSWORD_VERIFICATION_ATTEMPT", `return '{"decision": "continue"}';`);
    expect((await signIn("tried@example.com", "wrong one")).body.error_code).toBe("invalid_credentials");
    expect((await signIn("tried@example.com")).status).toBe(200);
    expect((await inputs()).map(({ valid }) => valid as boolean)).toEqual([false, true]);

    await hook(
      "PASSWORD_VERIFICATION_ATTEMPT",
      `return '{"decision": "reject", "message": "Too many tries", "should_logout_user": true}';`,
    );
    const refused = await signIn("tried@example.com");
    expect([refused.status, refused.body.error_code, refused.body.msg]).toEqual([
      400,
      "invalid_credentials",
      "Too many tries",
    ]);
    expect((await auth.call("GET", "/user", undefined, access_token)).body.error_code).toBe(
      "session_not_found",
    );
  });

  it("counts as a guess when its hook rejects it", async () => {
    await auth.signedUp("tried-often@example.com");
    await hook(
      "PASSWORD_VERIFICATION_ATTEMPT",
      `return '{"decision": "reject", "message": "Too many tries"}';`,
    );
    const tries = Array.from({ length: 20 }, (_, n) => signIn("tried-often@example.com", `guess ${n}`));
    const answers = await Promise.all(tries);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(15);
    expect(await inputs()).toHaveLength(5);
  });
});

describe("a second-step attempt", () => {
  const begun = async (email: string) => {
    await auth.signedUp(email);
    const client = auth.client();
    await client.auth.signInWithPassword({ email, password: PASSWORD });
    const { data } = await client.auth.mfa.enroll({ factorType: "totp" });
    const challenge = await client.auth.mfa.challenge({ factorId: data!.id });
    const verify = (code: string) =>
      client.auth.mfa.verify({ factorId: data!.id, challengeId: challenge.data!.id, code });
    return {
      client,
      factorId: data!.id,
      verify,
      right: () => new TOTP({ secret: data!.totp.secret }).generate(),
    };
  };

  it("goes to its hook, right or wrong, which may reject it and end all sessions", async () => {
    const { client, factorId, verify, right } = await begun("stepping@example.com");
    await hook("MFA_VERIFICATION_ATTEMPT", `return '{"decision": "continue"}';`);
    expect((await verify("000000")).error?.code).toBe("mfa_verification_failed");
    expect((await verify(right())).error).toBeNull();
    expect(await inputs()).toMatchObject(
      [false, true].map((valid) => ({ factor_id: factorId, factor_type: "totp", valid })),
    );

    const rejected = await begun("stopped@example.com");
    await hook("MFA_VERIFICATION_ATTEMPT", `return '{"decision": "reject", "message": "Not today"}';`);
    const { error } = await rejected.verify(rejected.right());
    expect([error?.code, error?.message]).toEqual(["mfa_verification_rejected", "Not today"]);
    expect((await rejected.client.auth.getUser()).error?.name).toBe("AuthSessionMissingError");
    expect((await client.auth.getUser()).error).toBeNull();
  });

  it("counts as a guess when its hook rejects it", async () => {
    const { verify } = await begun("stopped-often@example.com");
    await hook("MFA_VERIFICATION_ATTEMPT", `return '{"decision": "reject"}';`);
    await Promise.all(Array.from({ length: 20 }, () => verify("000000")));
    const judged = (await inputs()).length;
    // A rejection ends the session, after which the rest may find none.
    expect(judged).toBeGreaterThan(0);
    expect(judged).toBeLessThanOrEqual(5);
  });

  it("counts as a guess of a recovery code when its hook rejects it", async () => {
    const { client, verify, right } = await begun("stopped-codes@example.com");
    expect((await verify(right())).error).toBeNull();
    const { data } = await client.auth.getSession();
    const call = (path: string, body: object) =>
      auth.call("POST", `/factors/recovery-codes${path}`, body, data.session!.access_token);
    expect((await call("", {})).status).toBe(200);
    await hook("MFA_VERIFICATION_ATTEMPT", `return '{"decision": "reject"}';`);
    await Promise.all(Array.from({ length: 20 }, () => call("/verify", { code: "AAAAAAAAAAAAAAAA" })));
    const judged = (await inputs()).length;
    expect(judged).toBeGreaterThan(0);
    expect(judged).toBeLessThanOrEqual(5);
  });

  it("does not deadlock when several of one network run at once", async () => {
    const people = await Promise.all([1, 2, 3].map((n) => begun(`together-${n}@example.com`)));
    await hook("MFA_VERIFICATION_ATTEMPT", `perform pg_sleep(0.2); return '{"decision": "continue"}';`);
    const answers = await Promise.all(people.map(({ verify, right }) => verify(right())));
    expect(answers.map(({ error }) => error)).toEqual([null, null, null]);
  });
});

describe("a mail", () => {
  it("goes to its hook with everything needed to send it, and is not sent by us", async () => {
    await hook("SEND_EMAIL", "return '{}';");
    const before = auth.mails.length;
    expect((await signUp("posted@example.com")).status).toBe(200);
    expect(auth.mails).toHaveLength(before);
    const [input] = await inputs();
    expect(input).toMatchObject({
      user: { email: "posted@example.com" },
      email_data: {
        email_action_type: "signup",
        token_hash: expect.any(String),
        site_url: expect.any(String),
      },
    });
    const { token_hash } = input!["email_data"];
    const verified = await auth.call("POST", "/verify", { type: "signup", token_hash });
    expect(verified.body.user.email).toBe("posted@example.com");
  });
});

describe("a text message", () => {
  it("goes to its hook for a second step, and is not sent by us", async () => {
    const on = { GOTRUE_MFA_PHONE_ENROLL_ENABLED: "true", GOTRUE_MFA_PHONE_VERIFY_ENABLED: "true" };
    await hook("SEND_SMS", "return '{}';");
    auth.set({
      ...on,
      GOTRUE_HOOK_SEND_SMS_ENABLED: "true",
      GOTRUE_HOOK_SEND_SMS_URI: "pg-functions://postgres/hooks/answer",
    });
    await auth.signedUp("texted@example.com");
    const client = auth.client();
    await client.auth.signInWithPassword({ email: "texted@example.com", password: PASSWORD });
    const enrolled = await client.auth.mfa.enroll({ factorType: "phone", phone: "+17135550199" });
    const factorId = enrolled.data!.id;
    const challenge = await client.auth.mfa.challenge({ factorId });
    expect(auth.texts).toEqual([]);
    const [input] = await inputs();
    expect(input).toMatchObject({
      user: { email: "texted@example.com" },
      sms: { otp: expect.stringMatching(/^\d{6}$/), sms_type: "mfa", phone: "17135550199" },
    });
    const code = input!["sms"].otp;
    const verified = await client.auth.mfa.verify({ factorId, challengeId: challenge.data!.id, code });
    expect(verified.error).toBeNull();
  });
});

describe("over HTTP", () => {
  it("sends the same payload, and refuses in the hook's own words", async () => {
    const asked: { metadata: object; user: object }[] = [];
    let answer: object = {};
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        asked.push(JSON.parse(Buffer.concat(chunks).toString()));
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
      });
    });
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
    auth.set({
      GOTRUE_HOOK_BEFORE_USER_CREATED_ENABLED: "true",
      GOTRUE_HOOK_BEFORE_USER_CREATED_URI: `http://127.0.0.1:${(server.address() as AddressInfo).port}/new`,
      GOTRUE_HOOK_BEFORE_USER_CREATED_SECRETS: `v1,whsec_${Buffer.alloc(32, 1).toString("base64")}`,
    });
    expect((await signUp("posted-to@example.com")).status).toBe(200);
    expect(asked).toMatchObject([
      { metadata: { name: "before-user-created" }, user: { email: "posted-to@example.com" } },
    ]);
    answer = { error: { http_code: 403, message: "Staff only" } };
    const refused = await signUp("turned-away@example.com");
    expect([refused.status, refused.body.msg]).toEqual([403, "Staff only"]);
    expect(await sql("select from auth.users where email = 'turned-away@example.com'")).toEqual([]);
    server.closeAllConnections();
    server.close();
  });
});
