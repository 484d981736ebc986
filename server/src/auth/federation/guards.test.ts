// What a provider must not do: take over an account's address, be nameless, or send claims that break the shop.
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { SignJWT, exportJWK } from "jose";
import { TOTP } from "otpauth";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PASSWORD, startAuth, type TestAuth } from "../../../testing/auth.ts";

let auth: TestAuth;
let server: Server;
let issuer = "";
let key: KeyObject;

/** An issuer whose tokens say whatever a test needs. */
beforeAll(async () => {
  const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
  key = pair.privateKey;
  const jwk = { ...(await exportJWK(pair.publicKey)), alg: "ES256", kid: "one" };
  server = createServer((request, response) => {
    const answer = request.url === "/keys" ? { keys: [jwk] } : { issuer, jwks_uri: `${issuer}/keys` };
    response.setHeader("content-type", "application/json").end(JSON.stringify(answer));
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  auth = await startAuth(
    {},
    {
      environment: {
        GOTRUE_EXTERNAL_ALLOWED_ID_TOKEN_ISSUERS: issuer,
        GOTRUE_SECURITY_MANUAL_LINKING_ENABLED: "true",
      },
    },
  );
});
afterAll(async () => {
  await auth.close();
  await new Promise((closed) => server.close(closed));
});

const tokenOf = (claims: Record<string, unknown>) =>
  new SignJWT({ iss: issuer, aud: "app", email_verified: true, ...claims })
    .setProtectedHeader({ alg: "ES256", kid: "one" })
    .setIssuedAt()
    .setExpirationTime("10m")
    .sign(key);

async function bring(claims: Record<string, unknown>, more: object = {}, bearer?: string) {
  const grant = { id_token: await tokenOf(claims), client_id: "app", issuer, ...more };
  return auth.call("POST", "/token?grant_type=id_token", grant, bearer);
}

const service = () => auth.database.asService("a test looks at accounts");
const accounts = async (email: string) =>
  (await service().query("select id from auth.users where email ilike $1", [`%${email}%`])).rows.length;
const identities = async (token: string): Promise<{ identity_id: string; provider: string }[]> =>
  (await auth.call("GET", "/user", undefined, token)).body.identities;
const signIn = async (email: string): Promise<string> =>
  (await auth.call("POST", "/token?grant_type=password", { email, password: PASSWORD })).body.access_token;

async function verifyApp(token: string): Promise<string> {
  const { body } = await auth.call("POST", "/factors", { factor_type: "totp", friendly_name: "App" }, token);
  const challenge = await auth.call("POST", `/factors/${body.id}/challenge`, {}, token);
  const code = new TOTP({ secret: body.totp.secret }).generate();
  const answer = { challenge_id: challenge.body.id, code };
  return (await auth.call("POST", `/factors/${body.id}/verify`, answer, token)).body.access_token;
}

describe("an account's address", () => {
  it("stays when the identity it came with is removed, whatever was linked before", async () => {
    const { access_token: token } = await auth.signedUp("stays@example.com");
    const linked = await bring({ sub: "thief", email: "thief@example.com" }, { link_identity: true }, token);
    expect(linked.status).toBe(200);
    const own = (await identities(token)).find(({ provider }) => provider === "email")!;
    expect((await auth.call("DELETE", `/user/identities/${own.identity_id}`, undefined, token)).status).toBe(
      200,
    );
    const { body } = await auth.call("GET", "/user", undefined, token);
    expect([body.email, body.app_metadata.providers]).toEqual(["stays@example.com", [issuer]]);
    expect((await auth.call("POST", "/recover", { email: "thief@example.com" })).status).toBe(200);
    expect(auth.mails.some(({ to }) => to === "thief@example.com")).toBe(false);
  });

  it("requires the second step before anything is linked or unlinked", async () => {
    const { access_token: first } = await auth.signedUp("two-steps@example.com");
    const linked = await bring({ sub: "two-1", email: "two-1@example.com" }, { link_identity: true }, first);
    expect(linked.status).toBe(200);
    const high = await verifyApp(linked.body.access_token);
    const low = await signIn("two-steps@example.com");
    const more = { sub: "two-2", email: "two-2@example.com" };
    expect((await bring(more, { link_identity: true }, low)).body.error_code).toBe("insufficient_aal");
    const begun = await auth.call("GET", "/user/identities/authorize?provider=google", undefined, low);
    expect(begun.body.error_code).toBe("insufficient_aal");
    const [one] = await identities(low);
    const gone = await auth.call("DELETE", `/user/identities/${one!.identity_id}`, undefined, low);
    expect(gone.body.error_code).toBe("insufficient_aal");
    expect((await bring(more, { link_identity: true }, high)).status).toBe(200);
  });
});

describe("the owner is told by mail", () => {
  const told = (email: string) =>
    auth.mails
      .filter(({ to }) => to === email)
      .flatMap(({ subject }) => (/way to sign in/.test(subject) ? [subject] : []));

  it("when an identity is linked or unlinked", async () => {
    const { access_token: token } = await auth.signedUp("told@example.com");
    await bring({ sub: "told", email: "told-too@example.com" }, { link_identity: true }, token);
    expect(told("told@example.com")).toEqual(["A way to sign in was added"]);
    const other = (await identities(token)).find(({ provider }) => provider === issuer)!;
    await auth.call("DELETE", `/user/identities/${other.identity_id}`, undefined, token);
    expect(told("told@example.com")).toEqual(["A way to sign in was added", "A way to sign in was removed"]);
    expect(told("told-too@example.com")).toEqual([]);
  });

  it("when an identity joins by its address, once", async () => {
    await auth.signedUp("joined@example.com");
    for (let time = 0; time < 2; time++) await bring({ sub: "joined", email: "joined@example.com" });
    expect(told("joined@example.com")).toEqual(["A way to sign in was added"]);
  });

  it("unless that is switched off", async () => {
    const reset = auth.set({ GOTRUE_MAILER_NOTIFICATIONS_IDENTITY_LINKED_ENABLED: "false" });
    const { access_token: token } = await auth.signedUp("untold@example.com");
    await bring({ sub: "untold", email: "untold-too@example.com" }, { link_identity: true }, token);
    reset();
    expect(told("untold@example.com")).toEqual([]);
  });
});

describe("an id token", () => {
  it.each([[111], [true], [["a"]], [{}], [""], ["n\0l"], ["x".repeat(257)]])(
    "names its person in text: not %j",
    async (sub) => {
      const answer = await bring({ sub, email: "nameless@example.com" });
      expect(answer.status).toBe(400);
      expect(await accounts("nameless")).toBe(0);
    },
  );

  it.each([
    "crlf@example.com\r\nBcc: evil@example.com",
    "odd1@example.com, odd2@example.com",
    "Odd <odd3@example.com>",
    "not an address odd",
    "odd\0@example.com",
    `${"odd".repeat(1000)}@example.com`,
  ])("brings at most one address: not %j", async (email) => {
    const answer = await bring({ sub: "odd", email });
    expect([answer.status, answer.body.error_description ?? answer.body.msg]).toEqual([400, "Bad ID token"]);
    expect((await accounts("odd")) + (await accounts("evil"))).toBe(0);
  });

  it("stores the address in its normal form", async () => {
    const { body } = await bring({ sub: "spaced", email: " Spaced@Example.com " });
    expect(body.user.email).toBe("spaced@example.com");
  });

  it("cannot make the access token too large for servers", async () => {
    const { status, body } = await bring({
      sub: "large",
      email: "large@example.com",
      name: "x".repeat(20_000),
      nickname: "Lar",
    });
    expect(status).toBe(200);
    expect(body.user.user_metadata).toMatchObject({
      sub: "large",
      email: "large@example.com",
      nickname: "Lar",
    });
    expect(body.access_token.length).toBeLessThan(8000);
  });

  it("cannot bring text that cannot be stored", async () => {
    const { status } = await bring({ sub: "nul", email: "nul@example.com", name: "a\0b" });
    expect(status).toBe(400);
  });

  it.each(["constructor", "__proto__", "toString"])("is refused from the issuer %s", async (name) => {
    const answer = await bring({ sub: "proto", email: "proto@example.com" }, { issuer: name });
    expect([answer.status, answer.body.error_code]).toEqual([400, "validation_failed"]);
  });
});
