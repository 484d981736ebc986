// Accounts for tests that are not about signing up: created by the service, confirmed, with unique addresses.
import { randomBytes } from "node:crypto";
import { hashSync } from "bcrypt";
import pg from "pg";
import { serviceClient } from "../server/clients.ts";

export interface Account {
  readonly id: string;
  readonly email: string;
  readonly password: string;
}

const PASSWORD = "swangas and vogues";
/**
 * Of the lowest cost. Hashing as for real people, and comparing once, would take each test 0.1 s of processor time.
 */
const HASH = hashSync(PASSWORD, 4);

export function newEmail(name = "buyer"): string {
  return `${name}-${randomBytes(5).toString("hex")}@example.com`;
}

export async function createAccount(status: Readonly<Record<string, string>>): Promise<Account> {
  const email = newEmail();
  const { data, error } = await serviceClient(status).auth.admin.createUser({ email, email_confirm: true });
  if (error) throw error;
  const { id } = data.user;
  await databaseOf(status.DB_URL!).query("update auth.users set encrypted_password = $1 where id = $2", [
    HASH,
    id,
  ]);
  return { id, email, password: PASSWORD };
}

const databases = new Map<string, pg.Pool>();

/** One for each server that a worker's tests run against. */
function databaseOf(url: string): pg.Pool {
  const known = databases.get(url);
  if (known) return known;
  const database = new pg.Pool({ connectionString: url, max: 1, allowExitOnIdle: true });
  database.on("error", () => {}); // it is idle when its server stops
  databases.set(url, database);
  return database;
}
