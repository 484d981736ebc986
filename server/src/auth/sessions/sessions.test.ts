import { TOTP } from "otpauth";
import { describe, expect, it } from "vitest";
import { API, PASSWORD, startAuth, useAuth } from "../../../testing/auth.ts";

const auth = await useAuth();

const grant = (email: string, password = PASSWORD) =>
  auth.call("POST", "/token?grant_type=password", { email, password });
const refresh = (refresh_token: string) =>
  auth.call("POST", "/token?grant_type=refresh_token", { refresh_token });
/** Enrols a second factor. Returns what takes that step in a session, with its new tokens. */
async function secondStepOf({ access_token }: { access_token: string }) {
  const { body: app } = await auth.call("POST", "/factors", { factor_type: "totp" }, access_token);
  const totp = new TOTP({ secret: app.totp.secret });
  return async ({ access_token: token }: { access_token: string }) => {
    const challenge = await auth.call("POST", `/factors/${app.id}/challenge`, {}, token);
    const { iat } = await auth.claimsOf(token); // by the moved clock
    const code = totp.generate({ timestamp: Number(iat) * 1000 });
    const answer = { challenge_id: challenge.body.id, code };
    return (await auth.call("POST", `/factors/${app.id}/verify`, answer, token)).body;
  };
}
const refused = (code: string) => ({ status: 400, body: { code: 400, error_code: code } });

describe("signing in with a password", () => {
  it("returns tokens whose claims row-level security can use", async () => {
    const { user } = await auth.signedUp("claims@example.com");
    const { status, body, headers } = await grant("Claims@Example.com");
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(body).toMatchObject({ token_type: "bearer", expires_in: 3600, user: { id: user.id } });
    expect(body.user.last_sign_in_at).toBeDefined();
    const claims = await auth.claimsOf(body.access_token);
    expect(claims).toMatchObject({
      iss: `${API}/auth/v1`,
      sub: user.id,
      aud: "authenticated",
      role: "authenticated",
      email: "claims@example.com",
      app_metadata: { provider: "email", providers: ["email"] },
      user_metadata: { email: "claims@example.com" },
      aal: "aal1",
      amr: [{ method: "password" }],
      session_id: expect.any(String),
      is_anonymous: false,
      exp: body.expires_at,
    });
    const { rows } = await auth.database.run({ claims }, { text: "select auth.uid(), auth.role()" });
    expect(rows).toEqual([{ uid: user.id, role: "authenticated" }]);
  });

  it("answers a wrong password and an unknown address alike", async () => {
    await auth.signedUp("known@example.com");
    const answers = [
      await grant("known@example.com", "wrong password"),
      await grant("unknown@example.com"),
      await grant("known@example.com", `${PASSWORD}${"x".repeat(100)}`),
      await grant("known@example.com", ""),
    ];
    for (const { status, body } of answers) {
      expect([status, body]).toEqual([
        400,
        { code: 400, error_code: "invalid_credentials", msg: "Invalid login credentials" },
      ]);
    }
  });

  it("does not accept a long password by its first 72 bytes", async () => {
    const password = "p".repeat(72);
    const { access_token } = await auth.signedUp("long@example.com");
    expect((await auth.call("PUT", "/user", { password }, access_token)).status).toBe(200);
    expect((await grant("long@example.com", password)).status).toBe(200);
    expect((await grant("long@example.com", `${password}x`)).status).toBe(400);
  });

  it.each([
    ["", "invalid_credentials"],
    ["?grant_type=magic", "invalid_credentials"],
    ["?grant_type=password", "validation_failed"],
    ["?grant_type=refresh_token", "validation_failed"],
  ])("refuses /token%s without credentials", async (query, code) => {
    expect(await auth.call("POST", `/token${query}`, {})).toMatchObject(refused(code));
  });
});

describe("refreshing", () => {
  it("rotates the token and keeps session and method", async () => {
    const first = await auth.signedUp("rotate@example.com");
    const { status, body } = await refresh(first.refresh_token);
    expect(status).toBe(200);
    expect(body.refresh_token).not.toBe(first.refresh_token);
    const before = await auth.claimsOf(first.access_token);
    const after = await auth.claimsOf(body.access_token);
    expect(after.session_id).toBe(before.session_id);
    expect(after.amr).toMatchObject([{ method: "password" }]);
  });

  it("gives all tabs the same next token when they refresh at once", async () => {
    const { refresh_token } = await auth.signedUp("tabs@example.com");
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => refresh(refresh_token)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1);
  });

  it("repeats an answer that was lost, however late", async () => {
    const { refresh_token } = await auth.signedUp("lost@example.com");
    const { body } = await refresh(refresh_token);
    auth.advance(3600);
    expect((await refresh(refresh_token)).body.refresh_token).toBe(body.refresh_token);
  });

  it("forgives an older token within ten seconds", async () => {
    const { refresh_token } = await auth.signedUp("grace@example.com");
    const second = (await refresh(refresh_token)).body.refresh_token;
    const third = (await refresh(second)).body.refresh_token;
    auth.advance(9);
    expect((await refresh(refresh_token)).body.refresh_token).toBe(third);
  });

  it("ends the whole session when an older token comes back later", async () => {
    const { refresh_token } = await auth.signedUp("stolen@example.com");
    const second = (await refresh(refresh_token)).body.refresh_token;
    const third = (await refresh(second)).body.refresh_token;
    auth.advance(11);
    expect(await refresh(refresh_token)).toMatchObject(refused("refresh_token_already_used"));
    expect(await refresh(third)).toMatchObject(refused("refresh_token_already_used"));
    expect((await grant("stolen@example.com")).status).toBe(200);
  });

  it("ends a session that nobody used for two weeks, however old one in use may be", async () => {
    let { refresh_token } = await auth.signedUp("idle@example.com");
    for (let week = 1; week <= 4; week++) {
      auth.advance(13 * 24 * 3600);
      ({ refresh_token } = (await refresh(refresh_token)).body);
    }
    auth.advance(14 * 24 * 3600);
    expect(await refresh(refresh_token)).toMatchObject(refused("session_expired"));
  });

  it.each([
    ["90 days, unless another age is set", {}, [13, 13, 13, 13, 13, 13, 11]],
    ["the age that is set", { GOTRUE_SESSIONS_TIMEBOX: "720h" }, [10, 10, 9]],
  ])("ends a session at %s, though it is in use", async (_age, environment, steps) => {
    const boxed = await startAuth({}, { environment });
    try {
      let { refresh_token } = await boxed.signedUp("boxed@example.com");
      const again = () => boxed.call("POST", "/token?grant_type=refresh_token", { refresh_token });
      for (const days of steps) {
        boxed.advance(days * 24 * 3600);
        ({ refresh_token } = (await again()).body);
      }
      boxed.advance(24 * 3600);
      expect(await again()).toMatchObject(refused("session_expired"));
    } finally {
      await boxed.close();
    }
  });

  it("lets a session in use go on for ever where that is set", async () => {
    const unboxed = await startAuth({}, { environment: { GOTRUE_SESSIONS_TIMEBOX: "0" } });
    try {
      let { refresh_token } = await unboxed.signedUp("unboxed@example.com");
      for (let weeks = 0; weeks < 14; weeks++) {
        unboxed.advance(7 * 24 * 3600);
        const { body } = await unboxed.call("POST", "/token?grant_type=refresh_token", { refresh_token });
        ({ refresh_token } = body);
      }
      expect(refresh_token).toEqual(expect.any(String));
    } finally {
      await unboxed.close();
    }
  });

  it("keeps nothing in the database that refreshes, and derives no token from what is there", async () => {
    const { refresh_token } = await auth.signedUp("at-rest@example.com");
    const { body } = await refresh(refresh_token);
    const { rows } = await auth.database
      .asService("the test looks inside")
      .query("select token, parent from auth.refresh_tokens");
    const kept = rows.flatMap(({ token, parent }) => [token, parent]) as string[];
    expect(kept).not.toContain(refresh_token);
    expect(kept).not.toContain(body.refresh_token);
    for (const stolen of new Set(kept.filter(Boolean))) {
      expect(await refresh(stolen)).toMatchObject(refused("refresh_token_not_found"));
    }
  });

  it("gives the newest token in exchange for an older one within its grace period, however many steps behind", async () => {
    const { refresh_token } = await auth.signedUp("chain@example.com");
    let newest = refresh_token;
    for (let step = 0; step < 5; step++) newest = (await refresh(newest)).body.refresh_token;
    expect((await refresh(refresh_token)).body.refresh_token).toBe(newest);
  });

  it("keeps one token per session where rotation is off", async () => {
    const restore = auth.set({ GOTRUE_SECURITY_REFRESH_TOKEN_ROTATION_ENABLED: "false" });
    const { refresh_token } = await auth.signedUp("still@example.com");
    expect((await refresh(refresh_token)).body.refresh_token).toBe(refresh_token);
    restore();
    expect((await refresh(refresh_token)).body.refresh_token).not.toBe(refresh_token);
  });

  it("limits an account to its newest session where that is configured", async () => {
    const { refresh_token } = await auth.signedUp("single@example.com");
    auth.advance(1);
    const newer = (await grant("single@example.com")).body.refresh_token as string;
    auth.set({ GOTRUE_SESSIONS_SINGLE_PER_USER: "true" });
    expect(await refresh(refresh_token)).toMatchObject({
      ...refused("session_expired"),
      body: { msg: "Invalid Refresh Token: Session Expired (Revoked by Newer Login)" },
    });
    expect((await refresh(newer)).status).toBe(200);
  });

  it("ends no session that took the second step because of a newer one that did not", async () => {
    const first = await auth.signedUp("single-owner@example.com");
    const takeStep = await secondStepOf(first);
    const { refresh_token } = await takeStep(first);
    auth.advance(60);
    const newer = (await grant("single-owner@example.com")).body;
    auth.set({ GOTRUE_SESSIONS_SINGLE_PER_USER: "true" });
    const { status, body } = await refresh(refresh_token);
    expect([status, (await refresh(newer.refresh_token)).status]).toEqual([200, 200]);
    expect((await takeStep(newer)).access_token).toBeDefined();
    expect(await refresh(body.refresh_token)).toMatchObject(refused("session_expired"));
  });

  it("ends a session that goes too long without its account's second step", async () => {
    const { refresh_token, user } = await auth.signedUp("low@example.com");
    await auth.database.asService("stands in for an enrollment").query(
      `insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
       values (gen_random_uuid(), $1, 'totp', 'verified', now(), now())`,
      [user.id],
    );
    auth.set({ GOTRUE_SESSIONS_ALLOW_LOW_AAL: "1h" });
    const { body } = await refresh(refresh_token);
    auth.advance(3601);
    expect((await refresh(body.refresh_token)).body.msg).toContain("Low AAL");
  });

  it("issues tokens with the configured lifetime and audience", async () => {
    const { refresh_token } = await auth.signedUp("short@example.com");
    const restore = auth.set({ GOTRUE_JWT_EXP: "60", GOTRUE_JWT_ISSUER: "https://issuer.example" });
    const { body } = await refresh(refresh_token);
    restore();
    const claims = await auth.claimsOf(body.access_token);
    expect([body.expires_in, claims.exp! - (claims["iat"] as number)]).toEqual([60, 60]);
    expect(claims["iss"]).toBe("https://issuer.example");
  });

  it("refuses a token that was never issued", async () => {
    expect(await refresh("made up")).toMatchObject(refused("refresh_token_not_found"));
  });

  it("refuses a banned user", async () => {
    const { refresh_token, user } = await auth.signedUp("banned@example.com");
    await auth.call("PUT", `/admin/users/${user.id}`, { ban_duration: "24h" }, await auth.serviceKey());
    expect(await refresh(refresh_token)).toMatchObject(refused("user_banned"));
    expect(await grant("banned@example.com")).toMatchObject(refused("user_banned"));
    await auth.call("PUT", `/admin/users/${user.id}`, { ban_duration: "none" }, await auth.serviceKey());
    expect((await grant("banned@example.com")).status).toBe(200);
  });
});

describe("signing out", () => {
  const sessionsOf = async (email: string) => {
    const first = await auth.signedUp(email);
    const second: typeof first = (await grant(email)).body;
    const alive = async () =>
      (
        await Promise.all(
          [first, second].map(({ access_token }) => auth.call("GET", "/user", undefined, access_token)),
        )
      ).map(({ status }) => status === 200);
    return { first, second, alive };
  };

  it.each([
    ["", [false, false]],
    ["?scope=global", [false, false]],
    ["?scope=local", [false, true]],
    ["?scope=others", [true, false]],
  ])("with scope %j leaves %j", async (query, left) => {
    const { first, alive } = await sessionsOf(`out${query.replace(/\W/g, "-")}@example.com`);
    expect((await auth.call("POST", `/logout${query}`, undefined, first.access_token)).status).toBe(204);
    // The confirmation link's own session does not count.
    expect(await alive()).toEqual(left);
  });

  it.each([
    ["others", [403, "insufficient_aal"], true],
    ["global", [204, undefined], false],
    ["local", [204, undefined], false],
  ])(
    "with the password alone ends no session that took the second step: %s",
    async (scope, outcome, left) => {
      const email = `out-low-${scope}@example.com`;
      const first = await auth.signedUp(email);
      const takeStep = await secondStepOf(first);
      const owner = await takeStep(first);
      const [low, other] = [(await grant(email)).body, (await grant(email)).body];
      const isAlive = async ({ access_token: token }: { access_token: string }) =>
        (await auth.call("GET", "/user", undefined, token)).status === 200;
      const end = async (by: { access_token: string }) => {
        const { status, body } = await auth.call(
          "POST",
          `/logout?scope=${scope}`,
          undefined,
          by.access_token,
        );
        return [status, body?.error_code];
      };
      expect(await end(low)).toEqual(outcome);
      expect([await isAlive(owner), await isAlive(low)]).toEqual([true, left]);
      expect(await isAlive(other)).toBe(scope !== "global");
      expect(await end(owner)).toEqual([204, undefined]);
      expect(await isAlive(other)).toBe(scope === "local");
    },
  );

  it("ends the refresh token, and distinguishes an ended session from a bad token", async () => {
    const { first } = await sessionsOf("dead@example.com");
    await auth.call("POST", "/logout?scope=local", undefined, first.access_token);
    expect(await refresh(first.refresh_token)).toMatchObject(refused("refresh_token_not_found"));
    const { status, body } = await auth.call("GET", "/user", undefined, first.access_token);
    expect([status, body.error_code]).toEqual([403, "session_not_found"]);
  });

  it("refuses an unknown scope", async () => {
    const { first, alive } = await sessionsOf("scope@example.com");
    const { body } = await auth.call("POST", "/logout?scope=universe", undefined, first.access_token);
    expect(body.error_code).toBe("validation_failed");
    expect(await alive()).toEqual([true, true]);
  });
});
