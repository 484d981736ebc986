// Linking and unlinking providers, and id tokens that an app brings, through the official client.
import { createHash } from "node:crypto";
import type { SupabaseClient } from "@supabase/supabase-js";
import { TOTP } from "otpauth";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PASSWORD, startAuth, type TestAuth } from "../../../testing/auth.ts";
import { untilWaitingOn } from "../../../testing/waiting.ts";
import {
  browser,
  CALLBACK,
  LANDING,
  openCallback,
  signInAt,
} from "../../../testing/sign-in/oauth-browser.ts";
import { CLIENT, type Issuer, openIssuer, visit } from "../../../testing/sign-in/oidc-issuer.ts";

const APP = "https://app.festival.example/in";
let issuer: Issuer;
let auth: TestAuth;

beforeAll(async () => {
  issuer = await openIssuer([CALLBACK, APP]);
  const settings = (name: string) => ({
    [`GOTRUE_EXTERNAL_${name}_ENABLED`]: "true",
    [`GOTRUE_EXTERNAL_${name}_CLIENT_ID`]: CLIENT.id,
    [`GOTRUE_EXTERNAL_${name}_SECRET`]: CLIENT.secret,
    [`GOTRUE_EXTERNAL_${name}_URL`]: issuer.url,
  });
  const linking = { GOTRUE_SECURITY_MANUAL_LINKING_ENABLED: "true" };
  auth = await startAuth({}, { environment: { ...settings("GOOGLE"), ...settings("KEYCLOAK"), ...linking } });
});
afterAll(async () => {
  await auth.close();
  await issuer.close();
});

/** A signed-in client with a password. */
async function member(email: string): Promise<SupabaseClient> {
  await auth.signedUp(email);
  const client = browser(auth);
  const { error } = await client.auth.signInWithPassword({ email, password: PASSWORD });
  if (error) throw error;
  return client;
}

/** Opens the provider's answer to linkIdentity. */
async function link(client: SupabaseClient) {
  const { data, error } = await client.auth.linkIdentity({
    provider: "google",
    options: { redirectTo: LANDING },
  });
  if (error) throw error;
  return openCallback(auth, await visit(data.url, CALLBACK));
}

/** The tokens that the provider's own library gets in an app, for `person`. */
async function appTokens(nonce: string | undefined, scope = "openid email profile") {
  const address = new URL(`${issuer.url}/auth`);
  const query = { client_id: CLIENT.id, response_type: "code", scope, redirect_uri: APP, state: "s" };
  address.search = new URLSearchParams({ ...query, ...(nonce && { nonce }) }).toString();
  const { url } = await visit(address.href, APP);
  const answer = await fetch(`${issuer.url}/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "authorization_code",
      code: url.searchParams.get("code")!,
      redirect_uri: APP,
      client_id: CLIENT.id,
      client_secret: CLIENT.secret,
    }),
  });
  return (await answer.json()) as { id_token: string; access_token: string };
}

const providersOf = async (client: SupabaseClient) =>
  (await client.auth.getUserIdentities()).data!.identities.map(({ provider }) => provider);

describe("joining another provider", () => {
  it("links, lists and unlinks it, but never the last identity", async () => {
    const client = await member("linker@example.com");
    issuer.person = { sub: "l-1", email: "other@example.com", email_verified: false };
    const { query } = await link(client);
    const { data } = await client.auth.exchangeCodeForSession(query.code!);
    expect(data.user).toMatchObject({
      email: "linker@example.com",
      app_metadata: { provider: "email", providers: ["email", "google"] },
    });
    expect(await providersOf(client)).toEqual(["email", "google"]);
    const identities = (await client.auth.getUserIdentities()).data!.identities;
    expect((await client.auth.unlinkIdentity(identities[1]!)).error).toBeNull();
    expect(await providersOf(client)).toEqual(["email"]);
    const last = await client.auth.unlinkIdentity(identities[0]!);
    expect(last.error).toMatchObject({
      status: 422,
      code: "single_identity_not_deletable",
      message: "User must have at least 1 identity after unlinking",
    });
  });

  it("keeps one of two identities that are unlinked at once", async () => {
    for (let n = 0; n < 4; n++) {
      const client = await member(`race-${n}@example.com`);
      issuer.person = { sub: `race-${n}`, email: `race-other-${n}@example.com`, email_verified: false };
      const { query } = await link(client);
      await client.auth.exchangeCodeForSession(query.code!);
      const identities = (await client.auth.getUserIdentities()).data!.identities;
      const answers = await Promise.all(identities.map((one) => client.auth.unlinkIdentity(one)));
      expect(answers.map(({ error }) => error?.code ?? "unlinked").toSorted()).toEqual([
        "single_identity_not_deletable",
        "unlinked",
      ]);
      expect(await providersOf(client)).toHaveLength(1);
    }
  });

  it("refuses an identity that is already linked, to this user or another", async () => {
    const client = await member("first@example.com");
    issuer.person = { sub: "l-2", email: "taken@example.com", email_verified: true };
    await link(client);
    expect((await link(client)).query).toMatchObject({
      error_code: "identity_already_exists",
      error_description: "Identity is already linked",
    });
    expect((await link(await member("second@example.com"))).query).toMatchObject({
      error_description: "Identity is already linked to another user",
    });
  });

  it("fails when it was begun before there was a second factor", async () => {
    const client = await member("begun-before@example.com");
    issuer.person = { sub: "l-7", email: "begun-too@example.com", email_verified: true };
    const { data } = await client.auth.linkIdentity({
      provider: "google",
      options: { redirectTo: LANDING },
    });
    const { data: factor } = await client.auth.mfa.enroll({ factorType: "totp", friendlyName: "App" });
    const code = new TOTP({ secret: factor!.totp.secret }).generate();
    expect((await client.auth.mfa.challengeAndVerify({ factorId: factor!.id, code })).error).toBeNull();
    const { query } = await openCallback(auth, await visit(data.url!, CALLBACK));
    expect(query).toMatchObject({ error_code: "bad_oauth_state" });
    expect(await providersOf(client)).toEqual(["email"]);
  });

  it.each(["a code", "tokens"])("fails, before it gets %s, when its session has ended", async (what) => {
    const email = `thief-${what.replace(" ", "-")}@example.com`;
    const client = await member(email);
    issuer.person = { sub: `l-8-${what}`, email: "thief@elsewhere.example", email_verified: true };
    const { data } = await client.auth.linkIdentity({
      provider: "google",
      options: { redirectTo: LANDING },
    });
    const { data: own } = await client.auth.getSession();
    const url =
      what === "a code"
        ? data.url!
        : (
            await auth.call(
              "GET",
              "/user/identities/authorize?provider=google&skip_http_redirect=true",
              undefined,
              own.session!.access_token,
            )
          ).body.url;
    const owner = await auth.call("POST", "/token?grant_type=password", { email, password: PASSWORD });
    expect((await auth.call("POST", "/logout?scope=global", undefined, owner.body.access_token)).status).toBe(
      204,
    );
    const { query, fragment } = await openCallback(auth, await visit(url, CALLBACK));
    expect({ ...fragment, ...query }).toMatchObject({ error_code: "session_not_found" });
    const { rows } = await auth.database
      .asService("the test looks inside")
      .query("select from auth.identities where provider_id = $1", [`l-8-${what}`]);
    expect(rows).toEqual([]);
  });

  it("cannot remove another user's identity", async () => {
    const mine = await member("mine@example.com");
    issuer.person = { sub: "l-3", email: "mine-too@example.com", email_verified: true };
    await link(mine);
    const theirs = await member("theirs@example.com");
    issuer.person = { sub: "l-4", email: "theirs-too@example.com", email_verified: true };
    await link(theirs);
    const [identity] = (await theirs.auth.getUserIdentities()).data!.identities;
    expect((await mine.auth.unlinkIdentity(identity!)).error).toMatchObject({ code: "identity_not_found" });
    expect(await providersOf(theirs)).toHaveLength(2);
    const made = await mine.auth.unlinkIdentity({ ...identity!, identity_id: "no-uuid" });
    expect(made.error).toMatchObject({ status: 404, code: "validation_failed" });
  });

  it("requires a signed-in user and the setting that enables it", async () => {
    expect((await auth.call("GET", "/user/identities/authorize?provider=google")).status).toBe(401);
    const client = await member("off@example.com");
    auth.set({ GOTRUE_SECURITY_MANUAL_LINKING_ENABLED: "false" });
    const refused = { status: 404, code: "manual_linking_disabled", message: "Manual linking is disabled" };
    expect((await client.auth.linkIdentity({ provider: "google" })).error).toMatchObject(refused);
    const [identity] = (await client.auth.getUserIdentities()).data!.identities;
    expect((await client.auth.unlinkIdentity(identity!)).error).toMatchObject(refused);
    const token = { provider: "google", token: "any" } as const;
    expect((await client.auth.linkIdentity(token)).error).toMatchObject(refused);
  });

  it("keeps the account's address when the identity it came with is removed", async () => {
    issuer.person = { sub: "l-5", email: "google-first@example.com", email_verified: true };
    const client = browser(auth);
    await signInAt(auth, client, "google");
    issuer.person = { sub: "l-6", email: "keycloak-next@example.com", email_verified: true };
    const { data } = await client.auth.linkIdentity({
      provider: "keycloak",
      options: { redirectTo: LANDING },
    });
    await openCallback(auth, await visit(data.url!, CALLBACK));
    const [google] = (await client.auth.getUserIdentities()).data!.identities;
    expect((await client.auth.unlinkIdentity(google!)).error).toBeNull();
    expect((await client.auth.getUser()).data.user).toMatchObject({
      email: "google-first@example.com",
      app_metadata: { provider: "keycloak", providers: ["keycloak"] },
    });
  });
});

describe("an id token that an app brings", () => {
  const NONCE = "the app's own nonce";
  const HASHED = createHash("sha256").update(NONCE).digest("hex");

  const signIn = (client: SupabaseClient, token: string, more: object = {}) =>
    client.auth.signInWithIdToken({ provider: "google", token, nonce: NONCE, ...more });

  it("signs in, with the access token that belongs to it", async () => {
    issuer.person = { sub: "t-1", email: "phone-app@example.com", email_verified: true };
    const { id_token, access_token } = await appTokens(HASHED);
    const client = browser(auth);
    const { data, error } = await signIn(client, id_token, { access_token });
    expect(error).toBeNull();
    expect(data.user).toMatchObject({ email: "phone-app@example.com", app_metadata: { provider: "google" } });
    const stolen = await appTokens(HASHED);
    expect((await signIn(client, id_token, { access_token: `${stolen.access_token}x` })).error).toBeNull();
  });

  it.each([
    ["another nonce", { nonce: "another nonce" }, "Nonces mismatch"],
    ["no nonce", { nonce: undefined }, "Passed nonce and nonce in id_token should either both exist or not."],
    [
      "another provider",
      { provider: "apple" },
      'Provider (issuer "https://appleid.apple.com") is not enabled',
    ],
    ["an unknown provider", { provider: "myspace" }, 'Custom OIDC provider "myspace" not allowed'],
  ])("is refused with %s", async (_, more, message) => {
    issuer.person = { sub: "t-2", email: "refused@example.com", email_verified: true };
    const { id_token } = await appTokens(HASHED);
    expect((await signIn(browser(auth), id_token, more)).error).toMatchObject({ status: 400, message });
  });

  it("is refused for another audience, or with a broken signature", async () => {
    issuer.person = { sub: "t-3", email: "refused@example.com", email_verified: true };
    const { id_token } = await appTokens(HASHED);
    const broken = `${id_token.slice(0, -6)}${id_token.endsWith("AAAAAA") ? "BBBBBB" : "AAAAAA"}`;
    expect((await signIn(browser(auth), broken)).error).toMatchObject({ message: "Bad ID token" });
    const unsigned = `${Buffer.from('{"alg":"none"}').toString("base64url")}.${id_token.split(".")[1]}.`;
    expect((await signIn(browser(auth), unsigned)).error).toMatchObject({ message: "Bad ID token" });
    auth.set({ GOTRUE_EXTERNAL_GOOGLE_CLIENT_ID: "another app" });
    expect((await signIn(browser(auth), id_token)).error).toMatchObject({
      message: `Unacceptable audience in id_token: [${CLIENT.id}]`,
    });
  });

  it("gets refusals in OAuth's format, also without the official client", async () => {
    const { status, body } = await auth.call("POST", "/token?grant_type=id_token", { provider: "google" });
    expect([status, body]).toEqual([
      400,
      { error: "invalid request", error_description: "id_token required" },
    ]);
  });

  it("is accepted for any of our audiences, and without a nonce where that check is off", async () => {
    issuer.person = { sub: "t-4", email: "audience@example.com", email_verified: true };
    const { id_token } = await appTokens(HASHED);
    auth.set({
      GOTRUE_EXTERNAL_GOOGLE_CLIENT_ID: `web, ${CLIENT.id}`,
      GOTRUE_EXTERNAL_GOOGLE_SKIP_NONCE_CHECK: "true",
    });
    expect((await signIn(browser(auth), id_token, { nonce: undefined })).error).toBeNull();
  });

  it("is taken from an issuer on the list of those allowed", async () => {
    issuer.person = { sub: "t-5", email: "listed@example.com", email_verified: true };
    const { id_token } = await appTokens(HASHED);
    const grant = { id_token, nonce: NONCE, client_id: CLIENT.id, issuer: issuer.url };
    const ask = () => auth.call("POST", "/token?grant_type=id_token", grant);
    auth.set({ GOTRUE_EXTERNAL_KEYCLOAK_ENABLED: "false" });
    expect((await ask()).body.error_code).toBe("validation_failed");
    auth.set({
      GOTRUE_EXTERNAL_KEYCLOAK_ENABLED: "false",
      GOTRUE_EXTERNAL_ALLOWED_ID_TOKEN_ISSUERS: issuer.url,
    });
    expect((await ask()).body.user).toMatchObject({ app_metadata: { provider: issuer.url } });
  });

  it("links an identity to the signed-in user", async () => {
    const client = await member("token-linker@example.com");
    issuer.person = { sub: "t-6", email: "token-linked@example.com", email_verified: true };
    const { id_token } = await appTokens(HASHED);
    const { data, error } = await client.auth.linkIdentity({
      provider: "google",
      token: id_token,
      nonce: NONCE,
    });
    expect(error).toBeNull();
    expect(data.user).toMatchObject({ email: "token-linker@example.com" });
    expect(await providersOf(client)).toEqual(["email", "google"]);
  });

  it("links nothing for a session that ends while its request waits", async () => {
    const client = await member("ends-meanwhile@example.com");
    const { data } = await client.auth.getUser();
    issuer.person = { sub: "t-8", email: "linked-late@example.com", email_verified: true };
    const { id_token: token } = await appTokens(HASHED);
    const service = auth.database.asService("holds up the request and ends its session");
    const linking = await service.transaction(async (tx) => {
      await tx.query("select from auth.users where id = $1 for update", [data.user!.id]);
      const outcome = client.auth.linkIdentity({ provider: "google", token, nonce: NONCE });
      await untilWaitingOn(service)(1);
      await tx.query("delete from auth.sessions where user_id = $1", [data.user!.id]);
      return { outcome };
    });
    expect((await linking.outcome).error).toMatchObject({ name: "AuthSessionMissingError" });
    expect((await signIn(browser(auth), token)).data.user).not.toMatchObject({ id: data.user!.id });
  });
});

it("makes an anonymous account permanent, with the address the provider has verified and a stranger signed up with", async () => {
  await auth.call("POST", "/signup", { email: "no-longer-anonymous@example.com", password: PASSWORD });
  const client = await member("anonymous@example.com");
  const { data } = await client.auth.getUser();
  const service = auth.database.asService("the account as it is without a name");
  await service.query("delete from auth.identities where user_id = $1", [data.user!.id]);
  await service.query(
    "update auth.users set is_anonymous = true, email = null, email_confirmed_at = null where id = $1",
    [data.user!.id],
  );
  issuer.person = { sub: "a-1", email: "no-longer-anonymous@example.com", email_verified: true };
  const { query } = await link(client);
  const kept = await client.auth.exchangeCodeForSession(query.code!);
  expect(kept.data.user).toMatchObject({
    id: data.user!.id,
    email: "no-longer-anonymous@example.com",
    is_anonymous: false,
  });
});

it("refuses an id token that is too old", async () => {
  issuer.person = { sub: "t-7", email: "old@example.com", email_verified: true };
  const { id_token } = await appTokens(undefined);
  auth.advance(4000);
  const { error } = await browser(auth).auth.signInWithIdToken({ provider: "google", token: id_token });
  expect(error).toMatchObject({ message: "Bad ID token" });
});
