// What an operator can set, under PostgREST's own names: `db-schemas`, `db-max-rows` and so on. Settings come from the
// environment (PGRST_DB_SCHEMAS) and from the database (`alter role authenticator set pgrst.db_schemas = 'public, other'`),
// which takes precedence and is reloaded on NOTIFY pgrst, 'reload config'.
import { cachedRead } from "../platform/cached-read.ts";
import type { Log } from "../platform/log.ts";
import { StartError } from "../platform/start-error.ts";
import type { Database } from "../postgres/database.ts";

export interface RestSettings {
  /** Exposed schemas. Requests without a profile use the first one. */
  readonly schemas: readonly string[];
  /** Where SQL looks up unqualified names, after the request's schema. */
  readonly extraSearchPath: readonly string[];
  /** The maximum number of rows in an answer. */
  readonly maxRows: number | undefined;
  /** Whether `sum()` and the other aggregates may be selected. */
  readonly aggregates: boolean;
  /** Whether `application/vnd.pgrst.plan` is answered. */
  readonly plan: boolean;
  readonly txEnd: "commit" | "commit-allow-override" | "rollback" | "rollback-allow-override";
  /** A function called before each request, as its caller. */
  readonly preRequest: string | undefined;
  readonly serverTiming: boolean;
  /** `app.settings.*`, for SQL to read. */
  readonly app: Readonly<Record<string, string>>;
}

export type GivenSettings = Readonly<Record<string, string>>;

export const DEFAULT_SETTINGS: RestSettings = {
  schemas: ["public"],
  extraSearchPath: ["public", "extensions"],
  maxRows: 1000,
  aggregates: false,
  plan: false,
  txEnd: "commit",
  preRequest: undefined,
  serverTiming: false,
  app: {},
};

/** Thrown with the name of the setting and what it must be. */
class SettingError extends StartError {}

const list = (text: string): string[] =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);

const names = (text: string): string[] => {
  const found = list(text);
  if (found.length === 0) throw new SettingError("must name at least one schema");
  return found;
};

function flag(text: string): boolean {
  const value = text.trim().toLowerCase();
  if (!["true", "false"].includes(value)) throw new SettingError("must be true or false");
  return value === "true";
}

function rows(text: string): number | undefined {
  if (text.trim() === "") return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text.trim())) throw new SettingError("must be a whole number of at least 1");
  return Number(text);
}

const oneOf =
  <Word extends string>(...words: readonly Word[]) =>
  (text: string): Word => {
    const word = words.find((one) => one === text.trim());
    if (word === undefined) throw new SettingError(`must be one of ${words.join(", ")}`);
    return word;
  };

const optional = (text: string): string | undefined => text.trim() || undefined;

type Reader = (text: string) => Partial<RestSettings>;

const READERS: Readonly<Record<string, Reader>> = {
  "db-schemas": (text) => ({ schemas: names(text) }),
  "db-extra-search-path": (text) => ({ extraSearchPath: list(text) }),
  "db-max-rows": (text) => ({ maxRows: rows(text) }),
  "db-aggregates-enabled": (text) => ({ aggregates: flag(text) }),
  "db-plan-enabled": (text) => ({ plan: flag(text) }),
  "db-tx-end": (text) => ({
    txEnd: oneOf("commit", "commit-allow-override", "rollback", "rollback-allow-override")(text),
  }),
  "db-pre-request": (text) => ({ preRequest: optional(text) }),
  "server-timing-enabled": (text) => ({ serverTiming: flag(text) }),
};

const APP = "app-settings-";

/** `given` over `base`. Throws SettingError for an invalid value. Unknown names are ignored. */
export function withSettings(base: RestSettings, given: GivenSettings): RestSettings {
  return Object.entries(given).reduce((settings, [name, text]) => {
    if (name.startsWith(APP)) {
      const key = `app.settings.${name.slice(APP.length).replaceAll("-", "_")}`;
      return { ...settings, app: { ...settings.app, [key]: text } };
    }
    try {
      return { ...settings, ...READERS[name]?.(text) };
    } catch (error) {
      if (!(error instanceof SettingError)) throw error;
      throw new SettingError(`${name} ${error.message}`, { cause: error });
    }
  }, base);
}

export interface SettingsKeeper {
  current(): RestSettings | Promise<RestSettings>;
  /** Makes the next request reload the settings in the database. */
  invalidate(): void;
}

/** Invalid settings in the database log a warning, and the previous settings stay in force. */
export function createSettingsKeeper(database: Database, base: RestSettings, log: Log): SettingsKeeper {
  let last = base;

  const read = async () => {
    const given = await inDatabase(database);
    try {
      last = withSettings(base, given);
    } catch (error) {
      if (!(error instanceof SettingError)) throw error;
      log.warn(
        { setting: error.message },
        "a setting of the role authenticator is invalid; the previous settings stay in force",
      );
    }
    return last;
  };

  const settings = cachedRead(read);
  return { current: settings.current, invalidate: settings.forget };
}

// A setting for this database is read after one for all databases, and takes precedence.
const IN_DATABASE = `
select split_part(given.setting, '=', 1) as name, substr(given.setting, strpos(given.setting, '=') + 1) as value
from pg_db_role_setting s join pg_roles r on r.oid = s.setrole, unnest(s.setconfig) as given (setting)
where r.rolname = 'authenticator' and given.setting like 'pgrst.%'
  and s.setdatabase in (0, (select oid from pg_database where datname = current_database()))
order by s.setdatabase`;

async function inDatabase(database: Database): Promise<GivenSettings> {
  const { rows: found } = await database.run(CATALOG_READER, { text: IN_DATABASE });
  return Object.fromEntries(
    found.map(({ name, value }) => [
      String(name).slice("pgrst.".length).toLowerCase().replaceAll("_", "-"),
      String(value),
    ]),
  );
}

/**
 * The catalog is read as the role with the fewest rights: PostgreSQL shows it to everybody. It uses a connection that
 * visitors cannot occupy, and the timeout that a large schema needs.
 */
export const CATALOG_READER = {
  claims: { role: "anon" },
  reserved: true,
  readOnly: true,
  searchPath: "",
  settings: { statement_timeout: "60s" },
} as const;
