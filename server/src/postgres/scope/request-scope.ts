// Who makes a request, and the statement that applies it to the transaction: role, claims and what SQL may know about the
// request, all set locally.
import type { QueryConfig } from "pg";
import type { Departure } from "../../platform/http/departure.ts";
import type { Claims } from "../../platform/keys/jwt.ts";
import type { RoleSettings } from "./role-settings.ts";

/** The caller, and what SQL may know about the request (read with current_setting('request.headers') and so on). */
export interface RequestScope {
  readonly claims: Claims;
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly readOnly?: boolean;
  /** The address whose turn it takes; left out for the server's own requests. */
  readonly address?: string | undefined;
  /** Nothing starts once the client has disconnected, and statements that keep running are cancelled. */
  readonly departure?: Departure | undefined;
  /** Whether it takes a connection that visitors cannot take; by default the service role's requests do. */
  readonly reserved?: boolean | undefined;
  /** Where unqualified names are looked up; `public, extensions` by default. */
  readonly searchPath?: string;
  /** Further settings of the transaction, by name; they override those of the role. */
  readonly settings?: Readonly<Record<string, string>>;
  /** A statement that runs first, under the caller's role. */
  readonly before?: string | undefined;
  /** Rolls everything back. */
  readonly rollback?: boolean;
}

const ISOLATIONS = ["read committed", "repeatable read", "serializable"];

export const begin = ({ readOnly }: RequestScope, { isolation: level }: RoleSettings): string => {
  const isolated = level !== undefined && ISOLATIONS.includes(level) ? ` isolation level ${level}` : "";
  return `begin${isolated}${readOnly ? " read only" : ""}`;
};

/** Whether PostgreSQL may begin and commit its transaction implicitly. */
export const isPlain = ({ before, rollback }: RequestScope, { isolation }: RoleSettings): boolean =>
  isolation === undefined && before === undefined && !rollback;

/** COMMIT also rolls a failed transaction back. */
export const end = ({ rollback }: RequestScope): string => (rollback ? "rollback" : "commit");

/** Statements by the names of their settings; a few dozen at most, since operators choose them. */
const shapes = new Map<string, { readonly name: string; readonly text: string }>();
const MAX_SHAPES = 200;

export function scopeStatement(scope: RequestScope, role: RoleSettings): QueryConfig {
  const settings: Record<string, string> = {
    role: scope.claims.role,
    "request.jwt.claims": JSON.stringify(scope.claims),
    "request.method": scope.method ?? "",
    "request.path": scope.path ?? "",
    "request.headers": JSON.stringify(scope.headers ?? {}),
    search_path: scope.searchPath ?? "public, extensions",
    ...(scope.readOnly ? { transaction_read_only: "on" } : {}),
    ...role.settings,
    ...scope.settings,
  };
  const names = Object.keys(settings);
  const values = Object.values(settings);
  const key = names.join();
  let shape = shapes.get(key);
  if (shape === undefined) {
    const calls = names.map(
      (name, index) => `set_config('${name.replaceAll("'", "''")}', $${index + 1}, true)`,
    );
    shape = { name: `request_scope_${shapes.size}`, text: `select ${calls.join(", ")}` };
    if (shapes.size >= MAX_SHAPES) return { text: shape.text, values };
    shapes.set(key, shape);
  }
  return { ...shape, values };
}
