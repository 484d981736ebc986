// Signing in at a real OpenID Connect provider on loopback, through the official client.
import type { SupabaseClient } from "@supabase/supabase-js";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { API, startAuth, type TestAuth } from "../../../testing/auth.ts";
import {
  browser as browserOf,
  CALLBACK,
  LANDING,
  openCallback,
  pathOf,
  signInAt,
  startOAuth,
  toCallback,
} from "../../../testing/sign-in/oauth-browser.ts";
import { CLIENT, type Issuer, openIssuer, visit } from "../../../testing/sign-in/oidc-issuer.ts";

const browser = (flow?: "pkce" | "implicit") => browserOf(auth, flow);
let issuer: Issuer;
let auth: TestAuth;

/** The log messages, with their levels. */
const lines: { level: string; fields: object; message: string }[] = [];
const line = (level: string) => (fields: object, message: string) => {
  lines.push({ level, fields, message });
};
const log = { debug: line("debug"), info: line("info"), warn: line("warn"), error: line("error") };

beforeAll(async () => {
  issuer = await openIssuer([CALLBACK]);
  const settings = (name: string) => ({
    [`GOTRUE_EXTERNAL_${name}_ENABLED`]: "true",
    [`GOTRUE_EXTERNAL_${name}_CLIENT_ID`]: `${CLIENT.id},another app`,
    [`GOTRUE_EXTERNAL_${name}_SECRET`]: CLIENT.secret,
    [`GOTRUE_EXTERNAL_${name}_URL`]: issuer.url,
  });
  auth = await startAuth({}, { log, environment: { ...settings("GOOGLE"), ...settings("KEYCLOAK") } });
});
afterAll(async () => {
  await auth.close();
  await issuer.close();
});
beforeEach(() => {
  issuer.denies = false;
  lines.splice(0);
});

const start = (client: SupabaseClient, options: object = {}, provider = "google") =>
  startOAuth(client, provider, options);
const signIn = (client: SupabaseClient, provider = "google") => signInAt(auth, client, provider);
const callbackOf = async (...asked: Parameters<typeof start>) =>
  (await toCallback(auth, await start(...asked))).url;
const open = (url: URL) => openCallback(auth, { url });

const rows = async (sql: string, values: unknown[] = []) =>
  (await auth.database.asService("the test looks inside").query(sql, values)).rows;

describe("accepting an invitation at the provider", () => {
  const email = (when: string) => `invited-${when}@example.com`;
  const password = "the stranger's own words";

  async function invite(to: string): Promise<string> {
    expect((await auth.call("POST", "/invite", { email: to }, await auth.serviceKey())).status).toBe(200);
    return new URL(auth.linkTo(to), API).searchParams.get("token")!;
  }
  async function signUp(as: string): Promise<void> {
    expect((await auth.call("POST", "/signup", { email: as, password })).status).toBe(200);
  }

  it.each([
    ["before", async () => (await signUp(email("before")), invite(email("before")))],
    [
      "after",
      async () => {
        const token = await invite(email("after"));
        await signUp(email("after"));
        return token;
      },
    ],
  ])("leaves nothing to a stranger who signed up with the address %s it", async (when, invited) => {
    const invite_token = await invited();
    issuer.person = { sub: `g-${when}`, email: email(when), email_verified: true };
    const there = await toCallback(auth, await start(browser(), { queryParams: { invite_token } }));
    expect((await openCallback(auth, there)).query.code).toBeDefined();
    const stranger = await auth.call("POST", "/token?grant_type=password", { email: email(when), password });
    expect(stranger.body.error_code).toBe("invalid_credentials");
    const [account] = await rows("select invited_at, email_confirmed_at from auth.users where email = $1", [
      email(when),
    ]);
    expect(account).toEqual({ invited_at: expect.any(Date), email_confirmed_at: expect.any(Date) });
  });
});

describe("signing in with PKCE", () => {
  it("creates an account in GoTrue's shape, and returns the provider's tokens with the session", async () => {
    issuer.person = {
      sub: "g-1",
      email: "Ada@Example.com",
      email_verified: true,
      name: "Ada",
      picture: "https://pictures.example/ada",
      hd: "example.com",
    };
    const client = browser();
    const { data, error } = await signIn(client);
    expect(error).toBeNull();
    const identity = {
      iss: issuer.url,
      sub: "g-1",
      name: "Ada",
      picture: "https://pictures.example/ada",
      avatar_url: "https://pictures.example/ada",
      full_name: "Ada",
      provider_id: "g-1",
      email: "ada@example.com",
      email_verified: true,
      phone_verified: false,
      custom_claims: { hd: "example.com" },
    };
    expect(data.user).toMatchObject({
      email: "ada@example.com",
      app_metadata: { provider: "google", providers: ["google"] },
      identities: [{ provider: "google", id: "g-1", identity_data: identity }],
    });
    expect(data.user?.user_metadata).toEqual(identity);
    expect(data.user?.email_confirmed_at).toBeDefined();
    expect(data.session?.provider_token).toEqual(expect.any(String));
    expect((await auth.claimsOf(data.session!.access_token)) as object).toMatchObject({
      amr: [{ method: "oauth" }],
      app_metadata: { provider: "google" },
    });
    const again = await signIn(browser());
    expect(again.data.user?.id).toBe(data.user?.id);
    const trail = await rows(
      "select payload->>'action' as action from auth.audit_log_entries where payload->>'actor_id' = $1 order by created_at",
      [data.user?.id],
    );
    expect(trail.map(({ action }) => action)).toEqual(["user_signedup", "login", "login", "login"]);
  });

  it("asks the provider with state, nonce and PKCE of its own, the client's scopes and parameters, and nothing it forges", async () => {
    issuer.visits.length = 0;
    const url = await start(browser(), {
      scopes: "address",
      queryParams: { login_hint: "ada@example.com", state: "mine", redirect_uri: "https://evil.example" },
    });
    await auth.call("GET", pathOf(url)).then(({ headers }) => visit(headers.get("location")!, CALLBACK));
    const [sent] = issuer.visits;
    expect(Object.fromEntries(sent!)).toMatchObject({
      client_id: CLIENT.id,
      redirect_uri: CALLBACK,
      scope: "openid email profile address",
      response_type: "code",
      code_challenge_method: "S256",
      login_hint: "ada@example.com",
    });
    expect(sent!.get("state")).toMatch(/^[0-9a-f-]{36}$/);
    expect(sent!.get("nonce")).toMatch(/^[\w-]{43}$/);
    expect(sent!.get("code_challenge")).not.toBe(new URL(url).searchParams.get("code_challenge"));
  });

  it("stores codes, verifiers and the provider's tokens only hashed or sealed", async () => {
    issuer.person = { sub: "g-rest", email: "rest@example.com", email_verified: true };
    const away = await auth.call("GET", pathOf(await start(browser())));
    const state = new URL(away.headers.get("location")!).searchParams.get("state");
    const [client] = await rows("select code_verifier from auth.oauth_client_states where id = $1", [state]);
    expect(client!.code_verifier).toMatch(/^v1\./);
    const { query } = await open((await visit(away.headers.get("location")!, CALLBACK)).url);
    const [flow] = await rows("select auth_code, provider_access_token from auth.flow_state where id = $1", [
      state,
    ]);
    expect(flow!.auth_code).not.toBe(query.code);
    expect(flow!.provider_access_token).toMatch(/^v1\./);
  });

  it("gives the session only to the browser that began, once", async () => {
    issuer.person = { sub: "g-2", email: "grace@example.com", email_verified: true };
    const client = browser();
    const { query } = await open(await callbackOf(client));
    const code = query.code!;
    const other = browser();
    await start(other);
    const stolen = await other.auth.exchangeCodeForSession(code);
    expect(stolen.error).toMatchObject({ code: "bad_code_verifier", status: 400 });
    expect((await client.auth.exchangeCodeForSession(code)).error).toBeNull();
    await start(client);
    expect((await client.auth.exchangeCodeForSession(code)).error).toMatchObject({
      code: "flow_state_not_found",
    });
  });
});

describe("the implicit flow", () => {
  it("puts the session and the provider's token into the fragment", async () => {
    issuer.person = { sub: "g-3", email: "mary@example.com", email_verified: true };
    const { at, query, fragment } = await open(await callbackOf(browser("implicit")));
    expect([at, query]).toEqual([LANDING, {}]);
    expect([...Object.keys(fragment)]).toEqual([
      ...["access_token", "expires_at", "expires_in", "provider_token", "refresh_token", "token_type"],
    ]);
    const { body } = await auth.call("GET", "/user", undefined, fragment.access_token);
    expect(body.email).toBe("mary@example.com");
  });
});

describe("what comes back to the callback", () => {
  const refusals = async (callback: URL) => {
    const { at, query, fragment } = await open(callback);
    return { at, ...query, inFragment: fragment };
  };

  it.each([
    ["", "bad_oauth_callback", "OAuth state parameter missing"],
    ["?state=made-up", "bad_oauth_state", "OAuth state parameter is invalid"],
    ["?state=1b671a64-40d5-491e-99b0-da01ff1f3341", "bad_oauth_state", "OAuth state not found or expired"],
  ])("is refused with a state of %j", async (query, error_code, error_description) => {
    expect(await refusals(new URL(`${CALLBACK}${query}`))).toMatchObject({
      at: `${API}/`,
      error: "invalid_request",
      ...{ error_code, error_description },
    });
  });

  it("is refused when it is replayed, with PKCE and without", async () => {
    issuer.person = { sub: "g-4", email: "twice@example.com", email_verified: true };
    const callback = await callbackOf(browser());
    expect((await open(callback)).query.code).toBeDefined();
    expect(await refusals(callback)).toMatchObject({
      error: "invalid_request",
      error_code: "flow_state_already_used",
    });
    const implicit = await callbackOf(browser("implicit"));
    expect((await open(implicit)).fragment.access_token).toBeDefined();
    expect(await refusals(implicit)).toMatchObject({ error_code: "bad_oauth_state" });
  });

  it("is refused with the code of another sign-in", async () => {
    issuer.person = { sub: "g-5", email: "swap@example.com", email_verified: true };
    const mine = await callbackOf(browser());
    const strangers = await callbackOf(browser());
    mine.searchParams.set("code", strangers.searchParams.get("code")!);
    expect(await refusals(mine)).toMatchObject({ error: "server_error", error_code: "unexpected_failure" });
  });

  it("is refused when another issuer says it is its own (RFC 9207)", async () => {
    issuer.person = { sub: "g-6", email: "mixed@example.com", email_verified: true };
    const callback = await callbackOf(browser());
    expect(callback.searchParams.get("iss")).toBe(issuer.url);
    callback.searchParams.set("iss", "https://evil.example");
    expect(await refusals(callback)).toMatchObject({ error_code: "unexpected_failure" });
  });

  it("is refused when it is too old", async () => {
    const callback = await callbackOf(browser());
    auth.advance(301);
    expect(await refusals(callback)).toMatchObject({ error_description: "OAuth state has expired" });
  });

  it("returns the provider's refusal to the page where the sign-in began", async () => {
    issuer.denies = true;
    const denied = { error: "access_denied", error_description: "The person said no" };
    expect(await refusals(await callbackOf(browser()))).toEqual({
      at: `${API}/auth/callback`,
      ...denied,
      inFragment: { ...denied, sb: "" },
    });
  });

  it("never leads to a site that is not on the allow list", async () => {
    issuer.denies = true;
    for (const redirectTo of ["https://evil.example/", "https://shop.festival.example.evil.example/"])
      expect((await refusals(await callbackOf(browser(), { redirectTo }))).at).toBe(`${API}/`);
    const redirectTo = "https://shop.festival.example/in";
    expect((await refusals(await callbackOf(browser(), { redirectTo }))).at).toBe(redirectTo);
  });
});

describe("whose account it is", () => {
  it("joins the account with the address the provider has verified, and keeps its password", async () => {
    const { user } = await auth.signedUp("joined@example.com");
    issuer.person = { sub: "g-7", email: "joined@example.com", email_verified: true, name: "Joined" };
    const client = browser();
    const { data } = await signIn(client);
    expect(data.user).toMatchObject({
      id: user.id,
      app_metadata: { provider: "email", providers: ["email", "google"] },
    });
    expect(data.user?.identities).toHaveLength(2);
    const password = await auth
      .client()
      .auth.signInWithPassword({ email: "joined@example.com", password: "swangas and vogues" });
    expect(password.error).toBeNull();
  });

  it("never joins, makes or tells of an account by an address the provider has not verified", async () => {
    await auth.signedUp("victim@example.com");
    const answers = [];
    for (const email of ["victim@example.com", "nobody-yet@example.com"]) {
      issuer.person = { sub: `g-${email}`, email, email_verified: false };
      const { query } = await open(await callbackOf(browser()));
      answers.push(query);
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]).toMatchObject({
      error: "access_denied",
      error_code: "provider_email_needs_verification",
    });
    expect(await rows("select from auth.users where email = 'nobody-yet@example.com'")).toEqual([]);
    expect(await rows("select from auth.identities where provider_id like 'g-%@example.com'")).toEqual([]);
  });

  it("takes an account that nobody had confirmed away from whoever prepared it", async () => {
    const email = "prepared@example.com";
    await auth.call("POST", "/signup", { email, password: "swangas and vogues" });
    const link = auth.linkTo(email);
    issuer.person = { sub: "g-8", email, email_verified: true };
    const { data } = await signIn(browser());
    expect(data.user?.identities).toMatchObject([{ provider: "google" }]);
    expect(data.user?.app_metadata.providers).toEqual(["google"]);
    const password = await auth.client().auth.signInWithPassword({ email, password: "swangas and vogues" });
    expect(password.error).toMatchObject({ code: "invalid_credentials" });
    expect((await auth.call("GET", link)).headers.get("location")).toContain("otp_expired");
  });

  it("creates none where sign-up is off, and lets existing accounts in", async () => {
    issuer.person = { sub: "g-9", email: "early@example.com", email_verified: true };
    await signIn(browser());
    auth.set({ GOTRUE_DISABLE_SIGNUP: "true" });
    expect((await signIn(browser())).error).toBeNull();
    issuer.person = { sub: "g-10", email: "late@example.com", email_verified: true };
    const { query } = await open(await callbackOf(browser()));
    expect(query).toMatchObject({
      error: "access_denied",
      error_code: "signup_disabled",
    });
  });

  it("refuses banned users", async () => {
    issuer.person = { sub: "g-11", email: "banned@example.com", email_verified: true };
    const { data } = await signIn(browser());
    await auth.call("PUT", `/admin/users/${data.user!.id}`, { ban_duration: "1h" }, await auth.serviceKey());
    const { query } = await open(await callbackOf(browser()));
    expect(query).toMatchObject({ error: "access_denied", error_code: "user_banned" });
  });

  it("requires an address, unless the provider's setting makes it optional", async () => {
    issuer.person = { sub: "g-12", name: "No Mail" };
    const { query } = await open(await callbackOf(browser()));
    expect(query.error_description).toBe("Error getting user email from external provider");
    auth.set({ GOTRUE_EXTERNAL_GOOGLE_EMAIL_OPTIONAL: "true" });
    expect((await signIn(browser())).data.user).toMatchObject({
      email: "",
      user_metadata: { full_name: "No Mail" },
    });
  });
});

it("signs in at any other issuer as keycloak, from its userinfo", async () => {
  issuer.person = { sub: "k-1", email: "kay@example.com", email_verified: true, name: "Kay", role: "admin" };
  const { data } = await signIn(browser(), "keycloak");
  expect(data.user?.user_metadata).toEqual({
    iss: issuer.url,
    sub: "k-1",
    name: "Kay",
    full_name: "Kay",
    provider_id: "k-1",
    email: "kay@example.com",
    email_verified: true,
    phone_verified: false,
  });
});

it("logs an unreachable provider once, with its name and the cause", async () => {
  auth.set({ GOTRUE_EXTERNAL_KEYCLOAK_URL: "http://127.0.0.1:1" });
  expect(await auth.call("GET", "/authorize?provider=keycloak")).toMatchObject({
    status: 500,
    body: { error_code: "unexpected_failure", msg: "Unable to reach keycloak" },
  });
  expect(lines).toEqual([
    { level: "error", message: "auth request refused", fields: expect.anything() as unknown },
  ]);
  const { err } = lines[0]!.fields as { err: Error };
  expect(err.cause).toMatchObject({ message: "provider keycloak", cause: expect.any(Error) as unknown });
});

it.each([
  ["github", "Unsupported provider: provider is not enabled"],
  ["myspace", "Unsupported provider: Provider myspace could not be found"],
  ["constructor", "Unsupported provider: Provider constructor could not be found"],
  ["custom:none", "Unsupported provider: custom provider custom:none not found"],
])("refuses %s, which is not switched on", async (provider, msg) => {
  expect((await auth.call("GET", `/authorize?provider=${provider}`)).body).toEqual({
    ...{ code: 400, error_code: "validation_failed", msg },
  });
});
