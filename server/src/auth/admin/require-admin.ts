// Who is an administrator: the holder of a key with one of GOTRUE_JWT_ADMIN_ROLES.
import { refuse } from "../errors.ts";
import type { AuthParts, AuthCaller } from "../parts.ts";

export function requireAdmin({ settings }: AuthParts, caller: AuthCaller): void {
  if (!caller.hasBearer) throw refuse("no_authorization");
  if (!settings.JWT_ADMIN_ROLES.includes(caller.claims.role)) throw refuse("not_admin");
}
