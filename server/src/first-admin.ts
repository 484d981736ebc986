// The first start makes an administrator with a generated password, so that somebody can enter the back office. The
// password is shown for as long as it is the one in use.
import type { Database } from "./postgres/database.ts";

/** Alerts about payments go here too. */
export const FIRST_ADMIN_EMAIL = "admin@festival.example";

export interface FirstAdmin {
  readonly email: string;
  /** Until it was changed. */
  readonly password: string | undefined;
}

export async function ensureFirstAdmin(deps: {
  readonly database: Database;
  readonly password: string;
  readonly api: (request: Request) => Promise<Response>;
  readonly serviceKey: string;
  readonly apiUrl: string;
}): Promise<FirstAdmin> {
  const database = deps.database.asService(
    "the first administrator exists before anybody could grant the role",
  );
  const { rows } = await database.query(
    `select u.email, u.encrypted_password = f.encrypted_password as untouched
     from auth.users u join public.user_roles r on r.user_id = u.id and r.role = 'admin'
     left join server_migrations.first_admin f on f.user_id = u.id
     order by f.user_id is null, u.created_at limit 1`,
  );
  const found = rows[0];
  if (found) return { email: found.email, password: found.untouched ? deps.password : undefined };

  const ask = async (path: string, body: object) => {
    const request = new Request(`${deps.apiUrl}/auth/v1/${path}`, {
      method: "POST",
      headers: {
        apikey: deps.serviceKey,
        authorization: `Bearer ${deps.serviceKey}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ email: FIRST_ADMIN_EMAIL, password: deps.password, ...body }),
    });
    return (await (await deps.api(request)).json()) as { id?: string; user?: { id: string }; msg?: string };
  };
  const made = await ask("admin/users", { email_confirm: true });
  // A start that broke off here has left the account without its role; that it is ours, its password proves.
  const id = made.id ?? (await ask("token?grant_type=password", {})).user?.id;
  if (!id) throw new Error(`The first administrator could not be made: ${made.msg}`);
  await database.query(
    `with role as (insert into public.user_roles (user_id, role) values ($1, 'admin'))
     insert into server_migrations.first_admin select id, encrypted_password from auth.users where id = $1`,
    [id],
  );
  return { email: FIRST_ADMIN_EMAIL, password: deps.password };
}
