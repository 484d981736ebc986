// PostgREST's errors: every code the service raises itself, and the mapping of SQLSTATEs to HTTP. Owns the wire format
// {code, details, hint, message}; hides the RAISE conventions (PTxyz and PGRST) by which SQL decides the answer.
import { ServiceError } from "../platform/errors.ts";
import { TokenRefusal } from "../platform/keys/token-refusal.ts";

type Detail = string | readonly unknown[] | null;

/** A ServiceError with the fields that PostgREST's format adds. */
export class RestError extends ServiceError {
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: string,
    message: string,
    more: { details?: Detail; hint?: string | null; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(status, code, message, {
      cause: more.cause,
      extra: { details: more.details ?? null, hint: more.hint ?? null },
    });
    this.headers = more.headers ?? {};
  }
}

/** The request cannot be parsed: PGRST100. `where` is the position in `what`, counted from 1. */
export const unreadable = (what: string, where: number, details: string) =>
  new RestError(400, "PGRST100", `"${what}" (line 1, column ${where})`, { details });

export const tooMuchAsked = (details: string) =>
  new RestError(400, "PGRST100", "The request asks for too much at once", { details });

export const noBackReferences = () =>
  new RestError(400, "PGRST100", "Back-references are not supported in a regular expression", {
    details: "Matching one can take exponential time.",
  });

export const badMethodOnFunction = (method: string) =>
  new RestError(405, "PGRST101", `Cannot use the ${method} method on RPC`);

export const badBody = (message: string) => new RestError(400, "PGRST102", message);

export const badRange = (details: string) =>
  new RestError(416, "PGRST103", "Requested range not satisfiable", { details });

export const badPutFilters = () =>
  new RestError(405, "PGRST105", "Filters must include all and only primary key columns with 'eq' operators");

export const schemaNotExposed = (schema: string, exposed: readonly string[]) =>
  new RestError(406, "PGRST106", `Invalid schema: ${schema}`, {
    hint: `Only the following schemas are exposed: ${exposed.join(", ")}`,
  });

export const notAcceptable = (types: readonly string[]) =>
  new RestError(406, "PGRST107", `None of these media types are available: ${types.join(", ")}`);

export const notEmbedded = (resource: string) =>
  new RestError(400, "PGRST108", `'${resource}' is not an embedded resource in this request`, {
    hint: `Verify that '${resource}' is included in the 'select' query parameter.`,
  });

export const badResponseHeaders = () =>
  new RestError(
    500,
    "PGRST111",
    "response.headers guc must be a JSON array composed of objects with a single key and a string value",
  );

export const badResponseStatus = () =>
  new RestError(500, "PGRST112", "response.status guc must be a valid status code");

export const limitWithPut = () =>
  new RestError(400, "PGRST114", "limit/offset querystring parameters are not allowed for PUT");

export const badPutPayload = () =>
  new RestError(400, "PGRST115", "Payload values do not match URL in primary key column(s)");

export const notSingular = (rows: number) =>
  new RestError(406, "PGRST116", "Cannot coerce the result to a single JSON object", {
    details: `The result contains ${rows} rows`,
  });

export const unsupportedMethod = (method: string) =>
  new RestError(405, "PGRST117", `Unsupported HTTP method: ${method}`);

export const notToOne = (origin: string, target: string) =>
  new RestError(400, "PGRST118", `A related order on '${target}' is not possible`, {
    details: `'${origin}' and '${target}' do not form a many-to-one or one-to-one relationship`,
  });

export const badEmbedFilter = (target: string) =>
  new RestError(400, "PGRST120", `Bad operator on the '${target}' embedded resource`, {
    details: "Only is null or not is null filters are allowed on embedded resources",
  });

export const badPreferences = (preferences: readonly string[]) =>
  new RestError(400, "PGRST122", "Invalid preferences given with handling=strict", {
    details: `Invalid preferences: ${preferences.join(", ")}`,
  });

/** PostgREST commits silently, but a client that asks for a rollback does not expect rows to be written. */
export const mayNotRollBack = () =>
  new RestError(400, "PGRST122", "Rolling back transactions is not enabled", {
    details: "Invalid preferences: tx=rollback",
    hint: "Set db-tx-end to commit-allow-override to let clients choose.",
  });

export const noAggregates = () => new RestError(400, "PGRST123", "Use of aggregate functions is not allowed");

export const tooManyAffected = (rows: number) =>
  new RestError(400, "PGRST124", "Query result exceeds max-affected preference constraint", {
    details: `The query affects ${rows} rows`,
  });

export const badPath = () => new RestError(404, "PGRST125", "Invalid path specified in request URL");

export const noAggregatesInLists = () =>
  new RestError(400, "PGRST127", "Feature not implemented", {
    details: "Aggregates are not implemented for one-to-many or many-to-many spreads.",
  });

export const maxAffectedOnScalar = () =>
  new RestError(
    400,
    "PGRST128",
    "Function must return SETOF or TABLE when max-affected preference is used with handling=strict",
  );

export const unknownColumn = (table: string, column: string) =>
  new RestError(400, "PGRST204", `Could not find the '${column}' column of '${table}' in the schema cache`);

export const unknownTable = (schema: string, table: string, near: string | undefined) =>
  new RestError(404, "PGRST205", `Could not find the table '${schema}.${table}' in the schema cache`, {
    hint: near === undefined ? null : `Perhaps you meant the table '${schema}.${near}'`,
  });

export const unknownType = (name: string) => new RestError(400, "42704", `type "${name}" does not exist`);

export const internalError = (cause: unknown) =>
  new RestError(500, "PGRST000", "Internal server error", { cause });

/** A refused token, in PostgREST's words. Other reasons keep the gateway's own. */
const TOKEN_FAILURES: Readonly<Record<string, { code: string; message: string }>> = {
  token_expired: { code: "PGRST303", message: "JWT expired" },
  invalid_token: { code: "PGRST301", message: "JWT couldn't be decoded" },
};

function ofToken(error: ServiceError): ServiceError {
  const known = TOKEN_FAILURES[error.code];
  if (known === undefined) return error;
  const reason = error.cause instanceof TokenRefusal ? error.cause : undefined;
  const message = reason?.message ?? known.message;
  const code = reason === undefined ? known.code : reason.stage === "decode" ? "PGRST301" : "PGRST303";
  return new RestError(401, code, message, {
    details: reason?.details ?? null,
    headers: {
      "www-authenticate": `Bearer error="invalid_token", error_description=${JSON.stringify(message)}`,
    },
  });
}

/** The wire format. The gateway's own errors come through here too. */
export function renderError(given: ServiceError): Response {
  const error = ofToken(given);
  const headers = new Headers({
    "content-type": "application/json; charset=utf-8",
    "proxy-status": `PostgREST; error=${error.code}`,
  });
  if (error.status === 401) headers.set("www-authenticate", "Bearer");
  if (error instanceof RestError) {
    for (const [name, value] of Object.entries(error.headers)) headers.set(name, value);
  }
  return new Response(errorBody(error), { status: error.status, headers });
}

export function errorBody({ code, message, extra }: ServiceError): string {
  return JSON.stringify({ code, details: extra.details ?? null, hint: extra.hint ?? null, message });
}
