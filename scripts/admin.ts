// `npm run admin -- grant EMAIL` makes an account an administrator, for when there is none yet. `npm run admin -- link EMAIL`
// prints a one-time link that sets an account's password, for when nobody knows it.
import { plainEmail } from "contract/people";
import { openDatabase } from "../server/src/postgres/database.ts";
import { commandLine } from "./command-line.ts";
import { readServerStatus } from "./server-status.ts";

function stop(message: string): never {
  console.error(message);
  process.exit(1);
}

const usage = "npm run admin -- grant EMAIL, or npm run admin -- link EMAIL";
const { positionals } = commandLine(usage, { allowPositionals: true });
const [command, typed = ""] = positionals;
const email = plainEmail(typed);
if ((command !== "grant" && command !== "link") || !email) {
  stop(`Usage: ${usage}`);
}
if (command === "link") {
  await printLink(email);
  process.exit(0);
}

const url = (await readServerStatus())?.values.DB_URL ?? process.env.DATABASE_URL;
if (!url) stop("The database is not running. Start it with: npm start");

const database = openDatabase(url, { sizes: { requests: 1, service: 1 } });
try {
  const { rows } = await database.asService("granted by the operator at the terminal").query<{ id: string }>(
    `with account as (select id from auth.users where lower(email) = lower($1)),
          granted as (insert into public.user_roles (user_id, role) select id, 'admin' from account
                      on conflict (user_id) do update set role = 'admin', expires_at = null
                        where user_roles.role <> 'admin')
     select id from account`,
    [email],
  );
  if (rows.length === 0) stop(`No account uses ${email}. Sign up first.`);
  console.log(`${email} is now an administrator.`);
} finally {
  await database.close();
}

async function printLink(to: string): Promise<void> {
  const server = await readServerStatus();
  if (!server) return stop("The server is not running. Start it with: npm start");
  const running = server.values;
  const answer = await fetch(`${server.localUrl}/auth/v1/admin/generate_link`, {
    method: "POST",
    headers: {
      apikey: running.SERVICE_ROLE_KEY!,
      authorization: `Bearer ${running.SERVICE_ROLE_KEY}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ type: "recovery", email: to }),
  });
  const { hashed_token: token, msg } = (await answer.json()) as { hashed_token?: string; msg?: string };
  if (!token) stop(`No link for ${to}: ${msg}`);
  console.log(`Works once, for an hour. Anyone who opens it can set the password of ${to}:`);
  // Placed after the #, so that it appears in no server's log.
  console.log(`${running.API_URL}/auth?mode=reset#token_hash=${token}`);
}
