import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PASSWORD, startAuth, type TestAuth } from "../../../testing/auth.ts";

let auth: TestAuth;
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
const grant = async (email: string, password: string) => {
  const { status, body } = await tried(email, password);
  return status === 200 ? 200 : [status, body.error_code];
};
const WRONG = [400, "invalid_credentials"];
const WAIT = [429, "over_request_rate_limit"];

it.each(["guessed@example.com", "unknown@example.com"])(
  "makes guesses for %s wait, whatever networks they come from",
  async (email) => {
    if (email.startsWith("guessed")) await auth.signedUp(email);
    for (let guess = 1; guess <= 5; guess++) expect(await grant(email, `guess ${guess}`)).toEqual(WRONG);
    expect(await grant(email, "guess 6")).toEqual(WAIT);
    auth.advance(2);
    expect(await grant(email, "guess 6")).toEqual(WRONG);
    auth.advance(1);
    expect(await grant(email, "guess 7")).toEqual(WAIT);
    for (let guess = 8; guess < 20; guess++) {
      auth.advance(301);
      expect(await grant(email, `guess ${guess}`)).toEqual(WRONG);
      auth.advance(guess > 14 ? 299 : 1);
      expect(await grant(email, `guess ${guess}`)).toEqual(WAIT);
    }
    auth.advance(301);
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
  auth.advance(301);
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
