// An address belongs to who reads its mail. Somebody else may sign up with it first, last or in between: what they chose
// must not be what opens the account afterwards.
import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { fragmentOf, PASSWORD, startAuth, type TestAuth } from "../testing.ts";

let auth: TestAuth;
beforeAll(async () => {
  auth = await startAuth();
});
afterAll(() => auth.close());

const STRANGERS = "chosen by a stranger";
const signUp = async (email: string, password: string, data: object = {}) => {
  expect((await auth.call("POST", "/signup", { email, password, data })).status).toBe(200);
  const link = auth.linkTo(email);
  auth.advance(61);
  return link;
};
const grant = (email: string, password: string) =>
  auth.call("POST", "/token?grant_type=password", { email, password });
const open = async (link: string) => fragmentOf(await auth.call("GET", link));

describe("the link that is opened decides whose password counts", () => {
  it("when a stranger signed up before", async () => {
    const email = "second@example.com";
    await signUp(email, STRANGERS, { full_name: "Stranger" });
    const own = await signUp(email, PASSWORD, { full_name: "Owner" });
    const { access_token } = await open(own);
    const { body } = await auth.call("GET", "/user", undefined, access_token);
    expect(body.user_metadata).toMatchObject({ full_name: "Owner", email, email_verified: true });
    expect((await grant(email, STRANGERS)).body.error_code).toBe("invalid_credentials");
    expect((await grant(email, PASSWORD)).status).toBe(200);
  });

  it("when a stranger signed up after, and their link is dead from then on", async () => {
    const email = "first@example.com";
    const own = await signUp(email, PASSWORD);
    const strangers = await signUp(email, STRANGERS);
    expect((await open(own)).access_token).toBeDefined();
    expect((await grant(email, STRANGERS)).body.error_code).toBe("invalid_credentials");
    expect((await grant(email, PASSWORD)).status).toBe(200);
    expect((await open(strangers)).error_code).toBe("otp_expired");
  });

  it("and a password mailed for again is nobody's when two people have signed up", async () => {
    const email = "resent@example.com";
    await signUp(email, STRANGERS);
    await signUp(email, PASSWORD);
    await auth.call("POST", "/resend", { type: "signup", email });
    expect((await open(auth.linkTo(email))).access_token).toBeDefined();
    expect((await grant(email, STRANGERS)).body.error_code).toBe("invalid_credentials");
    expect((await grant(email, PASSWORD)).body.error_code).toBe("invalid_credentials");
  });

  it("while who alone signed up keeps theirs when they ask for another link", async () => {
    const email = "lost-the-mail@example.com";
    await signUp(email, PASSWORD, { full_name: "Owner" });
    for (let times = 0; times < 2; times++) {
      await auth.call("POST", "/resend", { type: "signup", email });
      auth.advance(61);
    }
    await open(auth.linkTo(email));
    const { status, body } = await grant(email, PASSWORD);
    expect([status, body.user.user_metadata.full_name]).toEqual([200, "Owner"]);
  });

  it("and a recovery mail's link ends what a stranger chose, before a new password is set", async () => {
    const email = "recovered@example.com";
    await signUp(email, STRANGERS, { full_name: "Stranger" });
    await auth.call("POST", "/recover", { email });
    const { access_token } = await open(auth.linkTo(email));
    expect((await grant(email, STRANGERS)).body.error_code).toBe("invalid_credentials");
    const { body } = await auth.call("PUT", "/user", { password: PASSWORD }, access_token);
    expect(body.user_metadata).not.toHaveProperty("full_name");
    expect((await grant(email, PASSWORD)).status).toBe(200);
  });

  it("but an administrator's account keeps the password it was made with", async () => {
    const email = "staff@example.com";
    await auth.call("POST", "/admin/users", { email, password: PASSWORD }, await auth.serviceKey());
    await auth.call("POST", "/resend", { type: "signup", email });
    await open(auth.linkTo(email));
    expect((await grant(email, PASSWORD)).status).toBe(200);
  });
});

describe("a stranger's sign-up, opened by the owner of the address,", () => {
  const VERIFIER = "the secret of the browser that signed up, long enough";
  const challenge = {
    code_challenge: createHash("sha256").update(VERIFIER).digest("base64url"),
    code_challenge_method: "s256",
  };
  const exchange = (auth_code: string, code_verifier: string) =>
    auth.call("POST", "/token?grant_type=pkce", { auth_code, code_verifier });
  const codeOf = async (link: string) =>
    new URL((await auth.call("GET", link)).headers.get("location")!).searchParams.get("code")!;

  beforeEach(() => auth.comeFrom("198.51.100.66"));

  it.each([
    ["in a browser's flow", challenge],
    ["without one", {}],
  ])("%s confirms the address and leaves no password, until a recovery sets one", async (how, more) => {
    const email = `opened-${how === "without one" ? "plain" : "flow"}@example.com`;
    const asked = { email, password: STRANGERS, data: { full_name: "Stranger" }, ...more };
    expect((await auth.call("POST", "/signup", asked)).status).toBe(200);
    auth.comeFrom("203.0.113.7");
    await auth.call("GET", auth.linkTo(email));
    expect((await grant(email, STRANGERS)).body.error_code).toBe("invalid_credentials");
    await auth.call("POST", "/recover", { email });
    const { access_token } = await open(auth.linkTo(email));
    const { body } = await auth.call("PUT", "/user", { password: PASSWORD }, access_token);
    expect(body.user_metadata).not.toHaveProperty("full_name");
    expect((await grant(email, PASSWORD)).status).toBe(200);
    expect((await grant(email, STRANGERS)).body.error_code).toBe("invalid_credentials");
  });

  it("does not keep the owner's own mail back within the minute", async () => {
    const email = "owner-in-a-hurry@example.com";
    for (const path of ["/signup", "/resend", "/recover"]) {
      auth.comeFrom("198.51.100.66");
      const stranger = { email, password: STRANGERS, type: "signup" };
      expect((await auth.call("POST", path, stranger)).status, path).toBe(path === "/resend" ? 429 : 200);
      auth.comeFrom("203.0.113.7");
      const before = auth.mails.length;
      expect((await auth.call("POST", path, { ...stranger, password: PASSWORD })).status, path).toBe(
        path === "/resend" ? 429 : 200,
      );
      if (path === "/signup") {
        expect(auth.mails).toHaveLength(before + 1);
        await open(auth.linkTo(email));
        expect((await grant(email, PASSWORD)).status).toBe(200);
        expect((await grant(email, STRANGERS)).body.error_code).toBe("invalid_credentials");
      }
    }
  });

  it("gives its password to the browser that proves to have signed up, wherever it is by then", async () => {
    const email = "proved@example.com";
    await auth.call("POST", "/signup", {
      email,
      password: PASSWORD,
      data: { full_name: "Owner" },
      ...challenge,
    });
    auth.comeFrom("203.0.113.7");
    const code = await codeOf(auth.linkTo(email));
    expect((await grant(email, PASSWORD)).body.error_code).toBe("invalid_credentials");
    expect((await exchange(code, "somebody else's secret")).body.error_code).toBe("bad_code_verifier");
    expect((await grant(email, PASSWORD)).body.error_code).toBe("invalid_credentials");
    const { status, body } = await exchange(code, VERIFIER);
    expect([status, body.user.user_metadata.full_name]).toEqual([200, "Owner"]);
    expect((await grant(email, PASSWORD)).status).toBe(200);
  });

  it("keeps a password that was set before the browser proved itself", async () => {
    const email = "set-meanwhile@example.com";
    await auth.call("POST", "/signup", { email, password: STRANGERS, ...challenge });
    const code = await codeOf(auth.linkTo(email));
    await auth.call("POST", "/recover", { email });
    const { access_token } = await open(auth.linkTo(email));
    await auth.call("PUT", "/user", { password: PASSWORD }, access_token);
    expect((await exchange(code, VERIFIER)).status).toBe(200);
    expect((await grant(email, PASSWORD)).status).toBe(200);
    expect((await grant(email, STRANGERS)).body.error_code).toBe("invalid_credentials");
  });

  it("hands its password to no other browser that asks for another mail", async () => {
    const email = "resent-by-owner@example.com";
    await auth.call("POST", "/signup", { email, password: STRANGERS });
    auth.comeFrom("203.0.113.7");
    await auth.call("POST", "/resend", { type: "signup", email, ...challenge });
    expect((await exchange(await codeOf(auth.linkTo(email)), VERIFIER)).status).toBe(200);
    expect((await grant(email, STRANGERS)).body.error_code).toBe("invalid_credentials");
  });
});

describe("an address that has an account cannot be taken by a change", () => {
  it("and looks like any other to who asks for it; its owner is told", async () => {
    auth.comeFrom("203.0.113.7");
    await auth.signedUp("owner@example.com");
    auth.advance(61);
    const answers = [];
    for (const [from, to] of [
      ["mover-1@example.com", "owner@example.com"],
      ["mover-2@example.com", "unused@example.com"],
    ] as const) {
      const { access_token } = await auth.signedUp(from);
      const { status, body } = await auth.call("PUT", "/user", { email: to }, access_token);
      answers.push([status, body.new_email === to, Object.keys(body)]);
      const half = await open(auth.linkTo(from));
      expect(half.message).toContain("Confirmation link accepted");
    }
    expect(answers[0]).toEqual(answers[1]);
    const told = auth.mails.filter(({ to }) => to === "owner@example.com");
    expect(told.at(-1)!.subject).toBe("Someone wanted to use your email address");
    expect(told.at(-1)!.text).not.toContain("/verify");
    expect((await open(auth.linkTo("unused@example.com"))).access_token).toBeDefined();
  });
});
