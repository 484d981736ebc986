// Tests of auth: the whole service on its own database, with a clock moved by hand and a mailer that keeps what it is
// given. Replaces the gateway: checks the bearer token and removes the prefix.
import { createHash } from "node:crypto";
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { afterAll, onTestFinished } from "vitest";
import { cloneDatabase, type TestDatabase } from "./database.ts";
import { type AtRest, createAtRest } from "../src/platform/keys/at-rest.ts";
import type { Brand } from "../src/platform/brand.ts";
import { ServiceError } from "../src/platform/errors.ts";
import { type Claims, createTokens, type Tokens } from "../src/platform/keys/jwt.ts";
import type { SigningKeys } from "../src/platform/keys/signing-keys.ts";
import { createLog, type Log } from "../src/platform/log.ts";
import type { Mail } from "contract/mail";
import type { Database } from "../src/postgres/database.ts";
import { type Auth, type AuthDeps, createAuth } from "../src/auth/index.ts";
import type { AuthPolicy } from "../src/auth/policy.ts";
import { type AuthSettings, parseSettings } from "../src/auth/settings/settings.ts";

/** As a project calls itself. */
export const BRAND: Brand = {
  name: "Lake Street Library",
  tagline: "Read & wander",
  words: ["lake", "street", "library"],
  timeZone: "UTC",
};

export const API = "http://localhost:3000";
export const PASSWORD = "swangas and vogues";

/** A browser's secret for the links it requests, and what it sends with the request. */
export const VERIFIER = "the browser's own secret, long enough to be one, really";
export const CHALLENGE = {
  code_challenge: createHash("sha256").update(VERIFIER).digest("base64url"),
  code_challenge_method: "s256",
};

export interface Answer {
  readonly status: number;
  /** Any JSON; each test's expectations check it. */
  readonly body: ReturnType<typeof JSON.parse>;
  readonly headers: Headers;
}

export interface TestAuth {
  readonly service: Auth;
  readonly database: TestDatabase["database"];
  readonly tokens: Tokens;
  readonly atRest: AtRest;
  readonly mails: Mail[];
  readonly texts: { to: string; text: string }[];
  /**
   * Changes settings for the rest of the test, as in the environment. The returned function restores the initial ones
   * before the test ends.
   */
  set(changes: Readonly<Record<string, string>>): () => void;
  /** Milliseconds the clock is ahead of the real one. */
  advance(seconds: number): void;
  /** Makes every further mail fail with this or hang; undefined restores delivery. */
  breakMail(how: Error | "silence" | undefined): void;
  fetch(request: Request): Promise<Response>;
  /** One call; `token` is a bearer token, by default the anonymous key. */
  call(
    method: string,
    path: string,
    body?: unknown,
    token?: string,
    headers?: Record<string, string>,
  ): Promise<Answer>;
  /** The claims of a token that must be valid. */
  claimsOf(token: string): Promise<Claims>;
  /** Where further requests come from. */
  comeFrom(ip: string): void;
  serviceKey(): Promise<string>;
  client(): SupabaseClient;
  /** The path of the link in the newest mail to this address. */
  linkTo(email: string): string;
  /** The code in the newest mail to an address, or in the newest text to a number without a plus. */
  codeTo(address: string): string;
  /** A confirmed user's tokens. */
  signedUp(email: string): Promise<{ access_token: string; refresh_token: string; user: { id: string } }>;
  close(): Promise<void>;
}

type TestSettings = Pick<
  AuthDeps,
  | "captchaMakers"
  | "mailsAreOpen"
  | "limitsThisMachine"
  | "reachesAnything"
  | "evenly"
  | "threads"
  | "sendSms"
> & {
  /** Where its log lines go; discarded without it. */
  readonly log?: Log;
  /** As in the environment, with GOTRUE_. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The keys that sign access tokens; the secret by default. */
  readonly keys?: SigningKeys;
};

/** The service for all tests of a file: `const auth = await useAuth()` at the top. */
export async function useAuth(...options: Parameters<typeof startAuth>): Promise<TestAuth> {
  const auth = await startAuth(...options);
  afterAll(() => auth.close());
  return auth;
}

export async function startAuth(
  policy: Partial<AuthPolicy> = {},
  settings: TestSettings = {},
  watch: (database: Database) => Database = (database) => database,
): Promise<TestAuth> {
  const { database, close } = await cloneDatabase();
  let ahead = 0;
  let ip = "203.0.113.7";
  const clock = { now: () => Date.now() + ahead };
  const tokens = createTokens("a secret for tests that is long enough", clock, settings.keys);
  const anonKey = tokens.signWithSecret({ role: "anon" });
  const post = new Post();
  const texts: TestAuth["texts"] = [];
  const atRest = createAtRest("a key for tests that is long enough");
  const { environment, keys: _keys, ...deps } = settings;
  const variables = { GOTRUE_URI_ALLOW_LIST: "https://*.festival.example/**", ...environment };
  const configured: { -readonly [Name in keyof AuthSettings]: AuthSettings[Name] } = parseSettings(variables);
  const service = createAuth({
    database: watch(database),
    tokens,
    clock,
    log: createLog("silent"),
    siteUrl: API,
    settings: configured,
    brand: BRAND,
    atRest,
    policy: { passwordCost: 4, evenAnswerMs: 0, ...policy },
    sendSms: async (to, text) => {
      texts.push({ to, text });
    },
    ...deps,
    mailer: post,
  });

  const answer = async (request: Request): Promise<Response> => {
    const answered = await answerOf(service, tokens, { anonKey, ip }, request);
    if (!post.isSilent) await service.mailsSent();
    return answered;
  };

  const auth: TestAuth = {
    service,
    database,
    tokens,
    atRest,
    mails: post.mails,
    texts,
    set(changes) {
      const become = (next: AuthSettings) => {
        for (const name of Object.keys(configured)) delete (configured as Record<string, unknown>)[name];
        Object.assign(configured, next);
      };
      const putBack = () => become(parseSettings(variables));
      onTestFinished(putBack);
      become(parseSettings({ ...variables, ...changes }));
      return putBack;
    },
    advance: (seconds) => {
      ahead += seconds * 1000;
    },
    breakMail: (how) => post.break(how),
    fetch: answer,
    call: async (...asked) => readAnswer(await answer(requestOf(...asked))),
    async claimsOf(token) {
      const claims = await tokens.verify(token);
      if (typeof claims === "string") throw new Error(`the token is ${claims}`);
      return claims;
    },
    comeFrom: (address) => {
      ip = address;
    },
    serviceKey: async () => tokens.signWithSecret({ role: "service_role" }),
    client: () =>
      createClient(API, anonKey, {
        auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
        global: { fetch: (input, init) => answer(new Request(input, init)) },
      }),
    linkTo: (email) => post.linkTo(email),
    codeTo(address) {
      const text =
        texts.findLast(({ to }) => to === address) ?? post.mails.findLast(({ to }) => to === address);
      const code = /code is (\d+)/.exec(text?.text ?? "");
      if (!code) throw new Error(`no code was sent to ${address}`);
      return code[1]!;
    },
    async signedUp(email) {
      await auth.call("POST", "/signup", { email, password: PASSWORD, ...CHALLENGE });
      const auth_code = codeOf(await auth.call("GET", auth.linkTo(email)));
      await auth.call("POST", "/token?grant_type=pkce", { auth_code, code_verifier: VERIFIER });
      return (await auth.call("POST", "/token?grant_type=password", { email, password: PASSWORD })).body;
    },
    async close() {
      post.endSilence();
      await service.close();
      await close();
    },
  };
  return auth;
}

/** What the gateway does: checks the token and removes the prefix. */
async function answerOf(
  service: Auth,
  tokens: Tokens,
  { anonKey, ip }: { anonKey: string; ip: string },
  request: Request,
): Promise<Response> {
  const url = new URL(request.url);
  const bearer = request.headers.get("authorization")?.slice("Bearer ".length) ?? anonKey;
  const claims: Claims | "expired" | "invalid" = await tokens.verify(bearer);
  if (claims === "expired") return service.renderError(new ServiceError(401, "token_expired", "JWT expired"));
  if (claims === "invalid") return service.renderError(new ServiceError(401, "invalid_token", "invalid JWT"));
  url.pathname = url.pathname.replace(/^\/auth\/v1/, "");
  const token = bearer === anonKey ? undefined : bearer;
  return service.fetch(new Request(url, request), { requestId: "test", claims, token, ip, apiUrl: API });
}

const requestOf = (...[method, path, body, token, headers = {}]: Parameters<TestAuth["call"]>) =>
  new Request(`${API}/auth/v1${path}`, {
    method,
    headers: { ...(token && { authorization: `Bearer ${token}` }), ...headers },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    redirect: "manual",
  });

async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  return {
    status: response.status,
    body: text === "" ? undefined : parse(text),
    headers: response.headers,
  };
}

/** Keeps the mails it is given, fails, or never answers, as a test decides. */
class Post {
  readonly mails: Mail[] = [];
  endSilence = () => {};
  #broken: Error | "silence" | undefined;
  readonly #silence = new Promise<void>((end) => {
    this.endSilence = end;
  });

  get isSilent(): boolean {
    return this.#broken === "silence";
  }

  break(how: Error | "silence" | undefined): void {
    this.#broken = how;
  }

  async send(mail: Mail): Promise<void> {
    if (this.#broken === "silence") await this.#silence;
    if (this.#broken) throw this.#broken;
    this.mails.push(mail);
  }

  /** The path of the link in the newest mail to this address. */
  linkTo(email: string): string {
    const mail = this.mails.findLast(({ to }) => to === email);
    const link = /https?:\/\/\S+\/auth\/v1(\/verify\S*)/.exec(mail?.text ?? "");
    if (!link) throw new Error(`no link was mailed to ${email}`);
    return link[1]!;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The code that an opened link passes to the browser. */
export const codeOf = (answer: Answer) =>
  new URL(answer.headers.get("location")!).searchParams.get("code") ?? "";

/** The members of a redirect's fragment. */
export const fragmentOf = (answer: Answer) =>
  Object.fromEntries(new URLSearchParams(new URL(answer.headers.get("location")!).hash.slice(1)));
