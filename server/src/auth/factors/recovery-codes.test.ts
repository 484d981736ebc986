// Recovery codes through the official client, where they are experimental.
import { TOTP } from "otpauth";
import { createClient } from "@supabase/supabase-js";
import { afterAll, beforeAll, expect, it } from "vitest";
import { API, PASSWORD, startAuth, type TestAuth } from "../../../testing/auth.ts";

let auth: TestAuth;
let ahead = 0;
beforeAll(async () => {
  auth = await startAuth();
});
afterAll(() => auth.close());

const advance = (seconds: number) => {
  auth.advance(seconds);
  ahead += seconds * 1000;
};

function newClient() {
  return createClient(API, auth.tokens.sign({ role: "anon" }), {
    auth: {
      persistSession: false,
      autoRefreshToken: false,
      detectSessionInUrl: false,
      experimental: { recoveryCodes: true },
    },
    global: { fetch: (input, init) => auth.fetch(new Request(input, init)) },
  });
}

async function signIn(email: string) {
  const client = newClient();
  expect((await client.auth.signInWithPassword({ email, password: PASSWORD })).error).toBeNull();
  return client;
}

let people = 0;
async function withFactor() {
  const email = `codes-${++people}@example.com`;
  await auth.signedUp(email);
  const client = await signIn(email);
  const { data } = await client.auth.mfa.enroll({ factorType: "totp", friendlyName: "Phone" });
  const code = new TOTP({ secret: data!.totp.secret }).generate({ timestamp: Date.now() + ahead });
  expect((await client.auth.mfa.challengeAndVerify({ factorId: data!.id, code })).error).toBeNull();
  return { email, client, factorId: data!.id };
}

const refusal = ({ error }: { error: unknown }) => {
  const { code, status, message } = (error ?? {}) as { code?: string; status?: number; message?: string };
  return [status, code, message];
};

it("are ten that are shown once and kept as hashes, each of which raises one session", async () => {
  const { email, client } = await withFactor();
  const { data } = await client.auth.mfa.recoveryCodes.generate();
  expect(data).toMatchObject({ type: "recovery_code", friendly_name: "Recovery codes", total: 10 });
  expect(new Set(data!.codes).size).toBe(10);
  for (const code of data!.codes) expect(code).toMatch(/^[A-HJ-NP-Z2-9]{16}$/);
  const { rows } = await auth.database
    .asService("a test looks at what is kept")
    .query("select code_hash from auth.mfa_recovery_codes");
  for (const { code_hash } of rows) expect(data!.codes).not.toContain(code_hash);

  const lost = await signIn(email);
  // As people type it.
  const typed = data!.codes[0]!.toLowerCase().replaceAll(/.{4}(?=.)/g, "$&-");
  expect((await lost.auth.mfa.recoveryCodes.verify({ code: ` ${typed} ` })).error).toBeNull();
  const { session } = (await lost.auth.getSession()).data;
  expect(await auth.claimsOf(session!.access_token)).toMatchObject({
    aal: "aal2",
    amr: [{ method: "mfa/recovery_code" }, { method: "password" }],
  });
  expect((await lost.auth.mfa.recoveryCodes.getStatus()).data).toMatchObject({ total: 10, remaining: 9 });
  expect((await lost.auth.mfa.listFactors()).data).toMatchObject({ recovery_code: [{ status: "verified" }] });
  const again = await signIn(email);
  expect(refusal(await again.auth.mfa.recoveryCodes.verify({ code: data!.codes[0]! }))).toEqual([
    422,
    "mfa_verification_failed",
    "Invalid recovery code entered",
  ]);
});

it("work once when one is sent twice at once", async () => {
  const { email, client } = await withFactor();
  const { data } = await client.auth.mfa.recoveryCodes.generate();
  const clients = await Promise.all([signIn(email), signIn(email)]);
  const answers = await Promise.all(
    clients.map((each) => each.auth.mfa.recoveryCodes.verify({ code: data!.codes[3]! })),
  );
  expect(answers.filter(({ error }) => error === null)).toHaveLength(1);
});

it("are refused like made-up ones when they belong to another person", async () => {
  const one = await withFactor();
  const { data } = await one.client.auth.mfa.recoveryCodes.generate();
  const two = await withFactor();
  await two.client.auth.mfa.recoveryCodes.generate();
  const guesser = await signIn(two.email);
  expect(refusal(await guesser.auth.mfa.recoveryCodes.verify({ code: data!.codes[0]! }))[1]).toBe(
    "mfa_verification_failed",
  );
  const none = await auth.signedUp("no-codes@example.com");
  const answer = await auth.call("POST", "/factors/recovery-codes/verify", { code: "X" }, none.access_token);
  expect([answer.status, answer.body.error_code]).toEqual([422, "mfa_verification_failed"]);
});

it("are locked for a quarter of an hour after five wrong ones, even the right ones", async () => {
  const { email, client } = await withFactor();
  const { data } = await client.auth.mfa.recoveryCodes.generate();
  const guesser = await signIn(email);
  const verify = (code: string) => guesser.auth.mfa.recoveryCodes.verify({ code });
  for (let guess = 0; guess < 5; guess++) {
    expect(refusal(await verify("AAAAAAAAAAAAAAAA"))[1]).toBe("mfa_verification_failed");
  }
  const locked = [429, "mfa_recovery_codes_locked", "Too many failed verification attempts, try again later"];
  expect(refusal(await verify(data!.codes[0]!))).toEqual(locked);
  const { data: own } = await guesser.auth.getSession();
  const path = "/factors/recovery-codes/verify";
  const { headers } = await auth.call("POST", path, { code: "A" }, own.session!.access_token);
  const wait = Number(headers.get("retry-after"));
  expect(wait).toBeGreaterThan(800);
  expect(wait).toBeLessThanOrEqual(900);
  advance(899);
  expect(refusal(await verify(data!.codes[0]!))).toEqual(locked);
  advance(2);
  expect((await verify(data!.codes[0]!)).error).toBeNull();
});

it("require aal2 and another factor, and are replaced instead of created twice", async () => {
  const { email, client, factorId } = await withFactor();
  const low = await signIn(email);
  expect(refusal(await low.auth.mfa.recoveryCodes.generate())).toEqual([
    403,
    "insufficient_aal",
    "AAL2 required to generate recovery codes",
  ]);
  expect(refusal(await client.auth.mfa.recoveryCodes.regenerate())[1]).toBe("mfa_factor_not_found");
  const { data: first } = await client.auth.mfa.recoveryCodes.generate();
  expect(refusal(await client.auth.mfa.recoveryCodes.generate())[1]).toBe("mfa_verified_factor_exists");
  const { data: second } = await client.auth.mfa.recoveryCodes.regenerate();
  expect(second).toMatchObject({ id: first!.id, total: 10 });
  expect(refusal(await low.auth.mfa.recoveryCodes.verify({ code: first!.codes[1]! }))[1]).toBe(
    "mfa_verification_failed",
  );
  expect(refusal(await low.auth.mfa.recoveryCodes.regenerate())[1]).toBe("insufficient_aal");
  expect(refusal(await low.auth.mfa.recoveryCodes.unenroll())[1]).toBe("insufficient_aal");
  expect(refusal(await client.auth.mfa.unenroll({ factorId }))[1]).toBe("mfa_recovery_codes_sole_factor");
  expect(refusal(await client.auth.mfa.unenroll({ factorId: first!.id }))).toMatchObject([
    422,
    "validation_failed",
    expect.stringContaining("DELETE /factors/recovery-codes"),
  ]);
  expect((await client.auth.mfa.recoveryCodes.unenroll()).data).toEqual({ id: first!.id });
  expect(refusal(await client.auth.mfa.recoveryCodes.getStatus())[0]).toBe(404);
  expect((await client.auth.mfa.unenroll({ factorId })).error).toBeNull();
});

it("let somebody who lost their phone switch the second step off", async () => {
  const { email, client, factorId } = await withFactor();
  const { data } = await client.auth.mfa.recoveryCodes.generate();
  const lost = await signIn(email);
  expect((await lost.auth.mfa.recoveryCodes.verify({ code: data!.codes[0]! })).error).toBeNull();
  expect((await lost.auth.mfa.recoveryCodes.unenroll()).error).toBeNull();
  expect((await lost.auth.mfa.unenroll({ factorId })).error).toBeNull();
  await lost.auth.refreshSession();
  const { session } = (await lost.auth.getSession()).data;
  const claims = await auth.claimsOf(session!.access_token);
  expect([claims["aal"], claims["amr"]]).toMatchObject(["aal1", [{ method: "password" }]]);
});

it("notify their owner when one is used and when they are replaced", async () => {
  const { email, client } = await withFactor();
  const { data } = await client.auth.mfa.recoveryCodes.generate();
  const lost = await signIn(email);
  const newest = () => auth.mails.findLast(({ to }) => to === email)!;
  expect((await lost.auth.mfa.recoveryCodes.verify({ code: "A".repeat(16) })).error).not.toBeNull();
  expect(newest().subject).toBe("Recovery codes were created for your account");
  expect((await lost.auth.mfa.recoveryCodes.verify({ code: data!.codes[0]! })).error).toBeNull();
  expect(newest()).toMatchObject({
    subject: "A recovery code was used",
    text: expect.stringContaining("Codes left: 9."),
  });
  await client.auth.mfa.recoveryCodes.regenerate();
  expect(newest().subject).toBe("Your recovery codes were replaced");
});

it("can be switched off", async () => {
  const { client } = await withFactor();
  auth.set({
    GOTRUE_MFA_RECOVERY_CODES_ENROLL_ENABLED: "false",
    GOTRUE_MFA_RECOVERY_CODES_VERIFY_ENABLED: "false",
  });
  expect(refusal(await client.auth.mfa.recoveryCodes.generate())[1]).toBe(
    "mfa_recovery_codes_enroll_not_enabled",
  );
  expect(refusal(await client.auth.mfa.recoveryCodes.verify({ code: "A" }))[1]).toBe(
    "mfa_recovery_codes_verify_not_enabled",
  );
});
