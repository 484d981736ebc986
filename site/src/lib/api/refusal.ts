// What a failed request tells: that the server said no, or nothing about whether it was done.

export const UNREACHABLE = "The server could not be reached. Please check your connection and try again.";

/** An error of fetch, the auth service, the database or a function, as supabase-js hands it on. */
export interface Failure {
  readonly name?: string | undefined;
  readonly code?: string | undefined;
  readonly message: string;
}

/** Of data, constraints, privileges and our own rules. The other SQLSTATEs pass: timeouts, deadlocks, a server that is full or restarts. */
const REFUSING = /^(22|23|42|P0|PT)...$/;

/** The database said no: nothing was done, and asking again changes nothing. */
export const isRefused = ({ code }: Pick<Failure, "code">): boolean => REFUSING.test(code ?? "");

/** auth-js names what it could not read; fetch, a script that does not load and JSON have these names of old. */
const UNANSWERED: ReadonlySet<string> = new Set([
  "AuthRetryableFetchError",
  "AuthUnknownError",
  "SyntaxError",
  "TypeError",
]);

/** Nobody answered, or only a gateway with a page of its own: postgrest-js then has neither code nor name. */
export const isUnanswered = ({ name, code }: Failure): boolean =>
  name === undefined ? !code : UNANSWERED.has(name);
