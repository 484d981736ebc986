// An operator's settings for a role (`alter role anon set statement_timeout = '3s'`) apply to the requests made as it, as in
// PostgREST: whatever a session may set itself, and the isolation of its transactions.
import { cachedRead } from "../../platform/cached-read.ts";
import type { Executor } from "../executor.ts";

export interface RoleSettings {
  readonly settings: Readonly<Record<string, string>>;
  readonly isolation?: string | undefined;
}

/** The platform's defaults, used where the operator has set nothing. There the service has those of `authenticator`. */
const DEFAULTS: Readonly<Record<string, RoleSettings>> = {
  anon: { settings: { statement_timeout: "3s", lock_timeout: "3s" } },
  authenticated: { settings: { statement_timeout: "8s", lock_timeout: "8s" } },
  service_role: { settings: { statement_timeout: "8s", lock_timeout: "8s" } },
};
const NONE: RoleSettings = { settings: {} };

export interface RoleSettingsKeeper {
  of(role: string): Promise<RoleSettings> | RoleSettings;
  /** The next request reads them again. */
  forget(): void;
}

// A setting for this database is read after one for all databases, and wins. `role` and the like would replace the caller.
const READ = `
select r.rolname as role, lower(split_part(given.setting, '=', 1)) as name,
  substr(given.setting, strpos(given.setting, '=') + 1) as value
from pg_db_role_setting s join pg_roles r on r.oid = s.setrole
cross join unnest(s.setconfig) with ordinality as given (setting, place)
join pg_settings known on known.name = lower(split_part(given.setting, '=', 1)) and known.context = 'user'
where s.setdatabase in (0, (select oid from pg_database where datname = current_database()))
  and known.name not in ('role', 'session_authorization')
order by s.setdatabase, given.place`;

export function createRoleSettings(read: () => Executor): RoleSettingsKeeper {
  async function load(): Promise<ReadonlyMap<string, RoleSettings>> {
    const { rows } = await read().query<{ role: string; name: string; value: string }>(READ);
    const found = new Map(Object.entries(DEFAULTS));
    for (const { role, name, value } of rows) {
      const before = found.get(role) ?? NONE;
      found.set(
        role,
        name === "default_transaction_isolation"
          ? { ...before, isolation: value.toLowerCase() }
          : { ...before, settings: { ...before.settings, [name]: value } },
      );
    }
    return found;
  }

  const all = cachedRead(load);

  return {
    of(role) {
      const settings = all.current();
      if (!(settings instanceof Promise)) return settings.get(role) ?? NONE;
      return settings.then((found) => found.get(role) ?? NONE);
    },
    forget: all.forget,
  };
}
