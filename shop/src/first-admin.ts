// The first start creates an administrator, so that someone can enter the back office. In a sandbox they get a generated
// password, shown as long as it is in use. Where money is real they get none; a one-time link sets it.
import type { Database } from "../../server/src/postgres/database.ts";
import type { ServiceDatabase } from "../../server/src/postgres/executor.ts";

/** A sandbox's payment alerts go here too: nobody else is known, and the mailbox shows them. */
export const FIRST_ADMIN_EMAIL = "admin@festival.example";

export interface FirstAdmin {
  readonly email: string;
  /** In a sandbox, until it is changed. */
  readonly password: string | undefined;
  /** Nobody can sign in as the administrator until a link has set a password. */
  readonly needsPassword: boolean;
}

export interface FirstAdminDeps {
  readonly database: Database;
  /** Undefined where nobody may read it. A password generated earlier and not changed then stops working. */
  readonly password: string | undefined;
  readonly api: (request: Request) => Promise<Response>;
  readonly serviceKey: string;
  readonly apiUrl: string;
}

export async function ensureFirstAdmin(deps: FirstAdminDeps): Promise<FirstAdmin> {
  const database = deps.database.asService(
    "the first administrator exists before anybody could grant the role",
  );
  return (await existing(database, deps.password)) ?? (await make(database, deps));
}

async function existing(
  database: ServiceDatabase,
  password: string | undefined,
): Promise<FirstAdmin | undefined> {
  const { rows } = await database.query(
    `select u.id, u.email, u.encrypted_password is null as open, u.encrypted_password = f.encrypted_password as untouched
     from auth.users u join public.user_roles r on r.user_id = u.id and r.role = 'admin'
     left join server_migrations.first_admin f on f.user_id = u.id
     order by f.user_id is null, u.created_at limit 1`,
  );
  const found = rows[0];
  if (!found) return undefined;
  if (found.untouched && password === undefined) {
    await database.transaction(async (tx) => {
      await tx.query("update auth.users set encrypted_password = null where id = $1", [found.id]);
      await tx.query("delete from auth.sessions where user_id = $1", [found.id]);
    });
    return { email: found.email, password: undefined, needsPassword: true };
  }
  return {
    email: found.email,
    password: found.untouched ? password : undefined,
    needsPassword: found.open,
  };
}

/** Whether the account still has the generated password. */
export async function isFirstPasswordInUse(database: Database): Promise<boolean> {
  const { rows } = await database
    .asService("a changed password must no longer be shown")
    .query(
      "select from auth.users u join server_migrations.first_admin f on f.user_id = u.id and f.encrypted_password = u.encrypted_password",
    );
  return rows.length > 0;
}

async function make(database: ServiceDatabase, deps: FirstAdminDeps): Promise<FirstAdmin> {
  const { password } = deps;
  const made = await ask(deps, "admin/users", { email_confirm: true });
  const id = made.id ?? (await leftWithoutRole(database, deps));
  if (!id) throw new Error(`The first administrator could not be created: ${made.msg}`);
  await database.query(
    `with role as (insert into public.user_roles (user_id, role) values ($1, 'admin'))
     insert into server_migrations.first_admin
       select id, encrypted_password from auth.users where id = $1 and encrypted_password is not null`,
    [id],
  );
  return { email: FIRST_ADMIN_EMAIL, password, needsPassword: password === undefined };
}

/**
 * An interrupted start leaves the account without its role. It is recognized as ours by its password, or by being confirmed
 * without one.
 */
async function leftWithoutRole(database: ServiceDatabase, deps: FirstAdminDeps): Promise<string | undefined> {
  if (deps.password !== undefined) return (await ask(deps, "token?grant_type=password", {})).user?.id;
  const { rows } = await database.query<{ id: string }>(
    "select id from auth.users where email = $1 and encrypted_password is null and email_confirmed_at is not null",
    [FIRST_ADMIN_EMAIL],
  );
  return rows[0]?.id;
}

interface AuthAnswer {
  id?: string;
  user?: { id: string };
  msg?: string;
}

async function ask(deps: FirstAdminDeps, path: string, body: object): Promise<AuthAnswer> {
  const request = new Request(`${deps.apiUrl}/auth/v1/${path}`, {
    method: "POST",
    headers: {
      apikey: deps.serviceKey,
      authorization: `Bearer ${deps.serviceKey}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ email: FIRST_ADMIN_EMAIL, password: deps.password, ...body }),
  });
  return (await (await deps.api(request)).json()) as AuthAnswer;
}
