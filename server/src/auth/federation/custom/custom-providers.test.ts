// Providers that an administrator adds, through the official client and a real issuer on loopback.
import { createClient } from "@supabase/supabase-js";
import { afterAll, beforeAll, expect, it } from "vitest";
import { API, startAuth, type TestAuth } from "../../../../testing/auth.ts";
import {
  browser,
  CALLBACK,
  openCallback,
  signInAt,
  startOAuth,
  toCallback,
} from "../../../../testing/sign-in/oauth-browser.ts";
import { CLIENT, type Issuer, openIssuer } from "../../../../testing/sign-in/oidc-issuer.ts";

let issuer: Issuer;
let auth: TestAuth;
let admin: ReturnType<typeof createClient>["auth"]["admin"]["customProviders"];

beforeAll(async () => {
  issuer = await openIssuer([CALLBACK]);
  auth = await startAuth({}, { reachesAnything: true });
  admin = createClient(API, await auth.serviceKey(), {
    auth: { persistSession: false, autoRefreshToken: false },
    global: { fetch: (input, init) => auth.fetch(new Request(input, init)) },
  }).auth.admin.customProviders;
});
afterAll(async () => {
  await auth.close();
  await issuer.close();
});

const oidcProvider = (more: object = {}) => ({
  provider_type: "oidc" as const,
  identifier: "custom:club",
  name: "The Club",
  client_id: CLIENT.id,
  client_secret: CLIENT.secret,
  issuer: issuer.url,
  scopes: ["email", "profile"],
  ...more,
});

it("adds an issuer and signs in there, with mapped and allowed claims", async () => {
  const made = await admin.createProvider(
    oidcProvider({ attribute_mapping: { full_name: "name" }, custom_claims_allowlist: ["hd"] }),
  );
  expect(made.error).toBeNull();
  expect(made.data).toMatchObject({
    ...{ identifier: "custom:club", provider_type: "oidc", scopes: ["openid", "email", "profile"] },
    ...{ pkce_enabled: true, enabled: true, email_optional: false, skip_nonce_check: false },
  });
  expect(made.data).not.toHaveProperty("client_secret");
  issuer.person = {
    sub: "c-1",
    email: "club@example.com",
    email_verified: true,
    name: "Clara",
    hd: "club.example",
  };
  const { data, error } = await signInAt(auth, browser(auth), "custom:club");
  expect(error).toBeNull();
  expect(data.user).toMatchObject({
    app_metadata: { provider: "custom:club" },
    user_metadata: { full_name: "Clara", custom_claims: { hd: "club.example" } },
  });
  const service = auth.database.asService("the test looks inside");
  const { rows } = await service.query("select client_secret from auth.custom_oauth_providers");
  expect(rows[0]!.client_secret).toMatch(/^v1\./);
});

it("signs in through plain OAuth, by its userinfo", async () => {
  const made = await admin.createProvider({
    provider_type: "oauth2",
    identifier: "custom:plain",
    name: "Plain",
    client_id: CLIENT.id,
    client_secret: CLIENT.secret,
    authorization_url: `${issuer.url}/auth`,
    token_url: `${issuer.url}/token`,
    userinfo_url: `${issuer.url}/me`,
    scopes: ["openid", "email"],
  });
  expect(made.error).toBeNull();
  issuer.person = { sub: "c-2", email: "plain@example.com", email_verified: true };
  expect((await signInAt(auth, browser(auth), "custom:plain")).data.user).toMatchObject({
    email: "plain@example.com",
    app_metadata: { provider: "custom:plain" },
  });
});

it("refuses a code with the state of another provider", async () => {
  issuer.person = { sub: "c-3", email: "mixed@example.com", email_verified: true };
  const club = await toCallback(auth, await startOAuth(browser(auth), "custom:club"));
  const plain = await toCallback(auth, await startOAuth(browser(auth), "custom:plain"));
  plain.url.searchParams.set("code", club.url.searchParams.get("code")!);
  expect((await openCallback(auth, plain)).query.error_code).toBe("unexpected_failure");
});

it("lists, reads, changes and removes", async () => {
  expect((await admin.listProviders({ type: "oidc" })).data?.providers).toHaveLength(1);
  expect((await admin.getProvider("custom:club")).data).toMatchObject({ name: "The Club" });
  const changed = await admin.updateProvider("custom:club", { name: "Club", enabled: false });
  expect(changed.data).toMatchObject({ name: "Club", enabled: false, client_id: CLIENT.id });
  const off = await auth.call("GET", "/authorize?provider=custom:club");
  expect(off.body.msg).toBe("Unsupported provider: custom provider custom:club is disabled");
  expect((await admin.deleteProvider("custom:club")).error).toBeNull();
  expect((await admin.getProvider("custom:club")).error).toMatchObject({
    status: 404,
    code: "custom_provider_not_found",
  });
});

it.each([
  [{ identifier: "club" }, "identifier must start with 'custom:' prefix, e.g. 'custom:club'"],
  [{ name: "" }, "name is required"],
  [{ issuer: "" }, "issuer is required for OIDC providers"],
  [{ authorization_params: { state: "x" } }, "Cannot override reserved OAuth parameter: state"],
  [{ attribute_mapping: { role: "role" } }, "Cannot map to protected system field: role"],
])("refuses %j", async (more, message) => {
  const { error } = await admin.createProvider(oidcProvider({ identifier: "custom:bad", ...more }));
  expect(error).toMatchObject({ status: 400, code: "validation_failed", message });
});

it("refuses an issuer that does not publish its own metadata, and a second one of the same name", async () => {
  const wrong = await admin.createProvider(
    oidcProvider({ identifier: "custom:bad", issuer: `${issuer.url}/other` }),
  );
  expect(wrong.error?.message).toContain("its discovery document cannot be read");
  await admin.createProvider(oidcProvider({ identifier: "custom:twice" }));
  expect((await admin.createProvider(oidcProvider({ identifier: "custom:twice" }))).error).toMatchObject({
    code: "conflict",
  });
});

it("can be switched off, and requires the service key", async () => {
  const { access_token } = await auth.signedUp("no-admin@example.com");
  expect((await auth.call("GET", "/admin/custom-providers", undefined, access_token)).status).toBe(403);
  auth.set({ GOTRUE_CUSTOM_OAUTH_ENABLED: "false" });
  expect((await admin.listProviders()).error).toMatchObject({
    ...{ status: 404, code: "feature_disabled", message: "Custom OAuth providers are disabled" },
  });
  const off = await auth.call("GET", "/authorize?provider=custom:plain");
  expect(off.body.msg).toBe("Unsupported provider: custom OAuth providers are disabled");
});

it("is no OAuth server itself", async () => {
  for (const path of ["/oauth/authorize", "/user/oauth/grants", "/.well-known/oauth-authorization-server"])
    expect((await auth.call("GET", path)).body).toEqual({
      ...{ code: 404, error_code: "feature_disabled", msg: "OAuth server is disabled" },
    });
  const web3 = await auth.call("POST", "/token?grant_type=web3", { chain: "ethereum" });
  expect([web3.status, web3.body.msg]).toEqual([422, "Web3 provider is disabled"]);
});
