import { describe, expect, it } from "vitest";
import { API, CHALLENGE, PASSWORD, useAuth, VERIFIER } from "../../../testing/auth.ts";

const auth = await useAuth();

const exchange = (auth_code: string, code_verifier = VERIFIER) =>
  auth.call("POST", "/token?grant_type=pkce", { auth_code, code_verifier });
/** Opens the newest mail's link. */
const codeFor = async (email: string) => {
  const { headers } = await auth.call("GET", auth.linkTo(email));
  const landed = new URL(headers.get("location")!);
  expect(landed.hash).toBe("");
  return landed.searchParams.get("code")!;
};
const signUp = (email: string, more: object = CHALLENGE) =>
  auth.call("POST", "/signup", { email, password: PASSWORD, ...more });

describe("a link that was requested with a challenge", () => {
  it("confirms the address, and signs in only the browser that requested it, once", async () => {
    const email = "asked@example.com";
    await signUp(email);
    const code = await codeFor(email);
    const strangers = await exchange(code, "another browser's secret, long enough as well to be one");
    expect([strangers.status, strangers.body.error_code]).toEqual([400, "bad_code_verifier"]);
    const { status, body } = await exchange(code);
    expect([status, body.user.email]).toEqual([200, email]);
    expect(body.user.email_confirmed_at).toBeDefined();
    expect((await auth.call("GET", "/user", undefined, body.access_token)).status).toBe(200);
    expect((await exchange(code)).body.error_code).toBe("flow_state_not_found");
  });

  it("cannot be downgraded to a plain challenge, or to half of one", async () => {
    const email = "downgraded@example.com";
    await signUp(email);
    const answer = await exchange(await codeFor(email), CHALLENGE.code_challenge);
    expect([answer.status, answer.body.error_code]).toEqual([400, "bad_code_verifier"]);
    for (const challenge of [
      { code_challenge: CHALLENGE.code_challenge },
      { code_challenge_method: "s256" },
      { ...CHALLENGE, code_challenge_method: "none" },
    ]) {
      const { status, body } = await signUp("half@example.com", challenge);
      expect([status, body.error_code]).toEqual([400, "validation_failed"]);
    }
  });

  it("also works for a recovery and for the second half of an address change", async () => {
    const email = "moving@example.com";
    const { access_token } = await auth.signedUp(email);
    await auth.call("POST", "/recover", { email, ...CHALLENGE });
    const { body } = await exchange(await codeFor(email));
    expect((await auth.call("PUT", "/user", { password: "candy paint" }, body.access_token)).status).toBe(
      200,
    );
    const { access_token: fresh } = (
      await auth.call("POST", "/token?grant_type=password", { email, password: "candy paint" })
    ).body;
    expect((await auth.call("GET", "/user", undefined, access_token)).status).toBe(403);
    await auth.call("PUT", "/user", { email: "moved@example.com", ...CHALLENGE }, fresh);
    const half = await auth.call("GET", auth.linkTo(email));
    expect(half.headers.get("location")).toContain("Confirmation+link+accepted");
    expect((await exchange(await codeFor("moved@example.com"))).body.user.email).toBe("moved@example.com");
  });

  it("leaves five minutes to exchange its code", async () => {
    await signUp("slow@example.com");
    const code = await codeFor("slow@example.com");
    auth.advance(301);
    expect(await exchange(code)).toMatchObject({ status: 422, body: { error_code: "flow_state_expired" } });
  });

  it.each(["a new account", "an account"])(
    "leaves itself and the typed code good when it is opened elsewhere, until %s is signed in",
    async (whose) => {
      const email = `${whose.replaceAll(" ", "-")}@devices.example`;
      if (whose === "an account") await auth.signedUp(email);
      const ask = async () =>
        expect((await auth.call("POST", "/otp", { email, ...CHALLENGE })).status).toBe(200);
      const type = () => auth.call("POST", "/verify", { type: "email", email, token: auth.codeTo(email) });
      await ask();
      await codeFor(email);
      const typed = await type();
      expect([typed.status, typed.body.user?.email]).toEqual([200, email]);
      expect((await type()).body.error_code).toBe("otp_expired");

      auth.advance(61);
      await ask();
      const elsewhere = await codeFor(email);
      const here = await codeFor(email);
      expect((await exchange(elsewhere)).body.error_code).toBe("flow_state_not_found");
      expect((await exchange(here)).body.user.email).toBe(email);
      expect(await codeFor(email).catch(() => "expired")).toBe("expired");
      expect((await type()).body.error_code).toBe("otp_expired");
    },
  );

  it("keeps the password of a sign-up whose link was first opened by a mail scanner", async () => {
    const email = "scanned-first@example.com";
    await signUp(email);
    await codeFor(email);
    expect((await exchange(await codeFor(email))).status).toBe(200);
    const { status } = await auth.call("POST", "/token?grant_type=password", { email, password: PASSWORD });
    expect(status).toBe(200);
  });

  it("gives no code before it is opened, and none to a banned account", async () => {
    const email = "unopened@example.com";
    await signUp(email);
    const service = auth.database.asService("the test looks inside");
    const { rows } = await service.query(
      "select f.auth_code, u.id from auth.flow_state f join auth.users u on u.id = f.user_id where email = $1",
      [email],
    );
    expect(rows[0]!.auth_code).toBeNull();
    const code = await codeFor(email);
    await auth.call("PUT", `/admin/users/${rows[0]!.id}`, { ban_duration: "1h" }, await auth.serviceKey());
    expect((await exchange(code)).body.error_code).toBe("user_banned");
  });

  it.each([
    [{ auth_code: "", code_verifier: VERIFIER }, 400, "validation_failed"],
    [{ auth_code: "made up", code_verifier: "" }, 400, "validation_failed"],
    [{ auth_code: "made up", code_verifier: VERIFIER }, 404, "flow_state_not_found"],
  ])("refuses %j", async (body, status, code) => {
    const answer = await auth.call("POST", "/token?grant_type=pkce", body);
    expect([answer.status, answer.body.error_code]).toEqual([status, code]);
  });
});

it("works with the official client, which keeps the secret itself", async () => {
  const { createClient } = await import("@supabase/supabase-js");
  const kept = new Map<string, string>();
  const client = createClient(API, auth.tokens.sign({ role: "anon" }), {
    auth: {
      flowType: "pkce",
      autoRefreshToken: false,
      detectSessionInUrl: false,
      storage: {
        getItem: (key) => kept.get(key) ?? null,
        setItem: (key, value) => void kept.set(key, value),
        removeItem: (key) => void kept.delete(key),
      },
    },
    global: { fetch: (input, init) => auth.fetch(new Request(input, init)) },
  });
  const email = "official@example.com";
  expect((await client.auth.signUp({ email, password: PASSWORD })).error).toBeNull();
  const { data, error } = await client.auth.exchangeCodeForSession(await codeFor(email));
  expect([error, data.user?.email]).toEqual([null, email]);
});
