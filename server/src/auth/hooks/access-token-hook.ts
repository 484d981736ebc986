// The hook that may change the claims of an access token.
import type { Claims } from "../../platform/keys/jwt.ts";
import type { Executor } from "../../postgres/executor.ts";
import { refuse } from "../errors.ts";
import type { AuthParts } from "../parts.ts";
import { runHook } from "./run-hook.ts";

/** The claims every token must keep, with the types of GoTrue's schema. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  aud: ["string", "array"],
  exp: ["number"],
  iat: ["number"],
  sub: ["string"],
  email: ["string"],
  phone: ["string"],
  role: ["string"],
  aal: ["string"],
  session_id: ["string"],
  is_anonymous: ["boolean"],
};

const typeOf = (value: unknown) => (Array.isArray(value) ? "array" : typeof value);

/** The claims to sign. `method`: the way of signing in, or `token_refresh`. */
export async function accessTokenHook(
  parts: AuthParts,
  tx: Executor,
  userId: string,
  method: string,
  claims: Claims,
): Promise<Claims> {
  const input = { user_id: userId, claims, authentication_method: method };
  const output = await runHook(parts, tx, undefined, "CUSTOM_ACCESS_TOKEN", input);
  if (output === undefined) return claims;
  const changed = output["claims"];
  if (typeof changed !== "object" || changed === null || Array.isArray(changed)) {
    throw refuse("unexpected_failure", "output claims field is missing");
  }
  const problems = Object.entries(REQUIRED).flatMap(([name, types]) => {
    const value = (changed as Record<string, unknown>)[name];
    if (value === undefined || value === null) return [`- (root): ${name} is required\n`];
    return types.includes(typeOf(value)) ? [] : [`- ${name}: Invalid type. Expected: ${types.join("/")}\n`];
  });
  if (problems.length > 0) {
    const message = `output claims do not conform to the expected schema: \n${problems.join("")}`;
    throw refuse("unexpected_failure", message);
  }
  return changed as Claims;
}
