// The official client against the service: what the site does, through the library it uses.
import { isAuthWeakPasswordError } from "@supabase/supabase-js";
import { expect, it } from "vitest";
import { API, fragmentOf, PASSWORD, startAuth, useAuth } from "../../../testing/auth.ts";

const auth = await useAuth();

it("signs up, confirms by mail, signs in, refreshes and signs out", async () => {
  const client = auth.client();
  const email = "journey@example.com";
  const signedUp = await client.auth.signUp({
    email,
    password: PASSWORD,
    options: { emailRedirectTo: `${API}/`, data: { full_name: "Ada" } },
  });
  expect(signedUp.error).toBeNull();
  expect(signedUp.data).toMatchObject({ session: null, user: { email } });

  const early = await client.auth.signInWithPassword({ email, password: PASSWORD });
  expect(early.error).toMatchObject({ status: 400, code: "email_not_confirmed" });

  const opened = await auth.call("GET", auth.linkTo(email));
  const { access_token, refresh_token } = fragmentOf(opened) as Record<string, string>;
  const fromLink = await client.auth.setSession({
    access_token: access_token!,
    refresh_token: refresh_token!,
  });
  expect(fromLink.data.user?.email).toBe(email);

  // Without PKCE nothing shows that whoever opened the link also chose the password, so the password has to be set again.
  const unproven = await client.auth.signInWithPassword({ email, password: PASSWORD });
  expect(unproven.error).toMatchObject({ status: 400, code: "invalid_credentials" });
  expect((await client.auth.updateUser({ password: PASSWORD })).error).toBeNull();
  const signedIn = await client.auth.signInWithPassword({ email, password: PASSWORD });
  expect(signedIn.error).toBeNull();

  const refreshed = await client.auth.refreshSession();
  expect(refreshed.error).toBeNull();
  expect(refreshed.data.session?.refresh_token).not.toBe(signedIn.data.session?.refresh_token);
  expect((await client.auth.getUser()).data.user?.id).toBe(signedIn.data.user?.id);

  expect((await client.auth.signOut()).error).toBeNull();
  expect((await client.auth.getSession()).data.session).toBeNull();
});

it("signs up without PKCE as on the platform when every caller can read every mail", async () => {
  const open = await startAuth({}, { mailsAreOpen: true });
  try {
    for (const again of [false, true]) {
      const client = open.client();
      const email = again ? "resent@example.com" : "open@example.com";
      await client.auth.signUp({ email, password: PASSWORD, options: { data: { full_name: "Ada" } } });
      open.advance(61);
      if (again) await client.auth.resend({ type: "signup", email });
      await open.call("GET", open.linkTo(email));
      const { error, data } = await client.auth.signInWithPassword({ email, password: PASSWORD });
      expect([error, data.user?.user_metadata.full_name]).toEqual([null, "Ada"]);
    }
  } finally {
    await open.close();
  }
});

it("reports refusals as the errors an application looks for", async () => {
  const client = auth.client();
  const weak = await client.auth.signUp({ email: "weak@example.com", password: "12345" });
  expect(isAuthWeakPasswordError(weak.error)).toBe(true);
  expect(weak.error).toMatchObject({ reasons: ["length"], code: "weak_password", status: 422 });
  const unknown = await client.auth.signInWithPassword({ email: "nobody@example.com", password: PASSWORD });
  expect(unknown.error).toMatchObject({
    message: "Invalid login credentials",
    code: "invalid_credentials",
    status: 400,
  });
  const bad = await client.auth.verifyOtp({ type: "signup", token_hash: "made-up" });
  expect(bad.error).toMatchObject({ code: "otp_expired", status: 403 });
});

it("recovers a password", async () => {
  const email = "recover@example.com";
  await auth.signedUp(email);
  const client = auth.client();
  const asked = await client.auth.resetPasswordForEmail(email, { redirectTo: `${API}/auth/new-password` });
  expect(asked.error).toBeNull();
  const link = new URL(auth.linkTo(email), API);
  expect(link.searchParams.get("redirect_to")).toBe(`${API}/auth/new-password`);
  const verified = await client.auth.verifyOtp({
    type: "recovery",
    token_hash: link.searchParams.get("token")!,
  });
  expect(verified.error).toBeNull();
  expect((await client.auth.updateUser({ password: "a brand new one" })).error).toBeNull();
  const signedIn = await auth.client().auth.signInWithPassword({ email, password: "a brand new one" });
  expect(signedIn.error).toBeNull();
});

it("resends, changes data, and learns nothing from a repeated sign-up", async () => {
  const email = "repeat@example.com";
  await auth.signedUp(email);
  auth.advance(61);
  const client = auth.client();
  const again = await client.auth.signUp({ email, password: PASSWORD });
  expect(again.error).toBeNull();
  expect(again.data.user?.identities).toHaveLength(1);
  auth.advance(61);
  expect((await client.auth.resend({ type: "signup", email })).error).toBeNull();
  await client.auth.signInWithPassword({ email, password: PASSWORD });
  const changed = await client.auth.updateUser({ data: { hat: "10 gallon" } });
  expect(changed.data.user?.user_metadata).toMatchObject({ hat: "10 gallon" });
});

it("administers users with the service key", async () => {
  const { createClient } = await import("@supabase/supabase-js");
  const { admin } = createClient(API, await auth.serviceKey(), {
    auth: { persistSession: false, autoRefreshToken: false },
    global: { fetch: (input, init) => auth.fetch(new Request(input, init)) },
  }).auth;
  const made = await admin.createUser({
    email: "admin-made@example.com",
    password: PASSWORD,
    email_confirm: true,
  });
  expect(made.error).toBeNull();
  const id = made.data.user!.id;
  expect((await admin.getUserById(id)).data.user?.email).toBe("admin-made@example.com");
  expect(
    (await admin.updateUserById(id, { app_metadata: { team: "gate" } })).data.user?.app_metadata.team,
  ).toBe("gate");
  const listed = await admin.listUsers({ page: 1, perPage: 1 });
  expect(listed.data).toMatchObject({ users: [{ id }], nextPage: 2 });
  expect((await admin.deleteUser(id)).error).toBeNull();
  expect((await admin.getUserById(id)).error).toMatchObject({ status: 404, code: "user_not_found" });
});

it("reads a body of null as one without members", async () => {
  const { status, body } = await auth.call("POST", "/verify", "null");
  expect([status, body.msg]).toEqual([400, "Verify requires a verification type"]);
});

it("refuses a link without an address as GoTrue does", async () => {
  const link = await auth.call("POST", "/magiclink", {});
  expect([link.status, link.body.error_code]).toEqual([422, "validation_failed"]);
});

it("says with a session that its password is not weak", async () => {
  await auth.signedUp("strong@example.com");
  const given = { email: "strong@example.com", password: PASSWORD };
  const { body } = await auth.call("POST", "/token?grant_type=password", given);
  expect(body.weak_password).toBeNull();
});
