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
  /** Nothing is begun once the client has disconnected, and what runs on for long is cancelled. */
  readonly departure?: Departure | undefined;
  /** Whether it takes a connection that visitors cannot take; left out, the service role's requests do. */
  readonly kept?: boolean | undefined;
  /** Where unqualified names are looked up; `public, extensions` when left out. */
  readonly searchPath?: string;
  /** More settings of the transaction, by name; they win over those of the role. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Instead of the role's own, e.g. of a function that asks for another. */
  readonly isolation?: string | undefined;
  /** A statement that runs first, as the caller. */
  readonly before?: string | undefined;
  /** Nothing it writes is kept. */
  readonly rollback?: boolean;
}

const ISOLATIONS = ["read committed", "repeatable read", "serializable"];

export const begin = ({ readOnly, isolation }: RequestScope, role: RoleSettings): string => {
  const level = isolation ?? role.isolation;
  const isolated = level !== undefined && ISOLATIONS.includes(level) ? ` isolation level ${level}` : "";
  return `begin${isolated}${readOnly ? " read only" : ""}`;
};

/** Whether its transaction is one that PostgreSQL begins and commits by itself. */
export const isPlain = ({ isolation, before, rollback }: RequestScope, role: RoleSettings): boolean =>
  isolation === undefined && role.isolation === undefined && before === undefined && !rollback;

/** With COMMIT a failed statement is rolled back too. */
export const end = ({ rollback }: RequestScope): string => (rollback ? "rollback" : "commit");

/** Texts by the settings' names; a few dozen at most, since operators choose them. */
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
