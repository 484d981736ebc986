import { TOTP } from "otpauth";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Answer, PASSWORD, startAuth, type TestAuth } from "../../../testing/auth.ts";

let auth: TestAuth;
/** Milliseconds the clock is ahead of the real one. */
let ahead = 0;
const advance = (seconds: number) => {
  auth.advance(seconds);
  ahead += seconds * 1000;
};
beforeAll(async () => {
  auth = await startAuth({ guessesFromEverywhere: 5 });
});
afterAll(() => auth.close());

let address = 0;
/** Each attempt comes from a new address. */
const tried = (email: string, password: string) => {
  address += 1;
  auth.comeFrom(`198.51.${Math.floor(address / 250)}.${(address % 250) + 1}`);
  return auth.call("POST", "/token?grant_type=password", { email, password });
};
const outcomeOf = ({ status, body }: Answer) => (status === 200 ? 200 : [status, body.error_code]);
const grant = async (email: string, password: string) => outcomeOf(await tried(email, password));

/** Verifies an authenticator app. Returns what answers a challenge of it. */
async function withApp(bearer: string) {
  const { body: app } = await auth.call("POST", "/factors", { factor_type: "totp" }, bearer);
  const totp = new TOTP({ secret: app.totp.secret });
  const answer = async (by: string, code: string) => {
    const challenge = await auth.call("POST", `/factors/${app.id}/challenge`, {}, by);
    return auth.call("POST", `/factors/${app.id}/verify`, { challenge_id: challenge.body.id, code }, by);
  };
  const codeIn = (seconds: number) => totp.generate({ timestamp: Date.now() + ahead + seconds * 1000 });
  const { status, body } = await answer(bearer, codeIn(0));
  expect(status).toBe(200);
  // The next half minute's, which is accepted already: this one's is used.
  return { answer, code: () => codeIn(30), token: body.access_token as string };
}
const WRONG = [400, "invalid_credentials"];
const WAIT = [429, "over_request_rate_limit"];

it.each(["guessed@example.com", "unknown@example.com"])(
  "makes guesses for %s wait, whatever networks they come from",
  async (email) => {
    if (email.startsWith("guessed")) await auth.signedUp(email);
    for (let guess = 1; guess <= 5; guess++) expect(await grant(email, `guess ${guess}`)).toEqual(WRONG);
    expect(await grant(email, "guess 6")).toEqual(WAIT);
    advance(2);
    expect(await grant(email, "guess 6")).toEqual(WRONG);
    advance(1);
    expect(await grant(email, "guess 7")).toEqual(WAIT);
    for (let guess = 8; guess < 20; guess++) {
      advance(301);
      expect(await grant(email, `guess ${guess}`)).toEqual(WRONG);
      advance(guess > 14 ? 299 : 1);
      expect(await grant(email, `guess ${guess}`)).toEqual(WAIT);
    }
    advance(301);
    const wrong = await tried(email, "guess 20");
    expect([wrong.status, wrong.headers.get("retry-after")]).toEqual([400, null]);
    const wait = Number((await tried(email, "guess 20")).headers.get("retry-after"));
    expect(wait).toBeGreaterThan(200);
    expect(wait).toBeLessThanOrEqual(300);
  },
);

it("lets the owner in from a network they have used before, and forgets the guesses", async () => {
  const email = "owner@example.com";
  auth.comeFrom("203.0.113.7");
  await auth.signedUp(email);
  for (let guess = 1; guess <= 5; guess++) await grant(email, `guess ${guess}`);
  expect(await grant(email, PASSWORD)).toEqual(WAIT);
  auth.comeFrom("203.0.113.7");
  const { status } = await auth.call("POST", "/token?grant_type=password", { email, password: PASSWORD });
  expect(status).toBe(200);
  advance(301);
  expect(await grant(email, PASSWORD)).toBe(200);
  expect(await grant(email, "a slip")).toEqual(WRONG);
  expect(await grant(email, PASSWORD)).toBe(200);
});

it("lets the owner type the code of a mail that strangers have guessed at", async () => {
  const email = "code-owner@example.com";
  auth.comeFrom("203.0.113.8");
  await auth.signedUp(email);
  for (let guess = 1; guess <= 6; guess++) {
    auth.comeFrom(`198.51.99.${guess}`);
    await auth.call("POST", "/verify", { type: "email", email, token: "000000" });
  }
  auth.comeFrom("203.0.113.8");
  await auth.call("POST", "/otp", { email });
  const token = /\b\d{6}\b/.exec(auth.mails.findLast(({ to }) => to === email)!.text)![0];
  expect((await auth.call("POST", "/verify", { type: "email", email, token })).status).toBe(200);
});

it("refuses the right password among many guesses sent at once", async () => {
  const email = "at-once@example.com";
  auth.comeFrom("203.0.113.7");
  await auth.signedUp(email);
  const guesses = Array.from({ length: 30 }, (_, guess) => grant(email, `guess ${guess}`));
  const outcomes = await Promise.all([...guesses, grant(email, PASSWORD)]);
  expect(outcomes.at(-1)).toEqual(WAIT);
});

it.each([
  ["second step", (id: string) => `second step of ${id}`],
  ["mailed code", (_id: string, email: string) => `code ${email}`],
  ["password", (_id: string, email: string) => `${email} 192.0.2.44`],
])("does not mistake a typed text for an owner's %s", async (what, typed) => {
  const email = `typed-${what.replace(" ", "-")}@example.com`;
  auth.comeFrom("192.0.2.44");
  const { access_token, user } = await auth.signedUp(email);
  const app = await withApp(access_token);
  const signIn = (address: string, password: string) =>
    auth.call("POST", "/token?grant_type=password", { email: address, password });
  for (let guess = 1; guess <= 6; guess++) await signIn(typed(user.id, email), "a guess");
  const { status, body } = await signIn(email, PASSWORD);
  expect(status).toBe(200);
  expect(outcomeOf(await app.answer(body.access_token, app.code()))).toBe(200);
  await auth.call("POST", "/otp", { email });
  const coded = { type: "email", email, token: auth.codeTo(email) };
  expect(outcomeOf(await auth.call("POST", "/verify", coded))).toBe(200);
});

describe("someone who knows the password", () => {
  const HOME = "203.0.113.9";
  const signIn = (email: string) =>
    auth.call("POST", "/token?grant_type=password", { email, password: PASSWORD });
  let networks = 0;
  const moveOn = () => auth.comeFrom(`192.0.2.${(networks += 1)}`);

  it.each(["a new session on each network", "one session that moves along"])(
    "guesses five times at the second step from many networks, with %s",
    async (how) => {
      const email = `step-${networks}@example.com`;
      auth.comeFrom(HOME);
      const app = await withApp((await auth.signedUp(email)).access_token);
      moveOn();
      let session = (await signIn(email)).body;
      const guess = async () => {
        moveOn();
        const { refresh_token } = session;
        session = how.startsWith("one")
          ? (await auth.call("POST", "/token?grant_type=refresh_token", { refresh_token })).body
          : (await signIn(email)).body;
        return outcomeOf(await app.answer(session.access_token, "000000"));
      };
      for (let n = 1; n <= 5; n++) expect(await guess()).toEqual([422, "mfa_verification_failed"]);
      expect(await guess()).toEqual(WAIT);
      auth.comeFrom(HOME);
      expect(outcomeOf(await app.answer((await signIn(email)).body.access_token, app.code()))).toBe(200);
    },
  );
});

it.each([
  ["current_password", [400, "invalid_credentials"]],
  ["nonce", [422, "reauthentication_not_valid"]],
])("makes a stolen session wait after five guesses at a %s from many networks", async (what, wrong) => {
  auth.comeFrom("203.0.113.10");
  let session: { access_token: string; refresh_token: string } = await auth.signedUp(`${what}@example.com`);
  advance(1000); // the session is no longer fresh
  const guess = async (network: number) => {
    auth.comeFrom(`198.51.98.${network}`);
    const { refresh_token } = session;
    session = (await auth.call("POST", "/token?grant_type=refresh_token", { refresh_token })).body;
    const change = { password: "a brand new secret", [what]: "000000" };
    return outcomeOf(await auth.call("PUT", "/user", change, session.access_token));
  };
  for (let network = 1; network <= 5; network++) expect(await guess(network)).toEqual(wrong);
  expect(await guess(6)).toEqual(WAIT);
});

it("makes a stolen session wait after five guesses at the code of its change of address", async () => {
  auth.comeFrom("203.0.113.11");
  const email = "moved-away@example.com";
  let session: { access_token: string; refresh_token: string } = await auth.signedUp(email);
  advance(61);
  const moving = await auth.call("PUT", "/user", { email: "thief-home@example.com" }, session.access_token);
  expect(moving.status).toBe(200);
  const guess = async (network: number) => {
    auth.comeFrom(`198.51.97.${network}`);
    const { refresh_token } = session;
    session = (await auth.call("POST", "/token?grant_type=refresh_token", { refresh_token })).body;
    return outcomeOf(await auth.call("POST", "/verify", { type: "email_change", email, token: "000000" }));
  };
  for (let network = 1; network <= 5; network++) expect(await guess(network)).toEqual([403, "otp_expired"]);
  expect(await guess(6)).toEqual(WAIT);
});

it("keeps the nonce of a request that has to wait", async () => {
  const email = "patient@example.com";
  const { access_token } = await auth.signedUp(email);
  advance(1000); // the session is no longer fresh
  const change = async (body: object) => outcomeOf(await auth.call("PUT", "/user", body, access_token));
  for (let guess = 1; guess <= 5; guess++)
    expect(await change({ password: PASSWORD, current_password: PASSWORD })).toEqual([422, "same_password"]);
  await auth.call("GET", "/reauthenticate", undefined, access_token);
  const wanted = { password: "a brand new secret", nonce: auth.codeTo(email) };
  expect(await change(wanted)).toEqual(WAIT);
  advance(61);
  expect(await change(wanted)).toBe(200);
});

describe("one stranger's guesses", () => {
  const from = async (ip: string, email: string, password: string) => {
    auth.comeFrom(ip);
    const { status, body } = await auth.call("POST", "/token?grant_type=password", { email, password });
    return status === 200 ? 200 : [status, body.error_code];
  };
  const STRANGER = "198.51.100.66";

  it.each(["one after the other", "at once"])(
    "%s make only the stranger wait, not the owner at a new address",
    async (how) => {
      const patient = auth;
      auth = await startAuth();
      try {
        const email = "administrator@example.com";
        auth.comeFrom("203.0.113.7");
        const { access_token } = await auth.signedUp(email);
        await auth.call("POST", "/logout?scope=global", undefined, access_token);
        if (how === "at once") {
          const guesses = Array.from({ length: 150 }, (_, guess) => from(STRANGER, email, `guess ${guess}`));
          await Promise.all(guesses);
        }
        for (let guess = 1; guess <= 8; guess++) await from(STRANGER, email, `guess ${guess}`);
        expect(await from(STRANGER, email, PASSWORD)).toEqual(WAIT);
        expect(await from("192.0.2.9", email, PASSWORD)).toBe(200);
        expect(await from(STRANGER, email, PASSWORD)).toEqual(WAIT);
      } finally {
        await auth.close();
        auth = patient;
      }
    },
    60_000,
  );
});

describe("the log of refused sign-ins", () => {
  const lines: string[] = [];
  const silent = () => {};
  const warn = (_fields: object, message: string) => lines.push(message);
  let own: TestAuth;
  beforeAll(async () => {
    own = await startAuth({}, { log: { debug: silent, info: silent, warn, error: silent } });
  });
  afterAll(() => own.close());
  const signIn = (email: string, password: string) =>
    own.call("POST", "/token?grant_type=password", { email, password });

  it("warns of a wrong password, and of a correct one for an account that may not sign in", async () => {
    await signIn("nobody@example.com", "a guess");
    expect(lines.splice(0)).toEqual(["a wrong password"]);
    await own.call("POST", "/signup", { email: "unconfirmed@example.com", password: PASSWORD });
    expect((await signIn("unconfirmed@example.com", PASSWORD)).body.error_code).toBe("email_not_confirmed");
    expect(lines).toEqual(["a sign-in was refused"]);
  });
});
