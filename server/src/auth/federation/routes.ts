// Signing in through others: /authorize sends the browser away, /callback takes it back. Also the identities of signed-in
// users.
import type { Context } from "hono";
import { ServiceError } from "../../platform/errors.ts";
import type { Account } from "../account/require-account.ts";
import { requireAdmin } from "../admin/require-admin.ts";
import { OAuthRefusal, refuse } from "../errors.ts";
import type { Bindings } from "../http/bindings.ts";
import { readBody } from "../http/requests.ts";
import { oauthError, refusalOf } from "../http/refusals.ts";
import type { Subject } from "../http/subject.ts";
import { challengeOf } from "../links/flows.ts";
import type { AuthParts } from "../parts.ts";
import { requireManualLinking, unlinkIdentity } from "./identities.ts";
import { RESERVED } from "./reserved.ts";

// The OpenID Connect library takes longer to load than all the rest of auth, so it loads on first use.
const atProviders = () => import("./sign-in.ts");
const atCustomProviders = () => import("./custom/custom-providers.ts");

export const federationRoutes: Subject = (app, parts) => {
  app.get("/authorize", async (c) => {
    parts.limits.count("token", c.var.caller.ip);
    return c.redirect((await begin(parts, c)).href, 302);
  });
  app.get("/callback", (c) => finish(parts, c, new URL(c.req.url).searchParams));
  // Apple posts its answer.
  app.post("/callback", async (c) => finish(parts, c, new URLSearchParams(await c.req.text())));

  app.get("/user/identities/authorize", async (c) => {
    parts.limits.count("user", c.var.caller.ip);
    const account = await requireManualLinking(parts, c.var.caller);
    const url = (await begin(parts, c, account)).href;
    return c.req.query("skip_http_redirect") === "true" ? c.json({ url }) : c.redirect(url, 302);
  });
  app.delete("/user/identities/:id", async (c) => {
    parts.limits.count("user", c.var.caller.ip);
    await requireManualLinking(parts, c.var.caller);
    await unlinkIdentity(parts, c.var.caller, c.req.param("id"));
    return c.json({});
  });

  addCustomProviderRoutes(app, parts);
};

const addCustomProviderRoutes: Subject = (app, parts) => {
  const path = "/admin/custom-providers";
  app.use(`${path}/*`, async (c, next) => {
    requireAdmin(parts, c.var.caller);
    if (!parts.settings.CUSTOM_OAUTH_ENABLED)
      throw refuse("feature_disabled", "Custom OAuth providers are disabled");
    await next();
  });
  app.get(path, async (c) => {
    const { customProviders } = await atCustomProviders();
    return c.json(await customProviders(parts, c.req.query("type")));
  });
  app.post(path, async (c) => {
    const { addCustomProvider, customProviderBody } = await atCustomProviders();
    return c.json(await addCustomProvider(parts, await readBody(c.req.raw, customProviderBody)), 201);
  });
  app.get(`${path}/:id`, async (c) => {
    const { customProvider } = await atCustomProviders();
    return c.json(await customProvider(parts, c.req.param("id")));
  });
  app.put(`${path}/:id`, async (c) => {
    const { changeCustomProvider, customProviderBody } = await atCustomProviders();
    const body = await readBody(c.req.raw, customProviderBody);
    return c.json(await changeCustomProvider(parts, c.req.param("id"), body));
  });
  app.delete(`${path}/:id`, async (c) => {
    const { removeCustomProvider } = await atCustomProviders();
    await removeCustomProvider(parts, c.req.param("id"));
    return c.body(null, 204);
  });
};

/** Parameters for this server; all others go to the provider. */
const OURS: ReadonlySet<string> = new Set([
  ...["provider", "scopes", "redirect_to", "invite_token", "skip_http_redirect", "apikey"],
]);

async function begin(parts: AuthParts, c: Context<Bindings>, linking?: Account): Promise<URL> {
  const { beginSignIn } = await atProviders();
  const query = new URL(c.req.url).searchParams;
  const word = (name: string) => query.get(name) ?? "";
  const extra = [...query].filter(([name]) => !OURS.has(name) && !RESERVED.has(name.toLowerCase()));
  return beginSignIn(parts, c.var.caller, {
    provider: word("provider"),
    scopes: word("scopes"),
    inviteToken: word("invite_token"),
    challenge: challengeOf({
      code_challenge: word("code_challenge"),
      code_challenge_method: word("code_challenge_method"),
    }),
    extra: Object.fromEntries(extra),
    ...(linking && { linking }),
  });
}

/** Always a redirect, because a person is waiting for the answer. */
async function finish(
  parts: AuthParts,
  c: Context<Bindings>,
  parameters: URLSearchParams,
): Promise<Response> {
  const state = await attempt(parts, c, async () => {
    parts.limits.count("token", c.var.caller.ip);
    return (await atProviders()).openState(parts, parameters.get("state") ?? "");
  });
  if (state instanceof ServiceError) return c.redirect(withError(parts.siteUrl, state, "query"), 303);
  const target = await attempt(parts, c, async () =>
    (await atProviders()).finishSignIn(parts, c.var.caller, state, parameters),
  );
  if (target instanceof ServiceError)
    return c.redirect(withError(state.referrer ?? parts.siteUrl, target, "query and fragment"), 302);
  return c.redirect(target, 302);
}

async function attempt<T>(
  parts: AuthParts,
  c: Context<Bindings>,
  work: () => Promise<T>,
): Promise<T | ServiceError> {
  try {
    return await work();
  } catch (error) {
    return refusalOf(parts, error, c.env.requestId);
  }
}

const DENIED: ReadonlySet<string> = new Set([
  ...["signup_disabled", "user_banned", "provider_email_needs_verification"],
]);

/** `address` with the refusal where GoTrue puts it and OAuth clients look for it. */
export function withError(
  address: string,
  refusal: ServiceError,
  where: "query" | "query and fragment",
): string {
  const url = new URL(address);
  const values = {
    error:
      refusal instanceof OAuthRefusal
        ? refusal.code
        : DENIED.has(refusal.code)
          ? "access_denied"
          : oauthError(refusal.status),
    error_description: refusal.message,
    ...(!(refusal instanceof OAuthRefusal) && { error_code: refusal.code }),
  };
  for (const [name, value] of Object.entries(values)) url.searchParams.set(name, value);
  // `sb` marks the address as ours, and not another service's.
  if (where === "query and fragment") url.hash = new URLSearchParams({ ...values, sb: "" }).toString();
  return url.href;
}
