// Second factors through the official client: set up, challenged, verified, removed.
import { TOTP } from "otpauth";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SupabaseClient } from "@supabase/supabase-js";
import { PASSWORD, startAuth, type TestAuth } from "../../../testing/auth.ts";

let auth: TestAuth;
let clock = 0;
beforeAll(async () => {
  auth = await startAuth(
    {},
    {
      environment: {
        GOTRUE_MFA_PHONE_ENROLL_ENABLED: "true",
        GOTRUE_MFA_PHONE_VERIFY_ENABLED: "true",
      },
    },
  );
});
afterAll(() => auth.close());

/** Moves the server's clock, and the time the tests use. */
const advance = (seconds: number) => {
  auth.advance(seconds);
  clock += seconds * 1000;
};
/** Moves to the start of a 30-second step, for what must happen within one. */
const nextStep = () => advance(Math.ceil(30 - (((Date.now() + clock) / 1000) % 30)));
const codeOf = (secret: string, steps = 0) =>
  new TOTP({ secret }).generate({ timestamp: Date.now() + clock + steps * 30_000 });

let people = 0;
async function person(
  email = `factor-${++people}@example.com`,
): Promise<{ client: SupabaseClient; email: string; id: string }> {
  const { user } = await auth.signedUp(email);
  return { client: await signIn(email), email, id: user.id };
}

async function signIn(email: string): Promise<SupabaseClient> {
  const client = auth.client();
  const { error } = await client.auth.signInWithPassword({ email, password: PASSWORD });
  expect(error).toBeNull();
  return client;
}

async function enroll(client: SupabaseClient, friendlyName = "Phone") {
  const { data, error } = await client.auth.mfa.enroll({ factorType: "totp", friendlyName });
  expect(error).toBeNull();
  return { id: data!.id, secret: data!.totp.secret, data: data! };
}

/** A verified factor; the next code is a different one. */
async function withFactor(client: SupabaseClient) {
  const factor = await enroll(client);
  const { error } = await client.auth.mfa.challengeAndVerify({
    factorId: factor.id,
    code: codeOf(factor.secret),
  });
  expect(error).toBeNull();
  advance(31);
  return factor;
}

const refusal = ({ error }: { error: unknown }) => {
  const { code, status, message } = (error ?? {}) as { code?: string; status?: number; message?: string };
  return [status, code, message];
};
const claims = async (client: SupabaseClient) => {
  const { data } = await client.auth.getSession();
  return auth.claimsOf(data.session!.access_token);
};

describe("an authenticator app", () => {
  it("is set up with a picture, a secret and a URI, and raises the session it is verified in", async () => {
    const { client, email } = await person();
    const { id, secret, data } = await enroll(client, "My phone");
    expect(data).toMatchObject({ type: "totp", friendly_name: "My phone" });
    expect(data.totp.qr_code).toMatch(/^data:image\/svg\+xml;utf-8,<svg [^#]*<\/svg>$/);
    const uri = new URL(data.totp.uri);
    expect([uri.protocol, uri.hostname, decodeURIComponent(uri.pathname)]).toEqual([
      "otpauth:",
      "totp",
      `/localhost 3000:${email}`,
    ]);
    expect(uri.searchParams.get("secret")).toBe(secret);
    const stored = await auth.database
      .asService("a test looks at what is kept")
      .query("select secret, status from auth.mfa_factors where id = $1", [id]);
    expect(stored.rows[0]).toMatchObject({ status: "unverified" });
    expect(stored.rows[0]!["secret"]).not.toContain(secret);

    expect((await client.auth.mfa.getAuthenticatorAssuranceLevel()).data).toMatchObject({
      currentLevel: "aal1",
      nextLevel: "aal1",
    });
    const before = await client.auth.getSession();
    const { data: verified } = await client.auth.mfa.challengeAndVerify({
      factorId: id,
      code: codeOf(secret),
    });
    expect(verified).toMatchObject({ token_type: "bearer", user: { factors: [{ id, status: "verified" }] } });
    const { aal, amr } = await claims(client);
    expect(aal).toBe("aal2");
    expect(amr).toMatchObject([
      { method: "totp", timestamp: expect.any(Number) },
      { method: "password", timestamp: expect.any(Number) },
    ]);
    expect((await client.auth.mfa.getAuthenticatorAssuranceLevel()).data).toMatchObject({
      currentLevel: "aal2",
      nextLevel: "aal2",
      currentAuthenticationMethods: [{ method: "totp" }, { method: "password" }],
    });
    const { data: listed } = await client.auth.mfa.listFactors();
    expect(listed).toMatchObject({
      totp: [{ id, friendly_name: "My phone", status: "verified" }],
      phone: [],
    });
    // Tokens from before can no longer be refreshed, and a refreshed session stays raised.
    const old = before.data.session!.refresh_token;
    expect((await auth.client().auth.refreshSession({ refresh_token: old })).error).not.toBeNull();
  });

  it("stays raised when the session is refreshed, and is required again in the next session", async () => {
    const { client, email } = await person();
    await withFactor(client);
    expect((await client.auth.refreshSession()).error).toBeNull();
    expect((await claims(client)).aal).toBe("aal2");
    const next = await signIn(email);
    expect((await claims(next)).aal).toBe("aal1");
    expect((await next.auth.mfa.getAuthenticatorAssuranceLevel()).data).toMatchObject({
      currentLevel: "aal1",
      nextLevel: "aal2",
    });
  });

  it("ends the account's other sessions, which have not taken the second step", async () => {
    const { client, email } = await person();
    const other = await signIn(email);
    await withFactor(client);
    expect((await client.auth.getUser()).error).toBeNull();
    expect((await other.auth.getUser()).error?.name).toBe("AuthSessionMissingError");
  });

  it("accepts the codes of the previous and the next half minute, and no others", async () => {
    const { client } = await person();
    const { id, secret } = await withFactor(client);
    const verify = (steps: number) =>
      client.auth.mfa.challengeAndVerify({ factorId: id, code: codeOf(secret, steps) });
    nextStep();
    expect(refusal(await verify(-2))).toEqual([422, "mfa_verification_failed", "Invalid TOTP code entered"]);
    expect(refusal(await verify(2))[1]).toBe("mfa_verification_failed");
    advance(60);
    expect((await verify(-1)).error).toBeNull();
    expect((await verify(1)).error).toBeNull();
  });

  it("accepts a code once, also for another challenge and when it is sent twice at once", async () => {
    const { client, email } = await person();
    const { id, secret } = await withFactor(client);
    const code = codeOf(secret);
    const [one, two] = await Promise.all(
      [client, await signIn(email)].map((each) => each.auth.mfa.challengeAndVerify({ factorId: id, code })),
    );
    expect([one!.error, two!.error].filter((error) => error === null)).toHaveLength(1);
    const third = await signIn(email);
    expect(refusal(await third.auth.mfa.challengeAndVerify({ factorId: id, code }))[1]).toBe(
      "mfa_verification_failed",
    );
    // An older code is worthless too, even if nobody has used it yet.
    expect(
      refusal(await third.auth.mfa.challengeAndVerify({ factorId: id, code: codeOf(secret, -1) }))[1],
    ).toBe("mfa_verification_failed");
  });

  it("lets nobody guess for long, and not the owner's other network wait for it", async () => {
    const { client, email } = await person();
    const { id, secret } = await withFactor(client);
    const guesser = await signIn(email);
    for (let guess = 0; guess < 5; guess++) {
      expect(refusal(await guesser.auth.mfa.challengeAndVerify({ factorId: id, code: "000000" }))[1]).toBe(
        "mfa_verification_failed",
      );
    }
    expect(
      refusal(await guesser.auth.mfa.challengeAndVerify({ factorId: id, code: codeOf(secret) })),
    ).toEqual([429, "over_request_rate_limit", "Request rate limit reached"]);
    auth.comeFrom("198.51.100.9");
    expect(
      (await guesser.auth.mfa.challengeAndVerify({ factorId: id, code: codeOf(secret) })).error,
    ).toBeNull();
    auth.comeFrom("203.0.113.7");
  });
});

it("comes before a new password or address, and not before the rest of the account", async () => {
  const { client, email } = await person();
  await withFactor(client);
  const low = await signIn(email);
  const refused = [
    401,
    "insufficient_aal",
    "AAL2 session is required to update email or password when MFA is enabled.",
  ];
  expect(refusal(await low.auth.updateUser({ password: "candy paint and vogues" }))).toEqual(refused);
  expect(refusal(await low.auth.updateUser({ email: "elsewhere@example.com" }))).toEqual(refused);
  expect((await low.auth.updateUser({ data: { hat: "Stetson" } })).error).toBeNull();
  expect((await client.auth.updateUser({ password: "candy paint and vogues" })).error).toBeNull();
});

describe("a challenge", () => {
  it("is answered once, for its own factor, from its own address, within five minutes", async () => {
    const { client, email } = await person();
    const { id, secret } = await withFactor(client);
    const open = async () => (await client.auth.mfa.challenge({ factorId: id })).data!;
    const answer = (challengeId: string, factorId = id) =>
      client.auth.mfa.verify({ factorId, challengeId, code: codeOf(secret) });

    const challenge = await open();
    expect(challenge).toMatchObject({ type: "totp", expires_at: expect.any(Number) });
    expect((await answer(challenge.id)).error).toBeNull();
    advance(31);
    expect(refusal(await answer(challenge.id))).toEqual([
      422,
      "mfa_ip_address_mismatch",
      "Challenge and verify IP addresses mismatch.",
    ]);

    const moved = await open();
    auth.comeFrom("198.51.100.1");
    expect(refusal(await answer(moved.id))[1]).toBe("mfa_ip_address_mismatch");
    auth.comeFrom("203.0.113.7");

    const late = await open();
    advance(301);
    expect(refusal(await answer(late.id))).toEqual([
      422,
      "mfa_challenge_expired",
      `MFA challenge ${late.id} has expired, verify against another challenge or create a new challenge.`,
    ]);
    expect(refusal(await answer(late.id))[1]).toBe("mfa_factor_not_found");

    // Another user's challenge proves nothing about this factor.
    const stranger = await person();
    const theirs = await withFactor(stranger.client);
    const swapped = (await stranger.client.auth.mfa.challenge({ factorId: theirs.id })).data!;
    expect(refusal(await answer(swapped.id))).toEqual([
      422,
      "mfa_factor_not_found",
      "MFA factor with the provided challenge ID not found",
    ]);
    expect(refusal(await answer("not a uuid"))[1]).toBe("mfa_factor_not_found");
    void email;
  });

  it("is refused for another user's factor, which cannot be verified or removed either", async () => {
    const owner = await person();
    const { id, secret } = await withFactor(owner.client);
    const { client } = await person();
    const open = (await owner.client.auth.mfa.challenge({ factorId: id })).data!;
    const unknown = [404, "mfa_factor_not_found", "Factor not found"];
    expect(refusal(await client.auth.mfa.challenge({ factorId: id }))).toEqual(unknown);
    const verify = { factorId: id, challengeId: open.id, code: codeOf(secret) };
    expect(refusal(await client.auth.mfa.verify(verify))).toEqual(unknown);
    expect(refusal(await client.auth.mfa.unenroll({ factorId: id }))).toEqual(unknown);
    const { access_token } = (await client.auth.getSession()).data.session!;
    const answer = await auth.call("POST", "/factors/nonsense/challenge", {}, access_token);
    expect([answer.status, answer.body.error_code]).toEqual([404, "validation_failed"]);
  });
});

describe("setting up", () => {
  it("refuses a second factor of the same name, unknown kinds, and what is switched off", async () => {
    const { client } = await person();
    await enroll(client, "One");
    const again = await client.auth.mfa.enroll({ factorType: "totp", friendlyName: "One" });
    expect(refusal(again)).toEqual([
      422,
      "mfa_factor_name_conflict",
      'A factor with the friendly name "One" for this user already exists',
    ]);
    const { access_token } = (await client.auth.getSession()).data.session!;
    const post = async (body: unknown) => {
      const answer = await auth.call("POST", "/factors", body, access_token);
      return [answer.status, answer.body.error_code, answer.body.msg];
    };
    expect(await post({ factor_type: "carrier pigeon" })).toEqual([
      400,
      "validation_failed",
      "factor_type needs to be totp, phone, or webauthn",
    ]);
    expect(await post({ factor_type: "webauthn", friendly_name: "Key" })).toEqual([
      422,
      "mfa_webauthn_enroll_not_enabled",
      "MFA enroll is disabled for WebAuthn",
    ]);
    const reset = auth.set({
      GOTRUE_MFA_TOTP_ENROLL_ENABLED: "false",
      GOTRUE_MFA_TOTP_VERIFY_ENABLED: "false",
    });
    expect(await post({ factor_type: "totp" })).toEqual([
      422,
      "mfa_totp_enroll_not_enabled",
      "MFA enroll is disabled for TOTP",
    ]);
    reset();
    expect((await auth.call("POST", "/factors", { factor_type: "totp" })).status).toBe(401);
  });

  it("requires aal2 once there is a factor, and stops at ten", async () => {
    const { client, email } = await person();
    await withFactor(client);
    const low = await signIn(email);
    expect(refusal(await low.auth.mfa.enroll({ factorType: "totp", friendlyName: "Two" }))).toEqual([
      403,
      "insufficient_aal",
      "AAL2 required to enroll a new factor",
    ]);
    for (let count = 2; count <= 10; count++) await enroll(client, `Number ${count}`);
    expect(refusal(await client.auth.mfa.enroll({ factorType: "totp", friendlyName: "Eleven" }))).toEqual([
      422,
      "too_many_enrolled_mfa_factors",
      "Maximum number of verified factors reached, unenroll to continue",
    ]);
  });

  it("forgets unfinished factors: at the next set-up after five minutes, and when another is verified", async () => {
    const { client } = await person();
    await enroll(client, "Abandoned");
    advance(301);
    const { id, secret } = await enroll(client, "Second");
    const { data } = await client.auth.mfa.listFactors();
    expect(data!.all.map((factor) => factor.friendly_name)).toEqual(["Second"]);
    await enroll(client, "Third");
    expect(
      (await client.auth.mfa.challengeAndVerify({ factorId: id, code: codeOf(secret) })).error,
    ).toBeNull();
    const { data: left } = await client.auth.mfa.listFactors();
    expect(left!.all.map((factor) => factor.friendly_name)).toEqual(["Second"]);
  });
});

describe("removing", () => {
  it("requires aal2 for a verified factor, and the session falls back to aal1", async () => {
    const { client, email } = await person();
    const { id } = await withFactor(client);
    const low = await signIn(email);
    expect(refusal(await low.auth.mfa.unenroll({ factorId: id }))).toEqual([
      422,
      "insufficient_aal",
      "AAL2 required to unenroll verified factor",
    ]);
    expect((await client.auth.mfa.unenroll({ factorId: id })).data).toEqual({ id });
    await client.auth.refreshSession();
    const { aal, amr } = await claims(client);
    expect([aal, amr]).toMatchObject(["aal1", [{ method: "password" }]]);
    expect((await client.auth.mfa.listFactors()).data!.all).toEqual([]);
  });

  it("lets an administrator do it for a user who lost their phone, along with their recovery codes", async () => {
    const { client, email, id: userId } = await person();
    const { id } = await withFactor(client);
    const { access_token } = (await client.auth.getSession()).data.session!;
    expect((await auth.call("POST", "/factors/recovery-codes", undefined, access_token)).status).toBe(200);
    const admin = async (method: string, path: string, body?: unknown) =>
      auth.call(method, `/admin/users/${userId}${path}`, body, await auth.serviceKey());
    const { body } = await admin("GET", "/factors");
    expect(body).toMatchObject([
      { id, factor_type: "totp", status: "verified", friendly_name: "Phone" },
      { factor_type: "recovery_code", status: "verified" },
    ]);
    expect(JSON.stringify(body)).not.toContain("secret");
    expect((await admin("PUT", `/factors/${id}`, { friendly_name: "Old phone" })).body).toMatchObject({
      friendly_name: "Old phone",
    });
    expect((await auth.call("GET", `/admin/users/${userId}/factors`, undefined, access_token)).status).toBe(
      403,
    );
    expect((await admin("DELETE", `/factors/${id}`)).body).toMatchObject({ id });
    expect((await admin("GET", "/factors")).body).toEqual([]);
    expect((await claims(await signIn(email))).aal).toBe("aal1");
    expect((await admin("DELETE", `/factors/${id}`)).status).toBe(404);
  });
});

describe("a phone", () => {
  it("gets a code by text message, at most one a minute, which works once", async () => {
    const { client } = await person();
    const { data } = await client.auth.mfa.enroll({
      factorType: "phone",
      phone: "+1 713 555 0134",
      friendlyName: "SMS",
    });
    expect(data).toMatchObject({ type: "phone", phone: "+1 713 555 0134" });
    const { data: challenge } = await client.auth.mfa.challenge({ factorId: data!.id, channel: "sms" });
    const { to, text } = auth.texts.at(-1)!;
    expect(to).toBe("17135550134");
    const code = /\d{6}/.exec(text)![0];
    const soon = await client.auth.mfa.challenge({ factorId: data!.id, channel: "sms" });
    expect(refusal(soon)[1]).toBe("over_sms_send_rate_limit");
    const wrong = code === "111111" ? "222222" : "111111";
    const verify = (given: string) =>
      client.auth.mfa.verify({ factorId: data!.id, challengeId: challenge!.id, code: given });
    expect(refusal(await verify(wrong))).toEqual([
      422,
      "mfa_verification_failed",
      "Invalid MFA Phone code entered",
    ]);
    expect((await verify(code)).error).toBeNull();
    expect((await claims(client)).amr).toMatchObject([{ method: "mfa/phone" }, { method: "password" }]);
    expect(refusal(await verify(code))[1]).toBe("mfa_ip_address_mismatch");
    const twice = await client.auth.mfa.enroll({
      factorType: "phone",
      phone: "17135550134",
      friendlyName: "Again",
    });
    expect(refusal(twice)[1]).toBe("mfa_verified_factor_exists");
  });

  it("requires an E.164 number", async () => {
    const { client } = await person();
    for (const phone of ["713-555", "abc", "+0123456"]) {
      expect(
        refusal(await client.auth.mfa.enroll({ factorType: "phone", phone, friendlyName: phone })),
      ).toEqual([400, "validation_failed", "Invalid phone number format (E.164 required)"]);
    }
  });
});

it("writes a line in the audit log for every step", async () => {
  const { client, id: userId } = await person();
  const { id } = await withFactor(client);
  await client.auth.mfa.unenroll({ factorId: id });
  const { rows } = await auth.database.asService("a test reads the audit log").query(
    `select payload ->> 'action' as action from auth.audit_log_entries
       where payload ->> 'actor_id' = $1 and payload ->> 'log_type' = 'factor' order by created_at`,
    [userId],
  );
  expect(rows.map(({ action }) => action)).toEqual([
    "factor_in_progress",
    "challenge_created",
    "verification_attempted",
    "factor_unenrolled",
  ]);
});
