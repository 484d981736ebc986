// Providers that no package stands in for: small servers on loopback that speak their documented API.
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createHash, createHmac, generateKeyPairSync } from "node:crypto";
import { decodeJwt, decodeProtectedHeader, exportJWK, importPKCS8, type JWTPayload, SignJWT } from "jose";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startAuth, type TestAuth } from "../../../testing/auth.ts";
import {
  browser,
  CALLBACK,
  openCallback,
  pathOf,
  signInAt,
  startOAuth,
  toCallback,
} from "../../../testing/oauth-browser.ts";

const APPLE_KEY = generateKeyPairSync("ec", { namedCurve: "P-256" });
const KEY_PEM = APPLE_KEY.privateKey.export({ type: "pkcs8", format: "pem" }) as string;

let server: Server;
let url: string;
let auth: TestAuth;
/** Forms sent to a token endpoint, newest last. */
const exchanges: URLSearchParams[] = [];
/** What the newest authorization request carried. */
let asked = new URLSearchParams();
let appleToken: JWTPayload = {};
let emails: unknown = [];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const answer = await answerOf(request);
    response.writeHead(answer.status ?? 200, answer.headers ?? { "content-type": "application/json" });
    response.end(answer.body === undefined ? "" : JSON.stringify(answer.body));
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = (name: string, path: string, secret = `secret of ${name}`) => ({
    [`GOTRUE_EXTERNAL_${name}_ENABLED`]: "true",
    [`GOTRUE_EXTERNAL_${name}_CLIENT_ID`]: `client of ${name}`,
    [`GOTRUE_EXTERNAL_${name}_SECRET`]: secret,
    [`GOTRUE_EXTERNAL_${name}_URL`]: `${url}${path}`,
  });
  const appleSecret = JSON.stringify({ team_id: "TEAM", key_id: "KEY", private_key: KEY_PEM });
  auth = await startAuth(
    {},
    {
      environment: {
        ...settings("GITHUB", "/github"),
        ...settings("FACEBOOK", "/facebook"),
        ...settings("APPLE", "/apple", appleSecret),
      },
    },
  );
});
afterAll(async () => {
  await auth.close();
  server.closeAllConnections();
  server.close();
});

interface FakeAnswer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

async function answerOf(request: IncomingMessage): Promise<FakeAnswer> {
  const address = new URL(request.url!, url);
  const bearer = request.headers.authorization;
  switch (address.pathname) {
    case "/github/login/oauth/authorize":
    case "/facebook/dialog/oauth":
      return sendBack(address);
    case "/github/login/oauth/access_token":
    case "/facebook/oauth/access_token":
      exchanges.push(new URLSearchParams(await textOf(request)));
      return { body: { access_token: "their token", token_type: "bearer", scope: "user:email" } };
    case "/github/api/v3/user":
      return bearer === "Bearer their token"
        ? { body: { id: 583231, login: "octocat", name: "Octo Cat", avatar_url: `${url}/octocat.png` } }
        : { status: 401, body: {} };
    case "/github/api/v3/user/emails":
      return { body: emails };
    case "/facebook/me":
      return facebookProfile(address);
    default:
      return appleAnswer(request, address);
  }
}

function sendBack(address: URL, extra: Record<string, string> = {}): FakeAnswer {
  asked = address.searchParams;
  const back = new URL(asked.get("redirect_uri")!);
  back.search = new URLSearchParams({ code: "a code", state: asked.get("state")!, ...extra }).toString();
  return { status: 302, headers: { location: back.href } };
}

function facebookProfile(address: URL): FakeAnswer {
  const proof = createHmac("sha256", "secret of FACEBOOK").update("their token").digest("hex");
  if (address.searchParams.get("appsecret_proof") !== proof) return { status: 400, body: {} };
  const picture = { data: { url: `${url}/face.jpg` } };
  const names = { first_name: "Face", last_name: "Book", name: "Face B." };
  return { body: { id: "10158", email: "face@example.com", ...names, picture } };
}

async function appleAnswer(request: IncomingMessage, address: URL): Promise<FakeAnswer> {
  const issuer = `${url}/apple`;
  switch (address.pathname) {
    case "/apple/.well-known/openid-configuration":
      return {
        body: {
          issuer,
          authorization_endpoint: `${issuer}/auth/authorize`,
          token_endpoint: `${issuer}/auth/token`,
          jwks_uri: `${issuer}/auth/keys`,
          response_modes_supported: ["query", "fragment", "form_post"],
          id_token_signing_alg_values_supported: ["ES256"],
          token_endpoint_auth_methods_supported: ["client_secret_post"],
        },
      };
    case "/apple/auth/keys":
      return { body: { keys: [{ ...(await exportJWK(APPLE_KEY.publicKey)), kid: "apple", alg: "ES256" }] } };
    case "/apple/auth/authorize":
      asked = address.searchParams;
      return { status: 302, headers: { location: `${CALLBACK}?posted` } };
    case "/apple/auth/token":
      exchanges.push(new URLSearchParams(await textOf(request)));
      return {
        body: { access_token: "apple's token", token_type: "Bearer", id_token: await appleIdToken() },
      };
    default:
      return { status: 404, body: {} };
  }
}

const appleIdToken = async () =>
  new SignJWT({
    iss: `${url}/apple`,
    aud: "client of APPLE",
    nonce: asked.get("nonce") ?? undefined,
    ...appleToken,
  })
    .setProtectedHeader({ alg: "ES256", kid: "apple" })
    .setIssuedAt()
    .setExpirationTime("10m")
    .sign(await importPKCS8(KEY_PEM, "ES256"));

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}

it("signs in at GitHub with the primary address, and PKCE towards GitHub", async () => {
  emails = [
    { email: "old@example.com", primary: false, verified: true },
    { email: "Octo@Example.com", primary: true, verified: true },
  ];
  const { data, error } = await signInAt(auth, browser(auth), "github");
  expect(error).toBeNull();
  expect(data.user?.email).toBe("octo@example.com");
  expect(data.user?.user_metadata).toEqual({
    iss: `${url}/github/api/v3`,
    sub: "583231",
    name: "Octo Cat",
    preferred_username: "octocat",
    avatar_url: `${url}/octocat.png`,
    full_name: "Octo Cat",
    provider_id: "583231",
    user_name: "octocat",
    email: "octo@example.com",
    email_verified: true,
    phone_verified: false,
  });
  expect(data.session?.provider_token).toBe("their token");
  const sent = exchanges.at(-1)!;
  expect(Object.fromEntries(sent)).toMatchObject({
    client_id: "client of GITHUB",
    client_secret: "secret of GITHUB",
    code: "a code",
    redirect_uri: CALLBACK,
  });
  const challenge = createHash("sha256").update(sent.get("code_verifier")!).digest("base64url");
  expect(asked.get("code_challenge")).toBe(challenge);
});

it("joins an account by any address GitHub has verified, not by one it has not", async () => {
  const { user } = await auth.signedUp("second@example.com");
  await auth.database
    .asService("a GitHub account nobody has used yet")
    .query("delete from auth.identities where provider = 'github'");
  emails = [
    { email: "unverified@example.com", primary: true, verified: false },
    { email: "second@example.com", primary: false, verified: true },
  ];
  expect((await signInAt(auth, browser(auth), "github")).data.user?.id).toBe(user.id);
});

it("signs in at Facebook with proof of the secret", async () => {
  const { data, error } = await signInAt(auth, browser(auth), "facebook");
  expect(error).toBeNull();
  expect(data.user?.user_metadata).toEqual({
    iss: `${url}/facebook/me?fields=email,first_name,last_name,name,picture`,
    sub: "10158",
    name: "Face Book",
    nickname: "Face B.",
    picture: `${url}/face.jpg`,
    slug: "Face B.",
    avatar_url: `${url}/face.jpg`,
    full_name: "Face Book",
    provider_id: "10158",
    email: "face@example.com",
    email_verified: true,
    phone_verified: false,
  });
});

/** The browser comes back from Apple with a form. */
async function fromApple(client: ReturnType<typeof browser>, form: Record<string, string> = {}) {
  await toCallback(auth, await startOAuth(client, "apple"));
  const posted = new URLSearchParams({ code: "apple's code", state: asked.get("state")!, ...form });
  return openCallback(auth, { url: new URL(CALLBACK), form: posted });
}

it("takes Apple's form, and the name that Apple tells once", async () => {
  appleToken = { sub: "001.apple", email: "relay@privaterelay.appleid.com", is_private_email: "true" };
  const client = browser(auth);
  const user = JSON.stringify({ name: { firstName: "Johnny", lastName: "Appleseed" } });
  const { query } = await fromApple(client, { user });
  const { data, error } = await client.auth.exchangeCodeForSession(query.code!);
  expect(error).toBeNull();
  expect(data.user?.user_metadata).toEqual({
    iss: `${url}/apple`,
    sub: "001.apple",
    name: "Johnny Appleseed",
    full_name: "Johnny Appleseed",
    provider_id: "001.apple",
    custom_claims: { is_private_email: true },
    email: "relay@privaterelay.appleid.com",
    email_verified: true,
    phone_verified: false,
  });
  expect(asked.get("response_mode")).toBe("form_post");
  const again = browser(auth);
  const later = await again.auth.exchangeCodeForSession((await fromApple(again)).query.code!);
  expect(later.data.user).toMatchObject({
    id: data.user!.id,
    user_metadata: { full_name: "Johnny Appleseed" },
  });
});

it("signs Apple's client secret afresh for each exchange", async () => {
  const secret = exchanges.at(-1)!.get("client_secret")!;
  expect(decodeProtectedHeader(secret)).toEqual({ alg: "ES256", kid: "KEY" });
  const claims = decodeJwt(secret);
  expect(claims).toMatchObject({ iss: "TEAM", sub: "client of APPLE", aud: `${url}/apple` });
  expect(claims.exp! - claims.iat!).toBe(300);
});

it.each([
  ["another request's nonce", { nonce: "another's" }],
  ["another app's audience", { aud: "another app" }],
  ["another issuer", { iss: "https://evil.example" }],
  ["no subject", { sub: undefined }],
])("refuses an id token with %s", async (_, claims) => {
  appleToken = { sub: "001.forged", email: "forged@example.com", ...claims };
  const { query } = await fromApple(browser(auth));
  expect(query).toMatchObject({ error: "server_error", error_code: "unexpected_failure" });
});

it("refuses settings that cannot work, by name", () => {
  expect(() => auth.set({ GOTRUE_EXTERNAL_DISCORD_ENABLED: "true" })).toThrow(
    "GOTRUE_EXTERNAL_DISCORD_ENABLED: this server signs in through apple, facebook, github, google, keycloak",
  );
  expect(() => auth.set({ GOTRUE_EXTERNAL_GITHUB_SECRET: "" })).toThrow(
    "GOTRUE_EXTERNAL_GITHUB_SECRET: must be set",
  );
  expect(() => auth.set({ GOTRUE_EXTERNAL_APPLE_SECRET: '{"team_id":"T"}' })).toThrow(
    "GOTRUE_EXTERNAL_APPLE_SECRET",
  );
});

it("tells the settings which providers there are", async () => {
  const { body } = await auth.call("GET", "/settings");
  expect(body.external).toMatchObject({ github: true, facebook: true, apple: true, google: false });
  expect((await auth.call("GET", pathOf(CALLBACK))).status).toBe(303);
});
