// The installed official client, method by method: docs/AUTH.md names each with the test that proves it. Here are those that
// belong to no subject of their own.
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { afterAll, beforeAll, expect, it } from "vitest";
import { API, PASSWORD, startAuth, type TestAuth } from "../../../testing/auth.ts";
import { Authenticator } from "../../../testing/sign-in/authenticator.ts";
import { clientMethods } from "../../../testing/client-methods.ts";

let auth: TestAuth;
let admin: SupabaseClient["auth"]["admin"];
beforeAll(async () => {
  auth = await startAuth();
  const key = await auth.serviceKey();
  admin = createClient(API, key, {
    auth: { persistSession: false, autoRefreshToken: false },
    global: { fetch: (input, init) => auth.fetch(new Request(input, init)) },
  }).auth.admin;
});
afterAll(() => auth.close());

let people = 0;
async function signedIn() {
  const email = `method-${++people}@example.com`;
  await auth.signedUp(email);
  const client = auth.client();
  const { data } = await client.auth.signInWithPassword({ email, password: PASSWORD });
  return { client, email, id: data.user!.id, token: data.session!.access_token };
}

it("has each of its methods in docs/AUTH.md, with tests that exist", () => {
  const client = createClient(API, "a key", {
    auth: { persistSession: false, autoRefreshToken: false, experimental: { recoveryCodes: true } },
  }).auth;
  const methods = clientMethods(client);
  const root = resolve(import.meta.dirname, "../../../..");
  const page = readFileSync(resolve(root, "docs/AUTH.md"), "utf8");
  const table = page.split("## The official client")[1]!.split("\n## ")[0]!;
  const named = new Set([...table.matchAll(/`([\w.]+)`/g)].map(([, name]) => name!));
  expect(methods.length).toBeGreaterThan(70);
  expect(methods.filter((method) => !named.has(method))).toEqual([]);
  const files = [...table.matchAll(/`([\w./-]+\.(?:test|spec)\.ts)`/g)].map(([, file]) => file!);
  const missing = files.filter((file) =>
    ["", "server/src/auth"].every((folder) => !existsSync(resolve(root, folder, file))),
  );
  expect(missing).toEqual([]);
});

it("notifies listeners of every session change, in order", async () => {
  const { email } = await signedIn();
  const client = auth.client();
  const events: string[] = [];
  const { data } = client.auth.onAuthStateChange((event) => {
    events.push(event);
  });
  expect((await client.auth.initialize()).error).toBeNull();
  await expect.poll(() => events).toEqual(["INITIAL_SESSION"]);
  await client.auth.signInWithPassword({ email, password: PASSWORD });
  await client.auth.refreshSession();
  await client.auth.updateUser({ data: { hat: "10 gallon" } });
  await client.auth.signOut();
  expect(events).toEqual(["INITIAL_SESSION", "SIGNED_IN", "TOKEN_REFRESHED", "USER_UPDATED", "SIGNED_OUT"]);
  data.subscription.unsubscribe();
  await client.auth.startAutoRefresh();
  await client.auth.stopAutoRefresh();
  await client.auth.dispose();
});

it("reports web3 and the OAuth server as switched off", async () => {
  const web3 = await auth.client().auth.signInWithWeb3({
    chain: "solana",
    message: "festival.example wants you to sign in",
    signature: new Uint8Array(64),
  });
  expect(web3.error).toMatchObject({ status: 422, code: "web3_provider_disabled" });
  const { client } = await signedIn();
  const { oauth } = client.auth;
  const options = { skipBrowserRedirect: true };
  const answers = await Promise.all([
    oauth.getAuthorizationDetails("an id"),
    oauth.approveAuthorization("an id", options),
    oauth.denyAuthorization("an id", options),
    oauth.listGrants(),
    oauth.revokeGrant({ clientId: "an id" }),
    admin.oauth.listClients(),
    admin.oauth.createClient({ client_name: "x", redirect_uris: ["https://app.example/"] }),
    admin.oauth.getClient("an id"),
    admin.oauth.updateClient("an id", { client_name: "y" }),
    admin.oauth.deleteClient("an id"),
    admin.oauth.regenerateClientSecret("an id"),
  ]);
  for (const { error } of answers)
    expect(error).toMatchObject({
      status: 404,
      code: "feature_disabled",
      message: "OAuth server is disabled",
    });
});

it("registers a passkey and signs in with it step by step, until an administrator removes it", async () => {
  const { client, id } = await signedIn();
  const device = new Authenticator(API);
  const { passkey } = client.auth;
  const begun = (await passkey.startRegistration()).data!;
  const made = await passkey.verifyRegistration({
    challengeId: begun.challenge_id,
    credential: device.create(begun.options) as never,
  });
  expect(made.error).toBeNull();
  const visitor = auth.client();
  const asked = (await visitor.auth.passkey.startAuthentication()).data!;
  const entered = await visitor.auth.passkey.verifyAuthentication({
    challengeId: asked.challenge_id,
    credential: device.get(asked.options),
  });
  expect(entered.error).toBeNull();
  expect((await visitor.auth.getUser()).data.user?.id).toBe(id);

  const listed = await admin.passkey.listPasskeys({ userId: id });
  expect(listed.data).toMatchObject([{ id: made.data!.id }]);
  expect((await admin.passkey.deletePasskey({ userId: id, passkeyId: made.data!.id })).error).toBeNull();
  expect((await passkey.list()).data).toEqual([]);
});

it("lets an administrator end the sessions of a user's token, in the requested scope", async () => {
  const { client, email, token } = await signedIn();
  const other = auth.client();
  await other.auth.signInWithPassword({ email, password: PASSWORD });
  expect((await admin.signOut(token, "others")).error).toBeNull();
  expect((await other.auth.getUser()).error).toMatchObject({ name: "AuthSessionMissingError" });
  expect((await client.auth.getUser()).error).toBeNull();
  expect((await admin.signOut(token)).error).toBeNull();
  expect((await client.auth.getUser()).error).toMatchObject({ name: "AuthSessionMissingError" });
});
