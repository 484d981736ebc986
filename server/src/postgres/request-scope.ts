// Who makes a request, and the statement that tells the transaction: role, claims and what SQL may know of the request, all
// set locally.
import type { QueryConfig } from "pg";
import type { Departure } from "../platform/departure.ts";
import type { Claims } from "../platform/jwt.ts";
import type { RoleSettings } from "./role-settings.ts";

/** The caller, and what SQL may know of the request (read with current_setting('request.headers') and so on). */
export interface RequestScope {
  readonly claims: Claims;
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly readOnly?: boolean;
  /** The address whose turn it takes; left out for the server's own requests. */
  readonly address?: string | undefined;
  /** Its statements are cancelled when the client disconnects. */
  readonly departure?: Departure | undefined;
  /** Whether it takes a connection that visitors cannot take; left out, the service role's requests do. */
  readonly kept?: boolean | undefined;
}

export const begin = ({ readOnly }: RequestScope): string => (readOnly ? "begin read only" : "begin");

export const scopeStatement = (
  scope: RequestScope,
  { statementTimeout, lockTimeout }: RoleSettings,
): QueryConfig => ({
  name: "request_scope",
  text: `select set_config('role', $1, true), set_config('request.jwt.claims', $2, true),
    set_config('request.method', $3, true), set_config('request.path', $4, true),
    set_config('request.headers', $5, true), set_config('search_path', 'public, extensions', true),
    set_config('statement_timeout', coalesce($6, current_setting('statement_timeout')), true),
    set_config('lock_timeout', coalesce($7, current_setting('lock_timeout')), true)`,
  values: [
    scope.claims.role,
    JSON.stringify(scope.claims),
    scope.method ?? "",
    scope.path ?? "",
    JSON.stringify(scope.headers ?? {}),
    statementTimeout,
    lockTimeout,
  ],
});
