// Requesting mails (/recover and /resend) and opening them (/verify).
import type { Context } from "hono";
import type { Bindings } from "../http/bindings.ts";
import { allowedRedirect, withCode, withFragment } from "../http/redirects.ts";
import { refusalOf, withRefusal } from "../http/refusals.ts";
import { bodies, readBody } from "../http/requests.ts";
import type { Subject } from "../http/subject.ts";
import type { AuthParts } from "../parts.ts";
import type { SignedIn } from "../sessions/access-token.ts";
import { challengeOf } from "./flows.ts";
import { recover, resend } from "./recovery.ts";
import { HALF_CONFIRMED, verify, verifyLink } from "./verification.ts";

export const linkRoutes: Subject = (app, parts) => {
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
};

async function verifyToken(
  parts: AuthParts,
  c: Context<Bindings>,
): Promise<SignedIn | { msg: string; code: string }> {
  parts.limits.count("verify", c.var.caller.ip);
  const verified = await verify(parts, c.var.caller, await readBody(c.req.raw, bodies.verify));
  return "half" in verified ? { msg: HALF_CONFIRMED, code: "200" } : verified;
}

/** Always a redirect: a person who clicked a link in a mail sees the answer. */
async function followLink(parts: AuthParts, c: Context<Bindings>): Promise<Response> {
  const link = {
    type: c.req.query("type") ?? "",
    token: c.req.query("token_hash") ?? c.req.query("token") ?? "",
  };
  const target = allowedRedirect(
    c.req.query("redirect_to") ?? null,
    parts.siteUrl,
    parts.settings.URI_ALLOW_LIST,
  );
  try {
    parts.limits.count("verify", c.var.caller.ip);
    const verified = await verifyLink(parts, c.var.caller, link);
    if ("code" in verified) return c.redirect(withCode(target, verified.code), 303);
    // The half is our addition: GoTrue sends the message alone.
    const values =
      "half" in verified
        ? { message: HALF_CONFIRMED, half: verified.half }
        : tokensForFragment(verified, link.type);
    return c.redirect(withFragment(target, values), 303);
  } catch (error) {
    return c.redirect(withRefusal(target, refusalOf(parts, error, c.env.requestId)), 303);
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
