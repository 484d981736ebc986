// Passkeys and security keys with a software authenticator: what is accepted, and what is refused. Chromium's own
// authenticator is used in tests/browser.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SupabaseClient } from "@supabase/supabase-js";
import { API, PASSWORD, startAuth, type TestAuth } from "../../../testing/auth.ts";
import { Authenticator, type Behavior } from "../../../testing/sign-in/authenticator.ts";

let auth: TestAuth;
beforeAll(async () => {
  auth = await startAuth(
    {},
    {
      environment: {
        GOTRUE_MFA_WEB_AUTHN_ENROLL_ENABLED: "true",
        GOTRUE_MFA_WEB_AUTHN_VERIFY_ENABLED: "true",
      },
    },
  );
});
afterAll(() => auth.close());

let people = 0;
async function person() {
  const email = `passkey-${++people}@example.com`;
  const { access_token, user } = await auth.signedUp(email);
  return { email, token: access_token, id: user.id };
}
type Person = Awaited<ReturnType<typeof person>>;

async function clientOf({ email }: Person): Promise<SupabaseClient> {
  const client = auth.client();
  await client.auth.signInWithPassword({ email, password: PASSWORD });
  return client;
}

const begin = async (who: Person) =>
  (await auth.call("POST", "/passkeys/registration/options", {}, who.token)).body;
const finish = (who: Person, challenge_id: unknown, credential: unknown) =>
  auth.call("POST", "/passkeys/registration/verify", { challenge_id, credential }, who.token);

async function register(who: Person, device = new Authenticator(API)) {
  const { challenge_id, options } = await begin(who);
  const { status, body } = await finish(who, challenge_id, device.create(options));
  expect(status).toBe(200);
  return { device, passkey: body };
}

const beginSignIn = async () => (await auth.call("POST", "/passkeys/authentication/options", {})).body;
const finishSignIn = (challenge_id: unknown, credential: unknown) =>
  auth.call("POST", "/passkeys/authentication/verify", { challenge_id, credential });

async function signIn(device: Authenticator, behavior: Behavior = {}) {
  const { challenge_id, options } = await beginSignIn();
  return finishSignIn(challenge_id, device.get(options, behavior));
}

const refused = (code: string, status = 400) => ({ status, body: { error_code: code } });
const FAILED = {
  status: 400,
  body: { code: 400, error_code: "webauthn_verification_failed", msg: "Credential verification failed" },
};

describe("a passkey", () => {
  it("must be stored on the device and verify its user", async () => {
    const who = await person();
    const { challenge_id, options, expires_at } = await begin(who);
    expect(challenge_id).toMatch(/^[0-9a-f-]{36}$/);
    expect(expires_at).toBeGreaterThan(Date.now() / 1000);
    expect(options).toMatchObject({
      rp: { id: "localhost", name: "Lake Street Library" },
      user: { id: Buffer.from(who.id).toString("base64url"), name: who.email },
      attestation: "none",
      authenticatorSelection: {
        residentKey: "required",
        requireResidentKey: true,
        userVerification: "required",
      },
    });
    const asked = await beginSignIn();
    expect(asked.options).toMatchObject({ rpId: "localhost", userVerification: "required" });
    expect(asked.options.allowCredentials).toBeUndefined();
  });

  it("signs its owner in, at aal1, and can be listed, renamed and removed", async () => {
    const who = await person();
    const { device, passkey } = await register(who);
    expect(passkey).toMatchObject({ friendly_name: "Passkey", created_at: expect.any(String) });
    const { status, body } = await signIn(device);
    expect([status, body.user.id]).toEqual([200, who.id]);
    expect(await auth.claimsOf(body.access_token)).toMatchObject({
      aal: "aal1",
      amr: [{ method: "passkey" }],
    });

    const client = await clientOf(who);
    expect((await client.auth.passkey.list()).data).toMatchObject([
      { id: passkey.id, friendly_name: "Passkey", last_used_at: expect.any(String) },
    ]);
    const renamed = await client.auth.passkey.update({ passkeyId: passkey.id, friendlyName: "Laptop" });
    expect(renamed.data).toMatchObject({ id: passkey.id, friendly_name: "Laptop" });
    expect(
      (await client.auth.passkey.update({ passkeyId: passkey.id, friendlyName: "x".repeat(121) })).error
        ?.code,
    ).toBe("validation_failed");
    // It is not offered again on a device that already has one.
    expect((await begin(who)).options.excludeCredentials).toMatchObject([
      { id: device.id.toString("base64url") },
    ]);
    expect((await client.auth.passkey.delete({ passkeyId: passkey.id })).error).toBeNull();
    expect(await signIn(device)).toMatchObject(FAILED);
    const trail = await auth.database
      .asService("the test looks inside")
      .query(
        "select payload ->> 'action' as action from auth.audit_log_entries where payload ->> 'actor_id' = $1 order by created_at",
        [who.id],
      );
    expect(trail.rows.map(({ action }) => action).slice(-5)).toEqual([
      ...["passkey_created", "login", "login", "passkey_updated", "passkey_deleted"],
    ]);
  });

  it("can be listed, renamed and removed only by its owner or an administrator", async () => {
    const owner = await person();
    const { passkey } = await register(owner);
    const stranger = await clientOf(await person());
    expect((await stranger.auth.passkey.list()).data).toEqual([]);
    const missing = { status: 404, message: "Passkey not found" };
    expect(
      (await stranger.auth.passkey.update({ passkeyId: passkey.id, friendlyName: "Mine" })).error,
    ).toMatchObject(missing);
    expect((await stranger.auth.passkey.delete({ passkeyId: passkey.id })).error).toMatchObject(missing);
    const admin = async (method: string, path = "") =>
      auth.call(method, `/admin/users/${owner.id}/passkeys${path}`, undefined, await auth.serviceKey());
    expect((await admin("GET")).body).toMatchObject([{ id: passkey.id }]);
    expect((await auth.call("GET", `/admin/users/${owner.id}/passkeys`, undefined, owner.token)).status).toBe(
      403,
    );
    expect((await admin("DELETE", `/${passkey.id}`)).status).toBe(204);
    expect((await admin("GET")).body).toEqual([]);
  });

  it("notifies its owner when one is added or removed, by an administrator too", async () => {
    const who = await person();
    const told = () =>
      auth.mails
        .filter(({ to }) => to === who.email)
        .flatMap(({ subject }) => (/passkey/.test(subject) ? [subject] : []));
    const [first, second] = [await register(who), await register(who)];
    expect(told()).toEqual(["A passkey was added", "A passkey was added"]);
    await auth.call("DELETE", `/passkeys/${first.passkey.id}`, undefined, who.token);
    expect(told().slice(2)).toEqual(["A passkey was removed"]);
    const path = `/admin/users/${who.id}/passkeys/${second.passkey.id}`;
    await auth.call("DELETE", path, undefined, await auth.serviceKey());
    expect(told().slice(3)).toEqual(["A passkey was removed"]);

    auth.set({ GOTRUE_MAILER_NOTIFICATIONS_PASSKEY_CREATED_ENABLED: "false" });
    await register(who);
    expect(told()).toHaveLength(4);
  });

  it("can be switched off", async () => {
    auth.set({ GOTRUE_PASSKEY_ENABLED: "false" });
    expect(await auth.call("POST", "/passkeys/authentication/options", {})).toMatchObject({
      status: 404,
      body: { error_code: "passkey_disabled", msg: "Passkeys are disabled" },
    });
    expect((await auth.call("GET", "/passkeys")).status).toBe(404);
  });
});

describe("registering a passkey is refused", () => {
  it.each<[string, Behavior]>([
    ["on another page's behalf", { origin: "https://evil.example" }],
    ["for another relying party", { rpId: "evil.example" }],
    ["when the device did not ask who it is", { verifiesUser: false }],
  ])("%s", async (_why, behavior) => {
    const who = await person();
    const { challenge_id, options } = await begin(who);
    expect(await finish(who, challenge_id, new Authenticator(API).create(options, behavior))).toMatchObject(
      FAILED,
    );
    // The challenge is used up nonetheless.
    const right = await finish(who, challenge_id, new Authenticator(API).create(options));
    expect(right).toMatchObject(refused("webauthn_challenge_not_found"));
  });

  it("with another user's challenge, an old one, a used one, or one for signing in", async () => {
    const [who, other] = [await person(), await person()];
    const theirs = await begin(other);
    expect(
      await finish(who, theirs.challenge_id, new Authenticator(API).create(theirs.options)),
    ).toMatchObject(refused("webauthn_challenge_not_found"));
    const mine = await begin(who);
    const swapped = new Authenticator(API).create(theirs.options);
    expect(await finish(who, mine.challenge_id, swapped)).toMatchObject(FAILED);
    const signing = await beginSignIn();
    const misused = new Authenticator(API).create({ ...mine.options, challenge: signing.options.challenge });
    expect(await finish(who, signing.challenge_id, misused)).toMatchObject(
      refused("webauthn_challenge_not_found"),
    );
    const late = await begin(who);
    auth.advance(301);
    const answer = await finish(who, late.challenge_id, new Authenticator(API).create(late.options));
    expect(answer).toMatchObject(refused("webauthn_challenge_expired"));
  });

  it("when the credential is already registered, the account has ten, or the answer makes no sense", async () => {
    const who = await person();
    const { device } = await register(who);
    const again = await begin(who);
    expect(await finish(who, again.challenge_id, device.create(again.options))).toMatchObject(
      refused("webauthn_credential_exists", 422),
    );
    const other = await person();
    const stolen = await begin(other);
    expect(await finish(other, stolen.challenge_id, device.create(stolen.options))).toMatchObject(
      refused("webauthn_credential_exists", 422),
    );
    const odd = await begin(who);
    expect(await finish(who, odd.challenge_id, { id: 1, response: "x" })).toMatchObject(FAILED);
    expect(await finish(who, "nonsense", {})).toMatchObject(refused("validation_failed"));
    expect(await finish(who, odd.challenge_id, undefined)).toMatchObject(refused("validation_failed"));
    for (let count = 2; count <= 10; count++) await register(who);
    expect(await auth.call("POST", "/passkeys/registration/options", {}, who.token)).toMatchObject(
      refused("too_many_passkeys", 422),
    );
  });
});

describe("signing in with a passkey is refused", () => {
  it.each<[string, Behavior]>([
    ["from another page", { origin: "https://localhost.evil.example" }],
    ["for another relying party", { rpId: "evil.example" }],
    ["without knowing who touched the device", { verifiesUser: false }],
    ["with a counter that went back", { counter: 0 }],
    [
      "in another's name",
      { userHandle: Buffer.from("00000000-0000-4000-8000-000000000000").toString("base64url") },
    ],
  ])("%s", async (_why, behavior) => {
    const { device } = await register(await person());
    expect((await signIn(device)).status).toBe(200);
    expect(await signIn(device, behavior)).toMatchObject(FAILED);
    expect((await signIn(device)).status).toBe(200);
  });

  it("with a used answer, one for another challenge, or a late one", async () => {
    const { device } = await register(await person());
    const { challenge_id, options } = await beginSignIn();
    const answer = device.get(options);
    expect((await finishSignIn(challenge_id, answer)).status).toBe(200);
    expect(await finishSignIn(challenge_id, answer)).toMatchObject(refused("webauthn_challenge_not_found"));
    const next = await beginSignIn();
    expect(await finishSignIn(next.challenge_id, answer)).toMatchObject(FAILED);
    const late = await beginSignIn();
    auth.advance(301);
    expect(await finishSignIn(late.challenge_id, device.get(late.options))).toMatchObject(
      refused("webauthn_challenge_expired"),
    );
  });

  it("in the same way for an unknown passkey as for a wrong answer", async () => {
    const unknown = new Authenticator(API);
    const { options } = await begin(await person());
    unknown.create(options);
    expect(await signIn(unknown)).toMatchObject(FAILED);
  });

  it("to a banned user", async () => {
    const who = await person();
    const { device } = await register(who);
    await auth.call("PUT", `/admin/users/${who.id}`, { ban_duration: "24h" }, await auth.serviceKey());
    expect(await signIn(device)).toMatchObject({ status: 403, body: { error_code: "user_banned" } });
  });
});

describe("a security key as second factor", () => {
  async function withKey(who: Person) {
    const client = await clientOf(who);
    const { data: factor } = await client.auth.mfa.enroll({ factorType: "webauthn", friendlyName: "Key" });
    const token = (await client.auth.getSession()).data.session!.access_token;
    const path = (what: string) => `/factors/${factor!.id}/${what}`;
    const challenge = (as = token) => auth.call("POST", path("challenge"), {}, as);
    const verify = (challenge_id: string, type: string, credential_response: unknown, as = token) =>
      auth.call("POST", path("verify"), { challenge_id, webauthn: { type, credential_response } }, as);
    return { factor: factor!, challenge, verify };
  }

  it("is registered with its first answer and raises sessions with later ones", async () => {
    const who = await person();
    const { factor, challenge, verify } = await withKey(who);
    const device = new Authenticator(API);
    const { body } = await challenge();
    expect(body).toMatchObject({ type: "webauthn", webauthn: { type: "create" } });
    const wrong = device.create(body.webauthn.credential_options.publicKey, {
      origin: "https://evil.example",
    });
    expect(await verify(body.id, "create", wrong)).toMatchObject(FAILED);
    const right = device.create(body.webauthn.credential_options.publicKey, { verifiesUser: false });
    expect((await verify(body.id, "create", right)).status).toBe(200);
    expect(await verify(body.id, "create", right)).toMatchObject(refused("mfa_factor_not_found", 422));

    const next = (await clientOf(who)).auth;
    const token = (await next.getSession()).data.session!.access_token;
    const asked = (await challenge(token)).body;
    expect(asked.webauthn).toMatchObject({
      type: "request",
      credential_options: { publicKey: { allowCredentials: [{ id: device.id.toString("base64url") }] } },
    });
    const { publicKey } = asked.webauthn.credential_options;
    const strange = new Authenticator(API).get(publicKey);
    expect(await verify(asked.id, "request", strange, token)).toMatchObject(FAILED);
    const signed = device.get(publicKey, { verifiesUser: false });
    const raised = await verify(asked.id, "request", signed, token);
    expect(await auth.claimsOf(raised.body.access_token)).toMatchObject({
      aal: "aal2",
      amr: [{ method: "mfa/webauthn" }, { method: "password" }],
    });
    expect(raised.body.user.factors).toMatchObject([{ id: factor.id, factor_type: "webauthn" }]);
    const replayed = await verify(asked.id, "request", signed, raised.body.access_token);
    expect(replayed).toMatchObject(refused("mfa_factor_not_found", 422));
    const again = (await challenge(raised.body.access_token)).body;
    expect(await verify(again.id, "request", signed, raised.body.access_token)).toMatchObject(FAILED);
  });

  it("must be used before passkeys can be changed", async () => {
    const who = await person();
    const { challenge, verify } = await withKey(who);
    const device = new Authenticator(API);
    const { body } = await challenge();
    const created = device.create(body.webauthn.credential_options.publicKey);
    const raised = await verify(body.id, "create", created);
    const low = (await (await clientOf(who)).auth.getSession()).data.session!.access_token;
    const options = (token: string) => auth.call("POST", "/passkeys/registration/options", {}, token);
    expect(await options(low)).toMatchObject(refused("insufficient_aal", 403));
    expect((await options(raised.body.access_token)).status).toBe(200);
  });

  it("refuses an answer of the wrong kind and names what is missing", async () => {
    const { challenge, verify } = await withKey(await person());
    const { body } = await challenge();
    expect(await verify(body.id, "sign", {})).toMatchObject(refused("validation_failed"));
    expect(await verify(body.id, "create", undefined)).toMatchObject(refused("validation_failed"));
    expect(await verify(body.id, "request", {})).toMatchObject(FAILED);
  });
});
