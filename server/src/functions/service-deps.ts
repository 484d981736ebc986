// What the functions service is given.
import type { Log } from "../platform/log.ts";
import type { InProcess } from "./handlers.ts";
import type { PoolDeps } from "./workers/pool.ts";

export interface FunctionsServiceDeps {
  /** The Supabase CLI's folder. */
  readonly project: string;
  /** For a project whose functions have a handler.ts; without it all run in Deno. */
  readonly inProcess?: InProcess | undefined;
  /** Milliseconds from the end of a run to the next, by function: what pg_cron calls on the platform. A query may follow. */
  readonly jobs?: Readonly<Record<string, number>> | undefined;
  readonly serviceKey: string;
  readonly anonKey: string;
  /**
   * For the functions that run in Deno: their folder, the API's address on this machine, and bounds that differ from the
   * defaults.
   */
  readonly workers: Pick<PoolDeps, "folder" | "apiUrl" | "deno"> & {
    readonly bounds?: Partial<PoolDeps["bounds"]> | undefined;
  };
  /** The address of site and API, without a trailing slash. Called on first use, when the port is open. */
  readonly siteUrl: () => string;
  readonly log: Log;
}
