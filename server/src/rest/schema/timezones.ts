// The time zones PostgreSQL knows, for `Prefer: timezone`. Listing them reads hundreds of files, so it happens once, when a
// client first requests one.
import type { Database } from "../../postgres/database.ts";
import { CATALOG_READER } from "../settings.ts";

export function createTimezones(database: Database) {
  let known: Promise<ReadonlySet<string>> | undefined;
  const read = async () => {
    const { rows } = await database.run<{ name: string }>(CATALOG_READER, {
      text: "select name from pg_timezone_names",
    });
    return new Set(rows.map(({ name }) => name));
  };
  return {
    names(): Promise<ReadonlySet<string>> {
      const reading = (known ??= read());
      reading.catch(() => {
        if (known === reading) known = undefined;
      });
      return reading;
    },
  };
}
