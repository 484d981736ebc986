// What a failed request means: the server refused it, or its outcome is unknown.

export const UNREACHABLE = "The server could not be reached. Please check your connection and try again.";

/** An error from fetch, the auth service, the database or a function, as supabase-js passes it on. */
export interface Failure {
  readonly name?: string | undefined;
  readonly code?: string | undefined;
  /** The database's. */
  readonly hint?: string | undefined;
  /** The database's: the column that a rule of ours refused, or PostgreSQL's own words. */
  readonly details?: string | undefined | null;
  readonly message: string;
}

/**
 * Errors of data, constraints, privileges and our own rules. The other SQLSTATEs are temporary: timeouts, deadlocks, a server that is full
 * or restarting.
 */
const REFUSING = /^(22|23|42|P0|PT)...$/;

/** The database refused: nothing was done, and retrying changes nothing. */
export const isRefused = ({ code }: Pick<Failure, "code">): boolean => REFUSING.test(code ?? "");

/** Names of unreadable responses: auth-js has its own; fetch, a script that does not load and JSON have the standard ones. */
const UNANSWERED: ReadonlySet<string> = new Set([
  "AbortError",
  "AuthRetryableFetchError",
  "AuthUnknownError",
  "SyntaxError",
  "TimeoutError",
  "TypeError",
]);

/** No response, or only a gateway's own page, for which postgrest-js sets neither code nor name. */
export const isUnanswered = ({ name, code }: Failure): boolean =>
  name === undefined ? !code : UNANSWERED.has(name);
