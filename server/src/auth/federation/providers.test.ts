// Providers that no package can stand in for: small servers on loopback that speak their documented APIs.
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
} from "../../../testing/sign-in/oauth-browser.ts";

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
        ...settings("AZURE", "/azure"),
        ...settings("DISCORD", "/discord"),
        ...settings("GITLAB", "/gitlab"),
        ...settings("LINKEDIN_OIDC", "/linkedin"),
        ...settings("SLACK_OIDC", "/slack"),
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
      return (await plainAnswer(request, address)) ?? issuerAnswer(request, address);
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

/** The users of providers that are queried with an access token. */
const PEOPLE: Readonly<Record<string, object>> = {
  "/discord/api/users/@me": {
    id: "80351110224678912",
    username: "nelly",
    discriminator: "1337",
    global_name: "Nelly",
    avatar: "a_8342729096ea3675442027381ff50dfe",
    email: "nelly@example.com",
    verified: true,
  },
  "/gitlab/api/v4/user": {
    id: 77,
    name: "Git Lab",
    avatar_url: "https://gitlab.example/77.png",
    email: "lab@example.com",
    confirmed_at: "2012-05-23T09:05:22Z",
  },
  "/linkedin/v2/userinfo": {
    sub: "782bbtaQ",
    name: "Linked In",
    picture: "https://linkedin.example/face.jpg",
    email: "linked@example.com",
    email_verified: true,
  },
  "/slack/api/openid.connect.userInfo": {
    ok: true,
    sub: "U0R7JM",
    "https://slack.com/user_id": "U0R7JM",
    "https://slack.com/team_id": "T0R7GR",
    name: "Slack Er",
    picture: "https://slack.example/face.jpg",
    email: "slack@example.com",
    email_verified: true,
  },
};
/** Merged into every user. */
let otherwise: object = {};

async function plainAnswer(request: IncomingMessage, address: URL): Promise<FakeAnswer | undefined> {
  const person = PEOPLE[address.pathname];
  if (person) {
    const isTheirs = request.headers.authorization === "Bearer their token";
    return isTheirs ? { body: { ...person, ...otherwise } } : { status: 401, body: {} };
  }
  const [, provider, ...rest] = address.pathname.split("/");
  if (!["discord", "gitlab", "linkedin", "slack"].includes(provider!)) return undefined;
  if (/authoriz/.test(rest.join("/"))) return sendBack(address);
  exchanges.push(new URLSearchParams(await textOf(request)));
  return { body: { access_token: "their token", token_type: "bearer" } };
}

/** Issuers of id tokens: Apple, and a Microsoft tenant. */
async function issuerAnswer(request: IncomingMessage, address: URL): Promise<FakeAnswer> {
  const name = address.pathname.startsWith("/azure") ? "/azure/v2.0" : "/apple";
  const issuer = `${url}${name}`;
  switch (address.pathname.replace(name, "/apple")) {
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
      if (name !== "/apple") return sendBack(address);
      asked = address.searchParams;
      return { status: 302, headers: { location: `${CALLBACK}?posted` } };
    case "/apple/auth/token":
      exchanges.push(new URLSearchParams(await textOf(request)));
      return {
        body: { access_token: "apple's token", token_type: "Bearer", id_token: await idToken(issuer) },
      };
    default:
      return { status: 404, body: {} };
  }
}

const idToken = async (issuer: string) =>
  new SignJWT({
    iss: issuer,
    aud: issuer.endsWith("/apple") ? "client of APPLE" : "client of AZURE",
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

it("signs in at GitHub with the primary address, and PKCE toward GitHub", async () => {
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

it("joins an account by any address GitHub has verified, but not by an unverified one", async () => {
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

it("signs in at Facebook with an appsecret_proof", async () => {
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

it("accepts Apple's form, and the name that Apple sends only once", async () => {
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

it("signs a new client secret for Apple at each exchange", async () => {
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

it.each([
  [
    "discord",
    {
      iss: "/discord/api",
      sub: "80351110224678912",
      name: "nelly#1337",
      full_name: "nelly",
      avatar_url:
        "https://cdn.discordapp.com/avatars/80351110224678912/a_8342729096ea3675442027381ff50dfe.gif",
      email: "nelly@example.com",
      custom_claims: { global_name: "Nelly" },
    },
    { verified: false },
  ],
  [
    "gitlab",
    {
      iss: "/gitlab",
      sub: "77",
      name: "Git Lab",
      full_name: "Git Lab",
      avatar_url: "https://gitlab.example/77.png",
      email: "lab@example.com",
    },
    { confirmed_at: null },
  ],
  [
    "linkedin_oidc",
    {
      iss: "/linkedin",
      sub: "782bbtaQ",
      name: "Linked In",
      full_name: "Linked In",
      avatar_url: "https://linkedin.example/face.jpg",
      email: "linked@example.com",
    },
    { email_verified: false },
  ],
  [
    "slack_oidc",
    {
      iss: "/slack/api",
      sub: "U0R7JM",
      name: "Slack Er",
      full_name: "Slack Er",
      avatar_url: "https://slack.example/face.jpg",
      email: "slack@example.com",
      custom_claims: { "https://slack.com/team_id": "T0R7GR" },
    },
    { email_verified: false },
  ],
] as const)(
  "signs in at %s, and nobody there whose address is not proven",
  async (name, person, unproven) => {
    const { data, error } = await signInAt(auth, browser(auth), name);
    expect(error).toBeNull();
    const { iss, avatar_url, sub } = person;
    const common = { picture: avatar_url, provider_id: sub, email_verified: true, phone_verified: false };
    expect(data.user?.user_metadata).toEqual({ ...person, ...common, iss: `${url}${iss}` });
    expect(data.user?.app_metadata).toMatchObject({ provider: name });

    otherwise = {
      ...unproven,
      email: "somebody-else@example.com",
      id: 99,
      sub: "99",
      "https://slack.com/user_id": "99",
    };
    const back = await openCallback(auth, await toCallback(auth, await startOAuth(browser(auth), name)));
    expect(back.query.error_code).toBe("provider_email_needs_verification");
    otherwise = {};
  },
);

it("signs in at one Microsoft tenant and checks its issuer", async () => {
  appleToken = {
    sub: "AAAAAG",
    name: "Ada Lovelace",
    preferred_username: "ada@tenant.example",
    email: "ada@tenant.example",
    tid: "the tenant",
  };
  const { data, error } = await signInAt(auth, browser(auth), "azure");
  expect(error).toBeNull();
  expect(data.user?.user_metadata).toEqual({
    iss: `${url}/azure/v2.0`,
    sub: "AAAAAG",
    name: "Ada Lovelace",
    full_name: "Ada Lovelace",
    preferred_username: "ada@tenant.example",
    provider_id: "AAAAAG",
    custom_claims: { tid: "the tenant" },
    email: "ada@tenant.example",
    email_verified: true,
    phone_verified: false,
  });
  appleToken = { ...appleToken, iss: `${url}/another/v2.0` };
  const back = await openCallback(auth, await toCallback(auth, await startOAuth(browser(auth), "azure")));
  expect(back.query).toMatchObject({ error_code: "unexpected_failure" });
  appleToken = { sub: "BBBBBG", email: "planted@example.com", xms_edov: false };
  const planted = await openCallback(auth, await toCallback(auth, await startOAuth(browser(auth), "azure")));
  expect(planted.query.error_code).toBe("provider_email_needs_verification");
});

it("refuses settings that cannot work, and names them", () => {
  expect(() => auth.set({ GOTRUE_EXTERNAL_TWITCH_ENABLED: "true" })).toThrow(
    "GOTRUE_EXTERNAL_TWITCH_ENABLED: this server signs in through apple, azure, discord, facebook, github, gitlab",
  );
  expect(() => auth.set({ GOTRUE_EXTERNAL_AZURE_URL: "https://login.microsoftonline.com/common" })).toThrow(
    "GOTRUE_EXTERNAL_AZURE_URL: must be set, to the tenant",
  );
  expect(() => auth.set({ GOTRUE_EXTERNAL_GITHUB_SECRET: "" })).toThrow(
    "GOTRUE_EXTERNAL_GITHUB_SECRET: must be set",
  );
  expect(() => auth.set({ GOTRUE_EXTERNAL_APPLE_SECRET: '{"team_id":"T"}' })).toThrow(
    "GOTRUE_EXTERNAL_APPLE_SECRET",
  );
});

it("lists the enabled providers in the settings", async () => {
  const { body } = await auth.call("GET", "/settings");
  expect(body.external).toMatchObject({ github: true, facebook: true, apple: true, google: false });
  expect((await auth.call("GET", pathOf(CALLBACK))).status).toBe(303);
});
