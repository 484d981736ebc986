// The rights that the owner of an external database needs before the server can set it up. PostgreSQL lets only a superuser
// create a role that bypasses row-level security (from 16 on also a role that bypasses it), and a role without CREATEROLE
// creates none.
import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";
import pg from "pg";
import { StartError } from "../../platform/start-error.ts";
import type { Executor } from "../executor.ts";

interface Owner {
  readonly name: string;
  readonly database: string;
  readonly version: number;
  readonly strong: boolean;
  readonly creates: boolean;
  readonly bypasses: boolean;
  readonly replicates: boolean;
  /** May create schemas in the database, and tables in its schema public. */
  readonly owns: boolean;
  readonly walLevel: string;
}

interface Found {
  readonly role: string;
  readonly bypasses: boolean;
  readonly logs_in: boolean;
  /** Granted to the owner with ADMIN OPTION. */
  readonly admin: boolean;
  /** The roles that may become it. */
  readonly members: readonly string[];
}

/** As created by server/migrations/010_roles.sql. */
const ROLES: Readonly<Record<string, string>> = {
  anon: "nologin noinherit",
  authenticated: "nologin noinherit",
  service_role: "nologin noinherit bypassrls",
  authenticator: "login noinherit",
  api_server: "login bypassrls",
  supabase_auth_admin: "nologin noinherit",
  supabase_storage_admin: "nologin noinherit",
  supabase_realtime_admin: "nologin noinherit",
};
const REQUEST_ROLES = ["anon", "authenticated", "service_role"];
const LOGINS = ["authenticator", "api_server"];

/**
 * Throws StartError with the SQL that a superuser has to run, where the owner cannot do it itself. `signsIn`: whether a login
 * role already has its password. Returns, in words, what is missing for live changes only.
 */
export async function requireRights(
  owner: Executor,
  password: string,
  signsIn: (role: string) => Promise<boolean>,
): Promise<string | undefined> {
  const { rows: me } = await owner.query<Owner & pg.QueryResultRow>(WHO);
  const { rows } = await owner.query<Found & pg.QueryResultRow>(WHICH, [Object.keys(ROLES)]);
  const known = await passworded(me[0]!, rows, signsIn);
  const missing = missingSql(me[0]!, rows, password, known);
  if (missing.length === 0) return liveChangesNeed(me[0]!);
  throw new StartError(
    `DATABASE_URL's user ${me[0]!.name} may not set up the database ${me[0]!.database}. ` +
      `Have a superuser run this in it, then start again:\n\n${missing.map((line) => `  ${line};`).join("\n")}\n`,
  );
}

const WHO = `select rolname as name, current_database() as database, current_setting('server_version_num')::int as version,
    rolsuper as strong, rolcreaterole as creates, rolbypassrls as bypasses, rolreplication as replicates,
    has_database_privilege(current_database(), 'create') and has_schema_privilege('public', 'create') as owns,
    current_setting('wal_level') as "walLevel"
  from pg_roles where rolname = current_user`;

// PostgreSQL 16 makes the creator of a role a member that may not become it; 15 has no such column.
const WHICH = `select rolname as role, rolbypassrls as bypasses, rolcanlogin as logs_in,
    pg_has_role(current_user, oid, 'member with admin option') as admin,
    array(select member::regrole::text from pg_auth_members m
      where roleid = r.oid and coalesce((to_jsonb(m) ->> 'set_option')::boolean, true)) as members
  from pg_roles r where rolname = any ($1)`;

function missingSql(
  me: Owner,
  found: readonly Found[],
  password: string,
  passworded: ReadonlySet<string>,
): string[] {
  const roles = new Map(found.map((one) => [one.role, one]));
  // All or none: a role that the owner creates later cannot be granted anything beforehand.
  const makesMissing =
    me.strong ||
    (me.creates &&
      Object.keys(ROLES).every(
        (role) =>
          roles.has(role) || !ROLES[role]!.includes("bypassrls") || (me.version >= 160_000 && me.bypasses),
      ));
  const grants = (role: string) => {
    const there = roles.get(role);
    if (!there) return makesMissing;
    return me.strong || there.admin || (me.version < 160_000 && me.creates);
  };
  const setsPassword = (role: string) => {
    const there = roles.get(role);
    return there ? me.strong || (me.creates && (me.version < 160_000 || there.admin)) : makesMissing;
  };
  const secret = (role: string) =>
    LOGINS.includes(role) ? ` password ${pg.escapeLiteral(scramVerifier(password))}` : "";

  const made = Object.entries(ROLES).flatMap(([role, attributes]) => {
    const there = roles.get(role);
    if (!there) return makesMissing ? [] : [`create role ${role} ${attributes}${secret(role)}`];
    const bypass =
      attributes.includes("bypassrls") && !there.bypasses ? [`alter role ${role} bypassrls`] : [];
    const hasLogin = !LOGINS.includes(role) || setsPassword(role) || (there.logs_in && passworded.has(role));
    return [...bypass, ...(hasLogin ? [] : [`alter role ${role} login${secret(role)}`])];
  });
  const memberships = [
    ...[...LOGINS, ...(me.strong ? [] : [me.name])].flatMap((member) =>
      REQUEST_ROLES.map((role) => [role, member] as const),
    ),
    ["authenticator", "api_server"] as const,
  ].filter(([role, member]) => !grants(role) && !roles.get(role)?.members.includes(quoted(member)));
  return [
    ...made,
    ...memberships.map(([role, member]) => `grant ${role} to ${quoted(member)}`),
    ...(me.owns ? [] : [`alter database ${quoted(me.database)} owner to ${quoted(me.name)}`]),
  ];
}

/** As PostgreSQL prints a role's name. */
const quoted = (name: string) => (/^[a-z_][a-z0-9_$]*$/.test(name) ? name : pg.escapeIdentifier(name));

async function passworded(
  me: Owner,
  found: readonly Found[],
  signsIn: (role: string) => Promise<boolean>,
): Promise<ReadonlySet<string>> {
  if (me.strong) return new Set();
  const there = LOGINS.filter((role) => found.some((one) => one.role === role));
  const open = await Promise.all(there.map(signsIn));
  return new Set(there.filter((_, index) => open[index]));
}

function liveChangesNeed(me: Owner): string | undefined {
  const needs = [
    ...(me.walLevel === "logical" ? [] : ["wal_level=logical in postgresql.conf"]),
    ...(me.strong || me.replicates ? [] : [`alter role ${quoted(me.name)} replication`]),
  ];
  return needs.length === 0 ? undefined : `Live changes need: ${needs.join("; ")}`;
}

/** PostgreSQL's stored form of a password (RFC 5803), so that logged SQL does not reveal the password. */
function scramVerifier(password: string): string {
  const iterations = 4096;
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, iterations, 32, "sha256");
  const keyed = (text: string) => createHmac("sha256", salted).update(text).digest();
  const stored = createHash("sha256").update(keyed("Client Key")).digest("base64");
  return `SCRAM-SHA-256$${iterations}:${salt.toString("base64")}$${stored}:${keyed("Server Key").toString("base64")}`;
}
