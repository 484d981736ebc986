// A nonce replaces a fresh sign-in, for its own user, once.
import { beforeEach, expect, it } from "vitest";
import { useAuth } from "../../../testing/auth.ts";

const auth = await useAuth();
beforeEach(() => auth.comeFrom("203.0.113.7"));

/** A session too old to set a password without further proof. */
async function staleSession(email: string) {
  const { access_token } = await auth.signedUp(email);
  auth.advance(901);
  return access_token;
}
const ask = (token: string) => auth.call("GET", "/reauthenticate", undefined, token);
const change = (token: string, password: string, nonce?: string) =>
  auth.call("PUT", "/user", { password, ...(nonce !== undefined && { nonce }) }, token);
const NOT_VALID = {
  status: 422,
  body: { error_code: "reauthentication_not_valid", msg: "Nonce has expired or is invalid" },
};

it("sets a password in an old session with the mailed nonce, once, and notifies the owner", async () => {
  const email = "nonce@example.com";
  const token = await staleSession(email);
  expect(await change(token, "candy paint")).toMatchObject({
    status: 400,
    body: { error_code: "reauthentication_needed" },
  });
  expect(await ask(token)).toMatchObject({ status: 200, body: {} });
  const mail = auth.mails.at(-1)!;
  expect(mail.text).not.toContain("/verify");
  const nonce = auth.codeTo(email);
  expect((await change(token, "candy paint", nonce)).status).toBe(200);
  expect(auth.mails.at(-1)).toMatchObject({ to: email, subject: "Your password was changed" });
  expect(await change(token, "another paint", nonce)).toMatchObject(NOT_VALID);
});

it("refuses another user's nonce, one issued for another purpose, and one older than an hour", async () => {
  const [mine, theirs] = [
    await staleSession("my-nonce@example.com"),
    await staleSession("their-nonce@example.com"),
  ];
  await ask(theirs);
  const nonce = auth.codeTo("their-nonce@example.com");
  expect(await change(mine, "candy paint", nonce)).toMatchObject(NOT_VALID);
  await auth.call("POST", "/otp", { email: "my-nonce@example.com" });
  expect(await change(mine, "candy paint", auth.codeTo("my-nonce@example.com"))).toMatchObject(NOT_VALID);
  const typed = { email: "their-nonce@example.com", token: nonce };
  expect((await auth.call("POST", "/verify", { ...typed, type: "email" })).body.error_code).toBe(
    "otp_expired",
  );
  auth.advance(2600);
  await ask(mine);
  const late = auth.codeTo("my-nonce@example.com");
  auth.advance(3601);
  const { access_token } = (
    await auth.call("POST", "/token?grant_type=password", {
      email: "my-nonce@example.com",
      password: "swangas and vogues",
    })
  ).body;
  auth.advance(901);
  expect(await change(access_token, "candy paint", late)).toMatchObject(NOT_VALID);
});

it("limits the guesses at a nonce", async () => {
  const email = "guessed-nonce@example.com";
  const token = await staleSession(email);
  await ask(token);
  const nonce = auth.codeTo(email);
  const wrong = String((Number(nonce) + 1) % 1_000_000).padStart(6, "0");
  for (let n = 0; n < 5; n++) expect(await change(token, "candy paint", wrong)).toMatchObject(NOT_VALID);
  auth.comeFrom("198.51.100.9");
  expect(await change(token, "candy paint", nonce)).toMatchObject(NOT_VALID);
});

it("sends a nonce once a minute, only to a signed-in user, and not where none is needed", async () => {
  const token = await staleSession("often-nonce@example.com");
  expect((await ask(token)).status).toBe(200);
  const again = await ask(token);
  expect([again.status, again.body.error_code]).toEqual([429, "over_email_send_rate_limit"]);
  expect(Number(again.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await auth.call("GET", "/reauthenticate")).status).toBe(401);
  auth.set({ GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION: "false" });
  expect((await change(token, "candy paint")).status).toBe(200);
});
