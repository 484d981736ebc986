// A request may wait for seconds between the check of its account and its change. What happens to the account meanwhile counts.
import { TOTP } from "otpauth";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Answer, API, PASSWORD, startAuth, type TestAuth } from "../../../testing/auth.ts";
import { Authenticator } from "../../../testing/sign-in/authenticator.ts";

let auth: TestAuth;
/** Happens before the next transaction begins. */
let meanwhile: (() => Promise<unknown>) | undefined;
beforeAll(async () => {
  const environment = {
    GOTRUE_SECURITY_MANUAL_LINKING_ENABLED: "true",
    GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION: "true",
  };
  auth = await startAuth({}, { environment }, (database) => ({
    ...database,
    asService(why) {
      const service = database.asService(why);
      return {
        ...service,
        async transaction(work) {
          const first = meanwhile;
          meanwhile = undefined;
          await first?.();
          return service.transaction(work);
        },
      };
    },
  }));
});
afterAll(() => auth.close());
beforeEach(() => {
  meanwhile = undefined;
});

let people = 0;
interface Person {
  readonly email: string;
  readonly id: string;
  /** A session of whoever makes the request. */
  readonly token: string;
}
async function person(): Promise<Person> {
  const email = `meanwhile-${++people}@example.com`;
  const { access_token, user } = await auth.signedUp(email);
  return { email, id: user.id, token: access_token };
}
const signIn = async (email: string, password = PASSWORD) =>
  auth.call("POST", "/token?grant_type=password", { email, password });
const outcomeOf = ({ status, body }: Answer) => (status < 300 ? status : [status, body.error_code]);
const sql = (text: string, values: unknown[]) =>
  auth.database.asService("the test changes the account").query(text, values);

/** The person with a session that has taken the second step, and the id of its factor. */
async function withApp(): Promise<Person & { factor: string }> {
  const who = await person();
  const { body: app } = await auth.call("POST", "/factors", { factor_type: "totp" }, who.token);
  const challenge = await auth.call("POST", `/factors/${app.id}/challenge`, {}, who.token);
  const answer = { challenge_id: challenge.body.id, code: new TOTP({ secret: app.totp.secret }).generate() };
  const { body } = await auth.call("POST", `/factors/${app.id}/verify`, answer, who.token);
  return { ...who, token: body.access_token, factor: app.id };
}

const change =
  (body: object) =>
  ({ token }: Person) =>
  () =>
    auth.call("PUT", "/user", body, token);

type Request = () => Promise<Answer>;
const requests: [string, () => Promise<{ who: Person; request: Request }>][] = [
  [
    "a new password",
    async () => {
      const who = await person();
      return { who, request: change({ password: "the thief's own secret" })(who) };
    },
  ],
  [
    "a new address",
    async () => {
      const who = await person();
      return { who, request: change({ email: `thief-${people}@example.com` })(who) };
    },
  ],
  [
    "signing out elsewhere",
    async () => {
      const who = await person();
      return { who, request: () => auth.call("POST", "/logout?scope=others", undefined, who.token) };
    },
  ],
  [
    "a passkey",
    async () => {
      const who = await person();
      const { body } = await auth.call("POST", "/passkeys/registration/options", {}, who.token);
      const credential = new Authenticator(API).create(body.options);
      const given = { challenge_id: body.challenge_id, credential };
      return { who, request: () => auth.call("POST", "/passkeys/registration/verify", given, who.token) };
    },
  ],
  [
    "a passkey's removal",
    async () => {
      const who = await person();
      const { body } = await auth.call("POST", "/passkeys/registration/options", {}, who.token);
      const credential = new Authenticator(API).create(body.options);
      const given = { challenge_id: body.challenge_id, credential };
      const made = await auth.call("POST", "/passkeys/registration/verify", given, who.token);
      return { who, request: () => auth.call("DELETE", `/passkeys/${made.body.id}`, undefined, who.token) };
    },
  ],
  [
    "a second factor",
    async () => {
      const who = await person();
      return { who, request: () => auth.call("POST", "/factors", { factor_type: "totp" }, who.token) };
    },
  ],
  [
    "a second step",
    async () => {
      const who = await person();
      const { body: app } = await auth.call("POST", "/factors", { factor_type: "totp" }, who.token);
      const challenge = await auth.call("POST", `/factors/${app.id}/challenge`, {}, who.token);
      const code = new TOTP({ secret: app.totp.secret }).generate();
      const answer = { challenge_id: challenge.body.id, code };
      return { who, request: () => auth.call("POST", `/factors/${app.id}/verify`, answer, who.token) };
    },
  ],
  [
    "a second factor's removal",
    async () => {
      const who = await withApp();
      return { who, request: () => auth.call("DELETE", `/factors/${who.factor}`, undefined, who.token) };
    },
  ],
  ...(["", "/regenerate", "DELETE"] as const).map((what): (typeof requests)[number] => [
    `recovery codes ${what}`,
    async () => {
      const who = await withApp();
      const path = "/factors/recovery-codes";
      if (what !== "") await auth.call("POST", path, {}, who.token);
      const request = () =>
        what === "DELETE"
          ? auth.call("DELETE", path, undefined, who.token)
          : auth.call("POST", `${path}${what}`, {}, who.token);
      return { who, request };
    },
  ]),
  [
    "an identity's removal",
    async () => {
      const who = await person();
      await sql(
        `insert into auth.identities (provider_id, user_id, identity_data, provider, created_at, updated_at)
         values ($1::text, $1::uuid, '{"sub": "1"}', 'phone', now(), now())`,
        [who.id],
      );
      const { body } = await auth.call("GET", "/user", undefined, who.token);
      const { identity_id } = body.identities[0];
      return {
        who,
        request: () => auth.call("DELETE", `/user/identities/${identity_id}`, undefined, who.token),
      };
    },
  ],
];

describe.each(requests)("%s", (_, prepare) => {
  it.each([
    ["its session ends", "delete from auth.sessions where user_id = $1", "session_not_found"],
    [
      "its user is banned",
      "update auth.users set banned_until = now() + interval '1 day' where id = $1",
      "user_banned",
    ],
  ])("is refused when %s meanwhile", async (_what, statement, code) => {
    const { who, request } = await prepare();
    meanwhile = () => sql(statement, [who.id]);
    expect(outcomeOf(await request())).toEqual([403, code]);
  });

  it("is granted otherwise", async () => {
    const { request } = await prepare();
    expect(outcomeOf(await request())).toBeLessThan(300);
  });
});

describe("a new password", () => {
  it("does not replace one that the owner sets meanwhile", async () => {
    const { email, token } = await person();
    const owner = (await signIn(email)).body.access_token;
    const set = (password: string, by: string) =>
      auth.call("PUT", "/user", { password, current_password: PASSWORD }, by);
    meanwhile = () => set("the owner's new secret", owner);
    // The owner's change ends the other sessions, but not when it is the same one.
    expect(outcomeOf(await set("the thief's own secret", token))).toEqual([403, "session_not_found"]);
    meanwhile = () => change({ password: "the owner's newest secret" })({ email, id: "", token: owner })();
    expect(
      outcomeOf(await change({ password: "a second tab's" })({ email, id: "", token: owner })()),
    ).toEqual([409, "conflict"]);
    expect((await signIn(email, "the owner's newest secret")).status).toBe(200);
  });

  it("is refused to a session that loses its second step meanwhile", async () => {
    const { email, id, token } = await withApp();
    meanwhile = () => sql("update auth.sessions set aal = 'aal1' where user_id = $1", [id]);
    const password = "the thief's own secret";
    expect(outcomeOf(await auth.call("PUT", "/user", { password }, token))).toEqual([
      401,
      "insufficient_aal",
    ]);
    expect((await signIn(email)).status).toBe(200);
  });
});
