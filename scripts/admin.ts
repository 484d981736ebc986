// `npm run admin -- grant EMAIL`: makes an account an administrator. The way in when nobody is one yet.
import { parseArgs } from "node:util";
import { openDatabase } from "../server/src/postgres/database.ts";
import { readServerStatus } from "./server-status.ts";

function stop(message: string): never {
  console.error(message);
  process.exit(1);
}

const { positionals } = parseArgs({ allowPositionals: true });
const [command, email] = positionals;
if (command !== "grant" || !email) stop("Usage: npm run admin -- grant EMAIL");

const url = readServerStatus()?.values.DB_URL ?? process.env.DATABASE_URL;
if (!url) stop("The database is not running. Start it with: npm start");

const database = openDatabase(url, { sizes: { requests: 1, service: 1 } });
try {
  const { rows } = await database.asService("granted by the operator at the terminal").query<{ id: string }>(
    `with account as (select id from auth.users where lower(email) = lower($1)),
          granted as (insert into public.user_roles (user_id, role) select id, 'admin' from account
                      on conflict do nothing)
     select id from account`,
    [email],
  );
  if (rows.length === 0) stop(`No account has the address ${email}. Sign up with it first.`);
  console.log(`${email} is an administrator.`);
} finally {
  await database.close();
}
