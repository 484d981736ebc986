// What every service depends on, created before the first of them.
import type { AuthSettings } from "./auth/settings/settings.ts";
import type { Clock } from "./platform/clock.ts";
import type { Brand } from "./platform/brand.ts";
import type { ServerConfig } from "./platform/config.ts";
import type { Tokens } from "./platform/keys/jwt.ts";
import type { Log } from "./platform/log.ts";
import type { Secrets } from "./platform/keys/secrets.ts";
import type { Database } from "./postgres/database.ts";
import type { Logins } from "./postgres/setup/logins.ts";
import type { Project } from "./postgres/setup/migrate.ts";

export interface Dependencies {
  readonly config: ServerConfig;
  readonly brand: Brand;
  readonly project: Project;
  /** Undefined where no sign-in setting is given, so that the defaults apply. */
  readonly authSettings: AuthSettings | undefined;
  readonly secrets: Secrets;
  readonly jwtSecret: string;
  readonly tokens: Tokens;
  readonly keys: { readonly anon: string; readonly service: string };
  readonly clock: Clock;
  readonly log: Log;
  readonly database: Database;
  /** The address of the database owner, and those of the server's own roles. */
  readonly databaseUrl: string;
  readonly logins: Logins;
  /** The server's addresses for this machine and for visitors, without a trailing slash. */
  readonly localUrl: string;
  readonly siteUrl: string;
  /** Called in reverse order when the server stops. */
  readonly closers: Closer[];
}

/** Ends a part of the server; the name is for the log. */
export interface Closer {
  readonly part: string;
  close(): unknown;
}
