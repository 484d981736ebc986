// The roles the server signs in as: one for requests and one for the services' own statements. Neither owns anything
// (server/migrations/010_roles.sql). The embedded cluster trusts anyone who can reach its socket; elsewhere both roles have a
// password that every process derives from the same secret.
import { createHmac } from "node:crypto";
import pg from "pg";
import { StartError } from "../../platform/start-error.ts";
import type { ServiceDatabase } from "../executor.ts";

export interface Logins {
  /** May only become anon, authenticated and service_role. */
  readonly requests: string;
  readonly services: string;
}

const ROLES = { requests: "authenticator", services: "api_server" } as const;

/** `url` is the owner's. Without a password, the database requires none. */
export function loginsOf(url: string, password?: string): Logins {
  const as = (role: string) => {
    const address = new URL(url);
    address.username = role;
    address.password = password ?? "";
    return address.href;
  };
  return { requests: as(ROLES.requests), services: as(ROLES.services) };
}

export const loginPassword = (secret: string): string =>
  createHmac("sha256", secret).update("the passwords of the database's login roles").digest("base64url");

/** Whether a login role can sign in at its address. */
export async function signsIn(logins: Logins, role: string): Promise<boolean> {
  const name = (Object.keys(ROLES) as (keyof Logins)[]).find((login) => ROLES[login] === role)!;
  return (await signInProblem(logins[name])) === undefined;
}

/** Sets the password of each role that cannot sign in with it. Throws StartError when that does not help. */
export async function openLogins(owner: ServiceDatabase, logins: Logins, password: string): Promise<void> {
  const quoted = pg.escapeLiteral(password);
  for (const [name, role] of Object.entries(ROLES)) {
    const url = logins[name as keyof Logins];
    if ((await signInProblem(url)) === undefined) continue;
    try {
      await owner.query(`alter role ${role} login password ${quoted}`);
    } catch (error) {
      throw refusal(`DATABASE_URL's user may not set the password of the role ${role}`, error);
    }
    const problem = await signInProblem(url);
    if (problem) throw refusal(`the role ${role} cannot sign in to the database of DATABASE_URL`, problem);
  }
}

async function signInProblem(url: string): Promise<Error | undefined> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    return undefined;
  } catch (error) {
    return error as Error;
  } finally {
    await client.end().catch(() => {});
  }
}

const refusal = (what: string, cause: unknown) =>
  new StartError(`${what}: ${(cause as Error).message}. See "Another PostgreSQL" in docs/OPERATING.md.`, {
    cause,
  });
