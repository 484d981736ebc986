// Proof that a person sends the request: the token of hCaptcha's or Turnstile's widget, verified with its provider before
// anything else.
import type { Context, MiddlewareHandler } from "hono";
import { z } from "zod";
import { refuse } from "../errors.ts";
import type { Bindings } from "../http/bindings.ts";
import type { AuthParts } from "../parts.ts";

export const CAPTCHA_MAKERS = {
  hcaptcha: "https://hcaptcha.com/siteverify",
  turnstile: "https://challenges.cloudflare.com/turnstile/v0/siteverify",
} as const;

const PATIENCE_MS = 10_000;
/** Grants of POST /token that carry proof of their own. */
const FREE_GRANTS = new Set(["pkce", "refresh_token", "id_token"]);

const bodyShape = z.object({ gotrue_meta_security: z.object({ captcha_token: z.string() }) });
const answerShape = z.object({
  success: z.boolean(),
  "error-codes": z.array(z.string()).nullish(),
});

/** Lets a request with a valid token through; a service key needs none. */
export const requireCaptcha =
  (parts: AuthParts): MiddlewareHandler<Bindings> =>
  async (c, next) => {
    if (parts.settings.SECURITY_CAPTCHA_ENABLED && !isFree(parts, c)) await check(parts, c);
    await next();
  };

function isFree({ settings }: AuthParts, c: Context<Bindings>): boolean {
  if (c.req.method !== "POST") return true;
  const { role } = c.var.caller.claims;
  if (role !== undefined && settings.JWT_ADMIN_ROLES.includes(role)) return true;
  return c.req.path.endsWith("/token") && FREE_GRANTS.has(c.req.query("grant_type") ?? "");
}

async function check(parts: AuthParts, c: Context<Bindings>): Promise<void> {
  const body: unknown = await c.req.raw
    .clone()
    .json()
    .catch(() => undefined);
  const token = bodyShape.safeParse(body).data?.gotrue_meta_security.captcha_token.trim();
  if (!token) throw disallowed("no captcha_token found");
  const answer = await ask(parts, token, c.var.caller.ip).catch((error: unknown) => {
    throw refuse("unexpected_failure", "captcha verification process failed", { cause: error });
  });
  if (!answer.success) throw disallowed((answer["error-codes"] ?? []).join(", "));
}

const disallowed = (why: string) =>
  refuse("captcha_failed", `captcha protection: request disallowed (${why})`);

async function ask({ settings, captchaMakers }: AuthParts, token: string, ip: string | undefined) {
  const response = await fetch(captchaMakers[settings.SECURITY_CAPTCHA_PROVIDER], {
    method: "POST",
    body: new URLSearchParams({
      secret: settings.SECURITY_CAPTCHA_SECRET.trim(),
      response: token,
      remoteip: ip ?? "",
    }),
    signal: AbortSignal.timeout(PATIENCE_MS),
    redirect: "error",
  });
  try {
    return answerShape.parse(await response.json());
  } catch (error) {
    throw new Error(`the captcha's maker answered ${response.status}`, { cause: error });
  }
}
