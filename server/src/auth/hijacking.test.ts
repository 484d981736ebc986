// An address belongs to who reads its mail. Somebody else may sign up with it first, last or in between: what they chose
// must not be what opens the account afterwards.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fragmentOf, PASSWORD, startAuth, type TestAuth } from "./testing.ts";

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

describe("an address that has an account cannot be taken by a change", () => {
  it("and looks like any other to who asks for it; its owner is told", async () => {
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
