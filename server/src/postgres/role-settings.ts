// How long a role's statements may run and wait for locks. As PostgREST does, the settings an operator gave a role
// (`alter role anon set statement_timeout = '3s'`) hold for the requests made as it.
import type { Executor } from "./executor.ts";

export interface RoleSettings {
  readonly statementTimeout: string | null;
  readonly lockTimeout: string | null;
}

/** The platform's defaults, used where the operator has set nothing. The service itself is not limited. */
const DEFAULTS: Readonly<Record<string, RoleSettings>> = {
  anon: { statementTimeout: "3s", lockTimeout: "3s" },
  authenticated: { statementTimeout: "8s", lockTimeout: "8s" },
};
const NONE: RoleSettings = { statementTimeout: null, lockTimeout: null };

export interface RoleSettingsKeeper {
  of(role: string): Promise<RoleSettings> | RoleSettings;
  /** The next request reads them again. */
  forget(): void;
}

export function createRoleSettings(read: () => Executor): RoleSettingsKeeper {
  let known: ReadonlyMap<string, RoleSettings> | undefined;
  let reading: Promise<ReadonlyMap<string, RoleSettings>> | undefined;

  async function load(): Promise<ReadonlyMap<string, RoleSettings>> {
    // A setting for this database is read after one for all databases, and wins.
    const { rows } = await read().query<{ role: string; settings: string[] }>(
      `select r.rolname as role, s.setconfig as settings
       from pg_db_role_setting s join pg_roles r on r.oid = s.setrole
       where r.rolname in ('anon', 'authenticated', 'service_role')
         and s.setdatabase in (0, (select oid from pg_database where datname = current_database()))
       order by s.setdatabase`,
    );
    const found = new Map(Object.entries(DEFAULTS));
    for (const { role, settings } of rows) {
      const given = new Map(
        settings.map((setting) => [setting.split("=", 1)[0], setting.replace(/^.*?=/, "")]),
      );
      const { statementTimeout, lockTimeout } = found.get(role) ?? NONE;
      found.set(role, {
        statementTimeout: given.get("statement_timeout") ?? statementTimeout,
        lockTimeout: given.get("lock_timeout") ?? lockTimeout,
      });
    }
    return found;
  }

  const current = () => {
    if (known) return known;
    const started = (reading ??= load());
    return started.then(
      (found) => {
        if (reading === started) known = found;
        return found;
      },
      (error: unknown) => {
        if (reading === started) reading = undefined;
        throw error;
      },
    );
  };

  return {
    of(role) {
      const settings = current();
      if (!(settings instanceof Promise)) return settings.get(role) ?? NONE;
      return settings.then((found) => found.get(role) ?? NONE);
    },
    forget() {
      known = undefined;
      reading = undefined;
    },
  };
}
