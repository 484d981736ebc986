import { afterEach, expect, it } from "vitest";
import type { AuthPolicy } from "../policy.ts";
import { PASSWORD, startAuth, type TestAuth } from "../../../testing/auth.ts";

let auth: TestAuth;
let close: (() => Promise<void>) | undefined;
afterEach(async () => {
  await close?.();
  close = undefined;
});

const start = async (requestsPerAddress?: AuthPolicy["requestsPerAddress"]) => {
  auth = await startAuth(requestsPerAddress && { requestsPerAddress });
  ({ close } = auth);
};
const signIn = (email: string, password = PASSWORD) =>
  auth.call("POST", "/token?grant_type=password", { email, password });
const REFUSED = {
  status: 429,
  body: { code: 429, error_code: "over_request_rate_limit", msg: "Request rate limit reached" },
};

it("lets a crowd behind one address sign in", async () => {
  await start();
  await auth.signedUp("crowd@example.com");
  const fifty = async (signInOf: (n: number) => ReturnType<typeof signIn>) => {
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => signInOf(n)));
    return new Set(answers.map(({ status }) => status));
  };
  // A wrong password counts as ten sign-ins, which would take ten times as long.
  for (let n = 0; n < 900; n += 500)
    expect(await fifty((each) => signIn(`mistyped${n + each}@example.com`, "a guess"))).toEqual(
      new Set([400]),
    );
  expect(await fifty(() => signIn("crowd@example.com"))).toEqual(new Set([200]));
});

it("refuses an address that sends too many requests until time has passed, but no other address", async () => {
  await start({ token: 5, verify: 5, mail: 5, user: 5, factor: 600 });
  const { refresh_token } = await auth.signedUp("often@example.com"); // the first two of five
  for (let n = 3; n <= 5; n++) expect((await signIn("often@example.com")).status).toBe(200);
  expect(await signIn("often@example.com")).toMatchObject(REFUSED);
  expect(await auth.call("POST", "/token?grant_type=refresh_token", { refresh_token })).toMatchObject(
    REFUSED,
  );
  auth.comeFrom("203.0.113.8");
  expect((await signIn("often@example.com")).status).toBe(200);
  auth.comeFrom("203.0.113.7");
  auth.advance(60); // a fifth of the window fills a fifth of the bucket
  expect((await signIn("often@example.com")).status).toBe(200);
  expect(await signIn("often@example.com")).toMatchObject(REFUSED);
});

it("counts a wrong password ten times", async () => {
  await start({ token: 50, verify: 5, mail: 5, user: 5, factor: 600 });
  await auth.signedUp("guessed@example.com");
  for (let n = 0; n < 5; n++) expect((await signIn("guessed@example.com", "a guess")).status).toBe(400);
  expect(await signIn("guessed@example.com")).toMatchObject(REFUSED);
});

it("counts requests about one's own account, a password as a sign-in and an address as a mail", async () => {
  await start({ token: 4, verify: 5, mail: 3, user: 6, factor: 600 });
  const { access_token } = await auth.signedUp("own@example.com"); // two of token, one of mail
  const change = (body: object) => auth.call("PUT", "/user", body, access_token);
  for (const word of ["one", "two"])
    expect((await change({ password: `a password ${word}` })).status).toBe(200);
  expect(await change({ password: "a password three" })).toMatchObject(REFUSED);
  expect((await change({ email: "new@example.com" })).status).toBe(200);
  expect((await change({ email: "newer@example.com" })).status).toBe(429); // one minute between two mails
  expect(await change({ email: "newest@example.com" })).toMatchObject(REFUSED);
  const others = [
    await change({ data: { name: "Ana" } }),
    await auth.call("GET", "/user", undefined, access_token),
    await auth.call("POST", "/logout", {}, access_token),
  ];
  for (const answer of others) expect(answer).toMatchObject(REFUSED);
  auth.comeFrom("203.0.113.8");
  expect((await auth.call("POST", "/logout", {}, access_token)).status).toBe(204);
});

it("counts requested mails and opened links separately", async () => {
  await start({ token: 5, verify: 2, mail: 3, user: 5, factor: 600 });
  await auth.call("POST", "/signup", { email: "mails@example.com", password: PASSWORD });
  for (const path of ["/recover", "/resend"]) {
    const answer = await auth.call("POST", path, { email: "nobody@example.com", type: "signup" });
    expect(answer.status).toBe(200);
  }
  for (const path of ["/recover", "/resend", "/signup"]) {
    const body = { email: "nobody@example.com", type: "signup", password: PASSWORD };
    expect(await auth.call("POST", path, body)).toMatchObject(REFUSED);
  }
  const guess = { type: "signup", token_hash: "guess" };
  for (let n = 0; n < 2; n++) expect((await auth.call("POST", "/verify", guess)).status).toBe(403);
  expect(await auth.call("POST", "/verify", guess)).toMatchObject(REFUSED);
  const link = await auth.call("GET", auth.linkTo("mails@example.com"));
  expect(link.headers.get("location")).toContain("error_code=over_request_rate_limit");
});

it.each([false, true])(
  "limits this machine's own addresses only where that is set: %s",
  async (limitsThisMachine) => {
    auth = await startAuth(
      { requestsPerAddress: { token: 5, verify: 2, mail: 5, user: 5, factor: 600 } },
      { limitsThisMachine },
    );
    ({ close } = auth);
    const guess = async () =>
      (await auth.call("POST", "/verify", { type: "signup", token_hash: "guess" })).status;
    for (const ip of ["127.0.0.1", "::1"]) {
      auth.comeFrom(ip);
      expect([await guess(), await guess(), await guess()]).toEqual([
        403,
        403,
        limitsThisMachine ? 429 : 403,
      ]);
    }
  },
);

it("lets a sign-in pass ahead of the passwords that 32 other addresses guess", async () => {
  auth = await startAuth({ passwordCost: 8 });
  ({ close } = auth);
  await auth.signedUp("honest@example.com");
  let guessed = 0;
  const guesses = () =>
    Array.from({ length: 32 }, async (_, at) => {
      auth.comeFrom(`198.51.100.${at + 1}`);
      const { status } = await signIn(`nobody${at}@example.com`, "a guess");
      guessed += 1;
      expect(status).toBe(400);
    });
  await Promise.all(guesses());
  guessed = 0;
  const rush = [...guesses(), ...guesses()];
  await expect.poll(() => guessed).toBeGreaterThan(4); // by then the others wait for a thread
  auth.comeFrom("203.0.113.7");
  const before = guessed;
  expect((await signIn("honest@example.com")).status).toBe(200);
  // With equal priority, one request of each address would come first.
  expect(guessed - before).toBeLessThan(16);
  await Promise.all(rush);
});
