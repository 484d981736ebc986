// Guesses sent at once are limited like guesses sent one after the other, whatever is guessed and whichever process is asked.
import { TOTP } from "otpauth";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { type Answer, PASSWORD, startAuth, type TestAuth } from "../../../testing/auth.ts";

const ALLOWANCE = 5;
const HOME = "203.0.113.7";
const STRANGER = "198.51.100.66";

let auth: TestAuth;
/** Another process on the same database. */
let other: TestAuth;
beforeAll(async () => {
  const environment = { GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION: "true" };
  auth = await startAuth({}, { environment });
  other = await startAuth({}, { environment }, () => auth.database);
});
afterAll(async () => {
  await other?.close();
  await auth?.close();
});

const token = (email: string, password: string, at = auth) =>
  at.call("POST", "/token?grant_type=password", { email, password });

/** How many answers there were of each kind, and what the right guess got. */
async function atOnce(
  count: number,
  right: number,
  guess: (isRight: boolean, index: number) => Promise<Answer>,
) {
  // A wait is a second or more: none must end while the guesses are under way.
  vi.useFakeTimers({ now: Date.now(), toFake: ["Date"] });
  const answers = await Promise.all(
    Array.from({ length: count }, (_, index) => guess(index === right, index)),
  );
  vi.useRealTimers();
  const of = ({ status, body }: Answer) => (status === 200 ? "200" : `${status} ${body.error_code}`);
  const kinds: Record<string, number> = {};
  for (const answer of answers) kinds[of(answer)] = (kinds[of(answer)] ?? 0) + 1;
  return { kinds, right: of(answers[right]!) };
}
const WAIT = "429 over_request_rate_limit";
const limited = (count: number, wrong: string) => ({
  kinds: { [wrong]: ALLOWANCE, [WAIT]: count - ALLOWANCE },
  right: WAIT,
});

/** A stranger's session after the first step, and a challenge of the owner's app. */
async function secondStep(email: string) {
  auth.comeFrom(HOME);
  const { access_token } = await auth.signedUp(email);
  const { body: app } = await auth.call("POST", "/factors", { factor_type: "totp" }, access_token);
  const totp = new TOTP({ secret: app.totp.secret });
  const challengeFor = async (bearer: string) =>
    (await auth.call("POST", `/factors/${app.id}/challenge`, {}, bearer)).body.id as string;
  const verify = (bearer: string, challenge_id: string, code: string) =>
    auth.call("POST", `/factors/${app.id}/verify`, { challenge_id, code }, bearer);
  const enrolled = await verify(access_token, await challengeFor(access_token), totp.generate());
  expect(enrolled.status).toBe(200);
  auth.comeFrom(STRANGER);
  const bearer = (await token(email, PASSWORD)).body.access_token as string;
  const challenge = await challengeFor(bearer);
  return {
    // The next half minute's, which is accepted already: this one's is used.
    code: totp.generate({ timestamp: Date.now() + 30_000 }),
    verify: (code: string) => verify(bearer, challenge, code),
  };
}

it("judges five codes of a second step", async () => {
  const { code, verify } = await secondStep("second-step@example.com");
  const outcome = await atOnce(200, 150, (isRight) => verify(isRight ? code : "000000"));
  expect(outcome).toEqual(limited(200, "422 mfa_verification_failed"));
});

it.each(["guessed@example.com", "nobody@example.com"])("judges five passwords of %s", async (email) => {
  auth.comeFrom(HOME);
  if (email.startsWith("guessed")) await auth.signedUp(email);
  auth.comeFrom(STRANGER);
  const outcome = await atOnce(100, 60, (isRight, index) =>
    token(email, isRight ? PASSWORD : `guess ${index}`),
  );
  expect(outcome).toEqual(limited(100, "400 invalid_credentials"));
});

it("judges five passwords when two processes are asked", async () => {
  const email = "two-processes@example.com";
  auth.comeFrom(HOME);
  await auth.signedUp(email);
  for (const at of [auth, other]) at.comeFrom(STRANGER);
  const outcome = await atOnce(100, 60, (isRight, index) =>
    token(email, isRight ? PASSWORD : `guess ${index}`, index % 2 === 0 ? auth : other),
  );
  expect(outcome).toEqual(limited(100, "400 invalid_credentials"));
});

it("judges one more after each wait", async () => {
  const email = "patient@example.com";
  auth.comeFrom(HOME);
  await auth.signedUp(email);
  auth.comeFrom(STRANGER);
  await atOnce(20, 19, (_, index) => token(email, `guess ${index}`));
  auth.advance(2);
  const { kinds } = await atOnce(20, 19, (isRight, index) =>
    token(email, isRight ? PASSWORD : `guess ${index}`),
  );
  expect(kinds).toEqual({ "400 invalid_credentials": 1, [WAIT]: 19 });
});

it("judges five current passwords of whoever sits at a signed-in computer", async () => {
  auth.comeFrom(HOME);
  const { access_token } = await auth.signedUp("current@example.com");
  const outcome = await atOnce(60, 40, (isRight, index) => {
    const current_password = isRight ? PASSWORD : `guess ${index}`;
    return auth.call("PUT", "/user", { password: "a brand new secret", current_password }, access_token);
  });
  expect(outcome).toEqual(limited(60, "400 invalid_credentials"));
});

it("does not name the current password among new ones sent at once", async () => {
  auth.comeFrom(HOME);
  const { access_token } = await auth.signedUp("named@example.com");
  const outcome = await atOnce(24, 17, (isRight, index) =>
    auth.call("PUT", "/user", { password: isRight ? PASSWORD : `candidate number ${index}` }, access_token),
  );
  expect(outcome).toEqual({ kinds: { 200: 1, "409 conflict": 23 }, right: "409 conflict" });
});

it("compares five new passwords with the current one while none of them is stored", async () => {
  auth.comeFrom(HOME);
  const { access_token } = await auth.signedUp("compared@example.com");
  const half = "x".repeat(3000); // of what a token may carry, more than half
  await auth.call("PUT", "/user", { data: { half } }, access_token);
  const kinds: string[] = [];
  for (let index = 0; index < 6; index++) {
    const password = index === 5 ? PASSWORD : `candidate number ${index}`;
    const { status, body } = await auth.call(
      "PUT",
      "/user",
      { password, data: { more: half } },
      access_token,
    );
    kinds.push(`${status} ${body.error_code}`);
  }
  expect(kinds).toEqual([...Array.from({ length: 5 }, () => "400 validation_failed"), WAIT]);
});

it("judges five mailed codes, and five nonces", async () => {
  const email = "coded@example.com";
  auth.comeFrom(HOME);
  const { access_token } = await auth.signedUp(email);
  await auth.call("POST", "/otp", { email });
  const code = auth.codeTo(email);
  auth.comeFrom(STRANGER);
  const verified = await atOnce(100, 60, (isRight) =>
    auth.call("POST", "/verify", { type: "email", email, token: isRight ? code : "000000" }),
  );
  expect(verified).toEqual(limited(100, "403 otp_expired"));

  auth.comeFrom(HOME);
  await auth.call("GET", "/reauthenticate", undefined, access_token);
  const nonce = auth.codeTo(email);
  auth.advance(1000); // the session is no longer fresh
  const changed = await atOnce(60, 40, (isRight) => {
    const body = { password: "a brand new secret", nonce: isRight ? nonce : "000000" };
    return auth.call("PUT", "/user", body, access_token);
  });
  expect(changed).toEqual(limited(60, "422 reauthentication_not_valid"));
});

it.each([0, 4])("lets the owner in who signs in ten times at once, after %i slips", async (slips) => {
  const email = `busy-${slips}@example.com`;
  auth.comeFrom(HOME);
  await auth.signedUp(email);
  for (let slip = 0; slip < slips; slip++) await token(email, `slip ${slip}`);
  expect(await atOnce(10, 9, () => token(email, PASSWORD))).toEqual({ kinds: { 200: 10 }, right: "200" });
});

it("does not count a right password of an account that may not sign in yet", async () => {
  const email = "unconfirmed@example.com";
  await auth.call("POST", "/signup", { email, password: PASSWORD });
  const outcome = await atOnce(12, 11, () => token(email, PASSWORD));
  expect(outcome.kinds).toEqual({ "400 email_not_confirmed": 12 });
  expect((await token(email, PASSWORD)).body.error_code).toBe("email_not_confirmed");
});
