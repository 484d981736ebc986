// What every service stands on, there before the first of them is wired.
import type { Clock } from "./platform/clock.ts";
import type { Config } from "./platform/config.ts";
import type { Tokens } from "./platform/jwt.ts";
import type { Log } from "./platform/log.ts";
import type { Secrets } from "./platform/secrets.ts";
import type { Database } from "./postgres/database.ts";
import type { Logins } from "./postgres/logins.ts";

export interface Ground {
  readonly config: Config;
  readonly secrets: Secrets;
  readonly jwtSecret: string;
  readonly tokens: Tokens;
  readonly keys: { readonly anon: string; readonly service: string };
  readonly clock: Clock;
  readonly log: Log;
  readonly database: Database;
  /** The database owner's address, and those of the server's own roles. */
  readonly databaseUrl: string;
  readonly logins: Logins;
  /** Where this machine reaches the server, and where visitors do. Without a trailing slash. */
  readonly localUrl: string;
  readonly siteUrl: string;
  /** Called when the festival stops, the last one first. */
  readonly closers: (() => unknown)[];
}
