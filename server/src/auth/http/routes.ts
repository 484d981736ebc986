// The endpoints: parse, call, reply.
import { type Context, Hono } from "hono";
import { ServiceError } from "../../platform/errors.ts";
import { changeAccount, requireAccount, signOut } from "../account/account.ts";
import { adminRoutes } from "./admin-routes.ts";
import type { Bindings } from "./bindings.ts";
import { refuse, renderError, VERSION_HEADER } from "../errors.ts";
import { challengeOf, exchangeCode } from "../links/flows.ts";
import { notOffered } from "./not-offered.ts";
import { callerOf, type AuthParts } from "../parts.ts";
import { recover, resend } from "../links/recovery.ts";
import { allowedRedirect, withCode, withFragment } from "./redirects.ts";
import { bodies, readBody } from "./requests.ts";
import { refreshSession, type SignedIn } from "../sessions/sessions.ts";
import { health, settings } from "./settings.ts";
import { signInWithPassword } from "../sessions/sign-in.ts";
import { signUp } from "../sign-up/sign-up.ts";
import { userView } from "../account/user-view.ts";
import { HALF_CONFIRMED, verify, verifyLink } from "../links/verification.ts";

export function createRoutes(parts: AuthParts): Hono<Bindings> {
  const app = new Hono<Bindings>();

  app.use(async (c, next) => {
    c.set("caller", callerOf(parts, c.req.raw, c.env));
    await next();
    // Answers hold tokens and addresses.
    c.header("cache-control", "no-store");
  });

  app.get("/health", (c) => c.json(health));
  app.get("/settings", (c) => c.json(settings));

  app.post("/signup", async (c) => {
    parts.limits.count("mail", c.var.caller.ip);
    const body = await readBody(c.req.raw, bodies.signUp);
    return c.json(await signUp(parts, c.var.caller, body, challengeOf(body)));
  });

  app.post("/token", async (c) => c.json(await signIn(parts, c)));
  app.get("/verify", (c) => followLink(parts, c));
  app.post("/verify", async (c) => c.json(await verifyToken(parts, c)));

  app.post("/recover", async (c) => {
    parts.limits.count("mail", c.var.caller.ip);
    const body = await readBody(c.req.raw, bodies.recover);
    await recover(parts, c.var.caller, body, challengeOf(body));
    return c.json({});
  });

  app.post("/resend", async (c) => {
    parts.limits.count("mail", c.var.caller.ip);
    const body = await readBody(c.req.raw, bodies.resend);
    await resend(parts, c.var.caller, body, challengeOf(body));
    return c.json({});
  });

  addAccount(app, parts);

  app.route("/admin", adminRoutes(parts));
  app.route("/", notOffered());
  app.notFound((c) =>
    renderError(new ServiceError(404, "not_found", "404 page not found"), c.req.header(VERSION_HEADER)),
  );
  app.onError((error, c) =>
    renderError(refusalOf(parts, error, c.env.requestId), c.req.header(VERSION_HEADER)),
  );
  return app;
}

function addAccount(app: Hono<Bindings>, parts: AuthParts): void {
  app.get("/user", async (c) => {
    parts.limits.count("user", c.var.caller.ip);
    return c.json(userView((await requireAccount(parts, c.var.caller)).user));
  });
  app.put("/user", async (c) => {
    parts.limits.count("user", c.var.caller.ip);
    const body = await readBody(c.req.raw, bodies.updateUser);
    // A password costs what signing in with it costs, a new address a mail to each.
    if (body.password !== undefined) parts.limits.count("token", c.var.caller.ip);
    if (body.email !== "") parts.limits.count("mail", c.var.caller.ip);
    return c.json(await changeAccount(parts, c.var.caller, body, challengeOf(body)));
  });

  app.post("/logout", async (c) => {
    parts.limits.count("user", c.var.caller.ip);
    await signOut(parts, c.var.caller, c.req.query("scope") ?? "global");
    return c.body(null, 204);
  });
}

async function signIn(parts: AuthParts, c: Context<Bindings>): Promise<SignedIn> {
  const { caller } = c.var;
  parts.limits.count("token", caller.ip);
  switch (c.req.query("grant_type")) {
    case "password":
      return signInWithPassword(parts, caller, await readBody(c.req.raw, bodies.passwordGrant));
    case "refresh_token": {
      const body = await readBody(c.req.raw, bodies.refreshGrant);
      return refreshSession(parts, caller, body.refresh_token);
    }
    case "pkce":
      return exchangeCode(parts, caller, await readBody(c.req.raw, bodies.codeGrant));
    default:
      throw refuse("invalid_credentials", "unsupported_grant_type");
  }
}

async function verifyToken(
  parts: AuthParts,
  c: Context<Bindings>,
): Promise<SignedIn | { msg: string; code: string }> {
  parts.limits.count("verify", c.var.caller.ip);
  const verified = await verify(parts, c.var.caller, await readBody(c.req.raw, bodies.verify));
  return verified === "half confirmed" ? { msg: HALF_CONFIRMED, code: "200" } : verified;
}

/** Always a redirect: a person who pressed a link in a mail sees the answer. */
async function followLink(parts: AuthParts, c: Context<Bindings>): Promise<Response> {
  const link = {
    type: c.req.query("type") ?? "",
    token: c.req.query("token_hash") ?? c.req.query("token") ?? "",
  };
  const target = allowedRedirect(c.req.query("redirect_to") ?? null, parts.siteUrl, parts.allowedRedirects);
  try {
    parts.limits.count("verify", c.var.caller.ip);
    const verified = await verifyLink(parts, c.var.caller, link);
    if (typeof verified === "object" && "code" in verified) {
      return c.redirect(withCode(target, verified.code), 303);
    }
    const values =
      verified === "half confirmed" ? { message: HALF_CONFIRMED } : tokensForFragment(verified, link.type);
    return c.redirect(withFragment(target, values), 303);
  } catch (error) {
    const refusal = refusalOf(parts, error, c.env.requestId);
    return c.redirect(withFragment(target, errorForFragment(refusal)), 303);
  }
}

const tokensForFragment = (signedIn: SignedIn, type: string) => ({
  access_token: signedIn.access_token,
  expires_at: String(signedIn.expires_at),
  expires_in: String(signedIn.expires_in),
  refresh_token: signedIn.refresh_token,
  token_type: signedIn.token_type,
  type,
});

/** OAuth's words for HTTP's statuses (RFC 6749, section 4.1.2.1). */
const OAUTH_ERRORS: Readonly<Record<number, string>> = {
  400: "invalid_request",
  401: "unauthorized_client",
  403: "access_denied",
  500: "server_error",
};

const errorForFragment = (error: ServiceError) => ({
  ...(OAUTH_ERRORS[error.status] && { error: OAUTH_ERRORS[error.status]! }),
  error_code: error.code,
  error_description: error.message,
});

function refusalOf(parts: AuthParts, error: unknown, requestId: string): ServiceError {
  if (error instanceof ServiceError) return error;
  parts.log.error({ err: error, requestId }, "auth request failed");
  return refuse("unexpected_failure", undefined, { cause: error });
}
