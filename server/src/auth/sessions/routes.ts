// POST /token, one grant for each way of signing in, and POST /logout.
import type { Context } from "hono";
import { signOut } from "../account/account.ts";
import { refuse } from "../errors.ts";
import type { Bindings } from "../http/bindings.ts";
import { bodies, readBody } from "../http/requests.ts";
import type { Subject } from "../http/subject.ts";
import { exchangeCode } from "../links/flows.ts";
import type { AuthParts } from "../parts.ts";
import type { SignedIn } from "./access-token.ts";
import { refreshSession } from "./sessions.ts";
import { signInWithPassword } from "./sign-in.ts";

/** GoTrue looks at the password again at sign-in and says there what is weak; ours are strong when they are set. */
type Granted = SignedIn & { readonly weak_password?: null };
type Grant = (parts: AuthParts, c: Context<Bindings>) => Promise<Granted>;

const GRANTS: Readonly<Record<string, Grant>> = {
  password: async (parts, c) => {
    const body = await readBody(c.req.raw, bodies.passwordGrant);
    return { ...(await signInWithPassword(parts, c.var.caller, body)), weak_password: null };
  },
  refresh_token: async (parts, c) => {
    const body = await readBody(c.req.raw, bodies.refreshGrant);
    return refreshSession(parts, c.var.caller, body.refresh_token);
  },
  pkce: async (parts, c) => exchangeCode(parts, c.var.caller, await readBody(c.req.raw, bodies.codeGrant)),
  id_token: async (parts, c) => {
    const { signInWithIdToken } = await import("../federation/id-token.ts");
    return signInWithIdToken(parts, c.var.caller, await readBody(c.req.raw, bodies.idTokenGrant));
  },
  web3: async () => {
    throw refuse("web3_provider_disabled");
  },
};

export const sessionRoutes: Subject = (app, parts) => {
  app.post("/token", async (c) => {
    parts.limits.count("token", c.var.caller.ip);
    const type = c.req.query("grant_type") ?? "";
    const grant = Object.hasOwn(GRANTS, type) ? GRANTS[type] : undefined;
    if (!grant) throw refuse("invalid_credentials", "unsupported_grant_type");
    return c.json(await grant(parts, c));
  });

  app.post("/logout", async (c) => {
    parts.limits.count("user", c.var.caller.ip);
    await signOut(parts, c.var.caller, c.req.query("scope") ?? "global");
    return c.body(null, 204);
  });
};
