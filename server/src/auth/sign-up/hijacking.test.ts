// An address belongs to whoever reads its mail. Someone else may sign up with it first, last or in between, even from the
// same household: the password they chose must not open the account afterwards.
import { beforeEach, describe, expect, it } from "vitest";
import { CHALLENGE, codeOf, fragmentOf, PASSWORD, useAuth, VERIFIER } from "../../../testing/auth.ts";

const auth = await useAuth();
// Everyone shares this address unless a test sets another.
beforeEach(() => auth.comeFrom("203.0.113.7"));

const STRANGERS = "chosen by a stranger";
/** Returns the mailed link. */
const signUp = async (email: string, password: string, more: object = {}) => {
  expect((await auth.call("POST", "/signup", { email, password, ...more })).status).toBe(200);
  const link = auth.linkTo(email);
  auth.advance(61);
  return link;
};
const owner = (name = "Owner") => ({ data: { full_name: name }, ...CHALLENGE });
const grant = async (email: string, password: string) => {
  const { status, body } = await auth.call("POST", "/token?grant_type=password", { email, password });
  return status === 200 ? "signed in" : body.error_code;
};
const exchange = (auth_code: string, code_verifier = VERIFIER) =>
  auth.call("POST", "/token?grant_type=pkce", { auth_code, code_verifier });
const open = async (link: string) => fragmentOf(await auth.call("GET", link));
/** Opens a link in the browser that requested it. */
const openInItsBrowser = async (link: string) => exchange(codeOf(await auth.call("GET", link)));
const strangersSecret = { ...CHALLENGE, code_challenge: CHALLENGE.code_challenge.toLowerCase() };

describe("the link that its own browser opens decides whose password counts", () => {
  it.each([
    ["before", ["stranger", "owner"]],
    ["after", ["owner", "stranger"]],
  ])("when a stranger signed up %s, and invalidates all other links", async (when, order) => {
    const email = `${when}@example.com`;
    const links: Record<string, string> = {};
    for (const who of order) {
      links[who] =
        who === "owner"
          ? await signUp(email, PASSWORD, owner())
          : await signUp(email, STRANGERS, { data: { full_name: "Stranger" } });
    }
    const { body } = await openInItsBrowser(links.owner!);
    expect(body.user.user_metadata).toMatchObject({ full_name: "Owner", email, email_verified: true });
    expect(await grant(email, STRANGERS)).toBe("invalid_credentials");
    expect(await grant(email, PASSWORD)).toBe("signed in");
    expect((await open(links.stranger!)).error_code).toBe("otp_expired");
  });

  it("wherever that browser is by then, but not before it presents its secret", async () => {
    const email = "proved@example.com";
    auth.comeFrom("198.51.100.66");
    const link = await signUp(email, PASSWORD, owner());
    auth.comeFrom("203.0.113.7");
    const code = codeOf(await auth.call("GET", link));
    expect(await grant(email, PASSWORD)).toBe("invalid_credentials");
    expect((await exchange(code, "somebody else's secret")).body.error_code).toBe("bad_code_verifier");
    expect(await grant(email, PASSWORD)).toBe("invalid_credentials");
    const { status, body } = await exchange(code);
    expect([status, body.user.user_metadata.full_name]).toEqual([200, "Owner"]);
    expect(await grant(email, PASSWORD)).toBe("signed in");
  });

  it("unless a password was set before it presents its secret", async () => {
    const email = "set-meanwhile@example.com";
    const link = await signUp(email, STRANGERS, CHALLENGE);
    const code = codeOf(await auth.call("GET", link));
    await auth.call("POST", "/recover", { email });
    const { access_token } = await open(auth.linkTo(email));
    await auth.call("PUT", "/user", { password: PASSWORD }, access_token);
    expect((await exchange(code)).status).toBe(200);
    expect(await grant(email, PASSWORD)).toBe("signed in");
    expect(await grant(email, STRANGERS)).toBe("invalid_credentials");
  });

  it("and an administrator's account keeps its initial password", async () => {
    const email = "staff@example.com";
    await auth.call("POST", "/admin/users", { email, password: PASSWORD }, await auth.serviceKey());
    await auth.call("POST", "/resend", { type: "signup", email });
    await open(auth.linkTo(email));
    expect(await grant(email, PASSWORD)).toBe("signed in");
  });
});

describe("a stranger's sign-up leaves no password, though they share the owner's address, when the owner", () => {
  const data = { full_name: "Stranger" };

  it.each<[string, object, (link: string) => Promise<unknown>]>([
    ["opens its link without PKCE", {}, (link) => auth.call("GET", link)],
    ["opens its link with PKCE", strangersSecret, (link) => auth.call("GET", link)],
    [
      "sends its token from a page",
      {},
      (link) =>
        auth.call("POST", "/verify", {
          type: "signup",
          token_hash: new URL(link, "http://x").searchParams.get("token"),
        }),
    ],
    [
      "asks for another mail and opens that",
      {},
      async (link) => {
        const email = new URL(link, "http://x").searchParams.get("redirect_to")!.split("#")[1]!;
        await auth.call("POST", "/resend", { type: "signup", email });
        return auth.call("GET", auth.linkTo(email));
      },
    ],
    [
      "asks for another mail with a secret of their own",
      {},
      async (link) => {
        const email = new URL(link, "http://x").searchParams.get("redirect_to")!.split("#")[1]!;
        await auth.call("POST", "/resend", { type: "signup", email, ...CHALLENGE });
        return openInItsBrowser(auth.linkTo(email));
      },
    ],
  ])("%s", async (how, more, opened) => {
    const email = `${how.replaceAll(" ", "-").toLowerCase()}@example.com`;
    const asked = { email, password: STRANGERS, data, ...more };
    const path = `/signup?redirect_to=${encodeURIComponent(`http://localhost:3000/#${email}`)}`;
    expect((await auth.call("POST", path, asked)).status).toBe(200);
    auth.advance(61);
    await opened(auth.linkTo(email));
    expect(await grant(email, STRANGERS)).toBe("invalid_credentials");
    await auth.call("POST", "/recover", { email });
    const { access_token } = await open(auth.linkTo(email));
    const { body } = await auth.call("PUT", "/user", { password: PASSWORD }, access_token);
    expect(body.user_metadata).not.toHaveProperty("full_name");
    expect(await grant(email, PASSWORD)).toBe("signed in");
    expect(await grant(email, STRANGERS)).toBe("invalid_credentials");
  });

  it("recovers the account before it was ever confirmed", async () => {
    const email = "recovered@example.com";
    await signUp(email, STRANGERS, { data });
    await auth.call("POST", "/recover", { email });
    const { access_token } = await open(auth.linkTo(email));
    expect(await grant(email, STRANGERS)).toBe("invalid_credentials");
    const { body } = await auth.call("PUT", "/user", { password: PASSWORD }, access_token);
    expect(body.user_metadata).not.toHaveProperty("full_name");
    expect(await grant(email, PASSWORD)).toBe("signed in");
  });
});

it("signs the owner in by a link without PKCE and lets them set a password without another mail", async () => {
  const email = "plain@example.com";
  const { access_token, type } = await open(await signUp(email, PASSWORD));
  expect(type).toBe("signup");
  expect((await auth.call("PUT", "/user", { password: PASSWORD }, access_token)).status).toBe(200);
  expect(await grant(email, PASSWORD)).toBe("signed in");
});

it.each(["/signup", "/recover"])(
  "%s of a stranger does not keep the owner's own mail back within the minute",
  async (path) => {
    const email = `in-a-hurry-${path.slice(1)}@example.com`;
    for (const from of ["198.51.100.66", "203.0.113.7"]) {
      auth.comeFrom(from);
      if (path === "/recover" && from === "198.51.100.66") await auth.signedUp(email);
      const before = auth.mails.length;
      expect((await auth.call("POST", path, { email, password: PASSWORD })).status).toBe(200);
      expect(auth.mails).toHaveLength(before + 1);
    }
  },
);

describe("an address that has an account cannot be taken by a change", () => {
  it("and looks like any other to the caller, while its owner is notified", async () => {
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
    const toOwner = auth.mails.filter(({ to }) => to === "owner@example.com");
    expect(toOwner.at(-1)!.subject).toBe("Someone wanted to use your email address");
    expect(toOwner.at(-1)!.text).not.toContain("/verify");
    expect((await open(auth.linkTo("unused@example.com"))).access_token).toBeDefined();
  });
});
