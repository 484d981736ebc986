// Every auth method of the official client, called in a browser: each has its outcome, or the refusal of what the festival has
// switched off. A new method of the installed client fails it.
import type { Page } from "@playwright/test";
import { createClient } from "@supabase/supabase-js";
import { TOTP } from "otpauth";
import { clientMethods } from "../../../server/testing/client-methods.ts";
import { type Account, newEmail } from "../../support/shop/accounts.ts";
import { addAuthenticator } from "../../support/page/authenticator.ts";
import { type ClientInPage, openClients } from "../../support/page/client-in-page.ts";
import { RECONNECTING } from "../../support/page/faults.ts";
import { expect, status, test } from "../../support/fixtures.ts";
import { codeIn, linkIn, type Mailbox } from "../../support/server/mailbox.ts";

type Auth = ClientInPage["visitor"];

/** The data of an answer that must be successful. */
async function good<Answer extends { error: unknown }>(asked: Promise<Answer>) {
  const answer = await asked;
  expect(answer.error).toBeNull();
  return (answer as Extract<Answer, { error: null }> & { data: unknown }).data as Extract<
    Answer,
    { data: unknown; error: null }
  >["data"];
}

/** Status and code of an answer that must be a refusal. */
async function refusal(asked: Promise<{ error: unknown }>) {
  const { error } = (await asked) as { error: { status?: number; code?: string } | null };
  return [error?.status, error?.code];
}

const NOBODY = "00000000-0000-4000-8000-000000000000";

async function signUpAndIn(auth: Auth, page: Page, mailbox: Mailbox, account: Account) {
  expect((await auth.initialize()).error).toBeNull();
  // Every call crosses into the page, so this one is awaited too.
  expect(await (auth.isThrowOnErrorEnabled() as unknown)).toBeFalsy();
  const email = newEmail("newcomer");
  const newcomer = await good(auth.signUp({ email, password: account.password }));
  expect([newcomer.session, newcomer.user?.email]).toEqual([null, email]);
  await good(auth.resend({ type: "signup", email: newEmail("again") }));

  await good(auth.signInWithOtp({ email: account.email }));
  const token = codeIn(await mailbox.newest(account.email, /code/i));
  const byCode = await good(auth.verifyOtp({ email: account.email, token, type: "email" }));
  expect(byCode.user?.id).toBe(account.id);
  await good(auth.resetPasswordForEmail(account.email));
  const link = linkIn(await mailbox.newest(account.email, /password/i), "/auth/v1/verify");
  const opened = await page.request.get(link, { ...RECONNECTING, maxRedirects: 0 });
  const code = new URL(opened.headers().location!).searchParams.get("code")!;
  expect((await good(auth.exchangeCodeForSession(code))).user.id).toBe(account.id);
}

async function useTheSession(auth: Auth, account: Account) {
  const { session, user } = await good(auth.signInWithPassword(account));
  expect(user.id).toBe(account.id);
  expect((await auth.getSession()).data.session?.access_token).toBe(session.access_token);
  expect((await good(auth.getUser())).user.id).toBe(account.id);
  expect((await auth.getClaims()).data?.claims.sub).toBe(account.id);
  const { session: next } = await good(auth.refreshSession());
  expect(next!.refresh_token).not.toBe(session.refresh_token);
  expect((await good(auth.setSession(next!))).user?.id).toBe(account.id);
  const { user: changed } = await good(auth.updateUser({ data: { hat: "10 gallon" } }));
  expect(changed.user_metadata.hat).toBe("10 gallon");
  await good(auth.reauthenticate());
  await auth.startAutoRefresh();
  await auth.stopAutoRefresh();
}

async function askForWhatIsOff(auth: Auth, page: Page) {
  const options = { skipBrowserRedirect: true };
  const { url } = await good(auth.signInWithOAuth({ provider: "google", options }));
  const refused = await page.request.get(url, { ...RECONNECTING, maxRedirects: 0, failOnStatusCode: false });
  expect([refused.status(), (await refused.json()).error_code]).toEqual([400, "validation_failed"]);
  const { identities } = await good(auth.getUserIdentities());
  expect(identities).toMatchObject([{ provider: "email" }]);
  const linking = [404, "manual_linking_disabled"];
  expect(await refusal(auth.linkIdentity({ provider: "google", options }))).toEqual(linking);
  expect(await refusal(auth.unlinkIdentity(identities[0]!))).toEqual(linking);
  const foreign = auth.signInWithIdToken({ provider: "google", token: "a.b.c" });
  expect(await refusal(foreign)).toEqual([400, "provider_disabled"]);
  const company = auth.signInWithSSO({ domain: "company.example", options });
  expect(await refusal(company)).toEqual([404, "saml_provider_disabled"]);
  const wallet = auth.signInWithWeb3({ chain: "ethereum", message: "Let me in", signature: "0x00" });
  expect(await refusal(wallet)).toEqual([422, "web3_provider_disabled"]);
  expect(await refusal(auth.signInAnonymously())).toEqual([422, "anonymous_provider_disabled"]);
  const off = [404, "feature_disabled"];
  expect(await refusal(auth.oauth.getAuthorizationDetails("one"))).toEqual(off);
  expect(await refusal(auth.oauth.approveAuthorization("one", options))).toEqual(off);
  expect(await refusal(auth.oauth.denyAuthorization("one", options))).toEqual(off);
  expect(await refusal(auth.oauth.listGrants())).toEqual(off);
  expect(await refusal(auth.oauth.revokeGrant({ clientId: "one" }))).toEqual(off);
}

async function takeSecondSteps({ mfa }: Auth, page: Page) {
  const { id: factorId, totp } = await good(mfa.enroll({ factorType: "totp", friendlyName: "App" }));
  const app = new TOTP({ secret: totp.secret });
  const { id: challengeId } = await good(mfa.challenge({ factorId }));
  await good(mfa.verify({ factorId, challengeId, code: app.generate() }));
  // Each code works once, so this uses the next half minute's.
  const code = app.generate({ timestamp: Date.now() + 30_000 });
  await good(mfa.challengeAndVerify({ factorId, code }));
  expect((await good(mfa.listFactors())).totp).toMatchObject([{ id: factorId }]);
  expect((await good(mfa.getAuthenticatorAssuranceLevel())).currentLevel).toBe("aal2");

  const { codes } = await good(mfa.recoveryCodes.generate());
  await good(mfa.recoveryCodes.verify({ code: codes[0]! }));
  expect(await good(mfa.recoveryCodes.getStatus())).toMatchObject({ total: 10, remaining: 9 });
  expect((await good(mfa.recoveryCodes.regenerate())).codes).toHaveLength(10);
  await good(mfa.recoveryCodes.unenroll());

  // Security keys are off here; second-steps.spec.ts has them on.
  const off = [422, "mfa_webauthn_enroll_not_enabled"];
  expect(await refusal(mfa.webauthn.enroll({ friendlyName: "Key" }))).toEqual(off);
  expect(await refusal(mfa.webauthn.register({ friendlyName: "Key" }))).toEqual(off);
  const nobodys = [404, "mfa_factor_not_found"];
  const webauthn = { rpId: "localhost", rpOrigins: ["http://localhost"] };
  expect(await refusal(mfa.webauthn.challenge({ factorId: NOBODY, webauthn }))).toEqual(nobodys);
  expect(await refusal(mfa.webauthn.authenticate({ factorId: NOBODY, webauthn }))).toEqual(nobodys);
  // The client takes the browser's own object here, not JSON.
  const key = await page.evaluateHandle(() =>
    navigator.credentials.create({
      publicKey: {
        challenge: new Uint8Array(32),
        rp: { name: "Festival" },
        user: { id: new Uint8Array(16), name: "somebody", displayName: "Somebody" },
        pubKeyCredParams: [{ type: "public-key", alg: -7 }],
      },
    }),
  );
  const answer = { type: "create", credential_response: key, ...webauthn } as never;
  const verified = mfa.webauthn.verify({ factorId: NOBODY, challengeId: NOBODY, webauthn: answer });
  expect(await refusal(verified)).toEqual(nobodys);
  expect((await good(mfa.unenroll({ factorId }))).id).toBe(factorId);
}

async function usePasskeys(auth: Auth, service: Auth, page: Page, { id: userId }: Account) {
  const { passkey } = auth;
  const { id: passkeyId } = await good(auth.registerPasskey());
  await good(passkey.update({ passkeyId, friendlyName: "Slab laptop" }));
  expect(await good(passkey.list())).toMatchObject([{ id: passkeyId, friendly_name: "Slab laptop" }]);
  expect((await good(auth.signInWithPasskey())).user?.id).toBe(userId);
  await good(passkey.delete({ passkeyId }));

  const made = await good(passkey.startRegistration());
  const created = await page.evaluate(async (options) => {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
    return ((await navigator.credentials.create({ publicKey })) as PublicKeyCredential).toJSON();
  }, made.options as PublicKeyCredentialCreationOptionsJSON);
  const second = await good(
    passkey.verifyRegistration({ challengeId: made.challenge_id, credential: created as never }),
  );
  const asked = await good(passkey.startAuthentication());
  const given = await page.evaluate(async (options) => {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
    return ((await navigator.credentials.get({ publicKey })) as PublicKeyCredential).toJSON();
  }, asked.options as PublicKeyCredentialRequestOptionsJSON);
  const entered = passkey.verifyAuthentication({
    challengeId: asked.challenge_id,
    credential: given as never,
  });
  expect((await good(entered)).user?.id).toBe(userId);

  const { admin } = service;
  expect(await good(admin.passkey.listPasskeys({ userId }))).toMatchObject([{ id: second.id }]);
  await good(admin.passkey.deletePasskey({ userId, passkeyId: second.id }));
}

async function administer({ admin }: Auth) {
  const email = newEmail("made");
  const { user } = await good(admin.createUser({ email, email_confirm: true }));
  const { id } = user;
  expect((await good(admin.getUserById(id))).user.email).toBe(email);
  const app_metadata = { team: "gate" };
  expect((await good(admin.updateUserById(id, { app_metadata }))).user.app_metadata.team).toBe("gate");
  expect((await good(admin.listUsers({ page: 1, perPage: 1 }))).users).toHaveLength(1);
  const link = await good(admin.generateLink({ type: "magiclink", email }));
  expect(link.properties.action_link).toContain("/auth/v1/verify?token=");
  expect((await good(admin.mfa.listFactors({ userId: id }))).factors).toEqual([]);
  const factor = admin.mfa.deleteFactor({ userId: id, id: NOBODY });
  expect(await refusal(factor)).toEqual([404, "mfa_factor_not_found"]);
  await good(admin.deleteUser(id));
  const invited = await good(admin.inviteUserByEmail(newEmail("invited")));
  expect(invited.user.invited_at).toBeDefined();
  await good(admin.deleteUser(invited.user.id));

  const off = [404, "feature_disabled"];
  const { oauth } = admin;
  const app = { client_name: "App", redirect_uris: ["https://app.example/"] };
  expect(await refusal(oauth.listClients())).toEqual(off);
  expect(await refusal(oauth.createClient(app))).toEqual(off);
  expect(await refusal(oauth.getClient("one"))).toEqual(off);
  expect(await refusal(oauth.updateClient("one", { client_name: "Other" }))).toEqual(off);
  expect(await refusal(oauth.deleteClient("one"))).toEqual(off);
  expect(await refusal(oauth.regenerateClientSecret("one"))).toEqual(off);
}

async function keepProviders({ admin }: Auth) {
  const { customProviders } = admin;
  const identifier = newEmail("custom:club").split("@")[0]!;
  // Never enabled: its button would appear in concurrent tests.
  await good(
    customProviders.createProvider({
      ...{ provider_type: "oauth2", identifier, name: "Club", enabled: false },
      ...{ client_id: "festival", client_secret: "a secret", scopes: ["email"] },
      authorization_url: "https://club.example/authorize",
      token_url: "https://club.example/token",
      userinfo_url: "https://club.example/me",
    }),
  );
  await good(customProviders.updateProvider(identifier, { name: "The Club" }));
  expect((await good(customProviders.getProvider(identifier))).name).toBe("The Club");
  const { providers } = await good(customProviders.listProviders());
  expect(providers.map((one) => one.identifier)).toContain(identifier);
  await good(customProviders.deleteProvider(identifier));
}

async function leave(auth: Auth, service: Auth, account: Account) {
  const { session } = await good(auth.signInWithPassword(account));
  await good(service.admin.signOut(session.access_token, "others"));
  expect((await auth.signOut()).error).toBeNull();
  expect((await auth.getSession()).data.session).toBeNull();
  await auth.dispose();
}

test("every method of the official client answers in a browser as it should", async ({
  page,
  account,
  mailbox,
  pageErrors,
}) => {
  await addAuthenticator(page, "device");
  const client = await openClients(page, status());
  const { visitor, service } = client;
  await signUpAndIn(visitor, page, mailbox, account);
  await useTheSession(visitor, account);
  await askForWhatIsOff(visitor, page);
  await takeSecondSteps(visitor, page);
  await usePasskeys(visitor, service, page, account);
  await administer(service);
  await keepProviders(service);
  await leave(visitor, service, account);
  const heard = ["INITIAL_SESSION", "SIGNED_IN", "TOKEN_REFRESHED", "USER_UPDATED", "SIGNED_OUT"];
  expect(await client.events()).toEqual(expect.arrayContaining(heard));

  const installed = createClient("http://localhost", "a key", {
    auth: { persistSession: false, autoRefreshToken: false, experimental: { recoveryCodes: true } },
  }).auth;
  expect(clientMethods(installed).filter((method) => !client.called.has(method))).toEqual([]);
  // The refusals above, each of which the browser logs.
  const others = pageErrors.filter((error) => !/responded with a status of 4(00|04|22)/.test(error));
  expect(others).toEqual([]);
  pageErrors.splice(0);
});
