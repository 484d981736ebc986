// Brings the database up to date as its owner. Afterwards the server signs in with roles that own nothing; only replication
// keeps using the owner.
import type { Log } from "./platform/log.ts";
import { openDatabase } from "./postgres/database.ts";
import { type Logins, loginsOf, openLogins, signsIn } from "./postgres/setup/logins.ts";
import { migrate, type Project } from "./postgres/setup/migrate.ts";
import { requireRights } from "./postgres/setup/outside-rights.ts";

/** `password` is for the server's own roles; the embedded PostgreSQL requires none. */
export async function prepareDatabase(
  databaseUrl: string,
  password: string | undefined,
  project: Project,
  log: Log,
): Promise<Logins> {
  const logins = loginsOf(databaseUrl, password);
  const owned = openDatabase(databaseUrl, { sizes: { requests: 1, service: 1 } });
  try {
    const owner = owned.asService("migrations own the schema");
    if (password !== undefined) {
      const forLiveChanges = await requireRights(owner, password, (role) => signsIn(logins, role));
      if (forLiveChanges) log.warn({}, forLiveChanges);
    }
    await migrate(owner, project);
    if (password !== undefined) await openLogins(owner, logins, password);
  } finally {
    await owned.close();
  }
  return logins;
}
