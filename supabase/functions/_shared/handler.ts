// The frame around every function: allowed methods and callers, reading the body, rendering a refusal. The function itself
// contains only its own work.
import { isDatabaseUnavailable } from "contract/database-unavailable";
import { type FunctionErrorBody, functionErrorStatus } from "contract/errors";
import { isText, mediaTypeOf } from "contract/media-types";
import { z } from "zod";
import type { SignedInUser, FunctionDeps, Handler } from "./deps.ts";
import { FunctionError } from "./errors.ts";

type Work = (request: Request, deps: FunctionDeps) => Promise<unknown>;

/** Anybody may call. What `work` returns becomes the JSON response, unless it is a Response already. */
export function publicFunction(work: Work, methods: readonly string[] = ["POST"]): Handler {
  return async (request, deps) => {
    try {
      if (!methods.includes(request.method)) {
        throw new FunctionError("method_not_allowed", `Use ${methods.join(" or ")}.`);
      }
      const answer = await work(request, deps);
      return answer instanceof Response ? answer : Response.json(answer);
    } catch (error) {
      return refusal(error, deps);
    }
  };
}

/** The caller, if their session is alive. A function that buys, pays or returns an entry code must not trust the token alone. */
export async function liveCaller(request: Request, deps: FunctionDeps): Promise<SignedInUser | null> {
  const caller = await deps.caller(request);
  return caller && (await isLive(deps, caller)) ? caller : null;
}

/** False before the second step, and once the caller has signed out, been banned or been deleted. */
export async function isLive(
  { sql }: FunctionDeps,
  { userId, sessionId, aal }: SignedInUser,
): Promise<boolean> {
  const session = { user_id: userId, session_id: sessionId, aal };
  const [live] = await sql("usable_sessions", { p_sessions: [session] });
  return live === true;
}

/** Only a signed-in user may call. */
export function userFunction(
  work: (request: Request, deps: FunctionDeps, caller: SignedInUser) => Promise<unknown>,
): Handler {
  return publicFunction(async (request, deps) => {
    const caller = await liveCaller(request, deps);
    if (!caller) throw new FunctionError("unauthorized", "Please sign in first.");
    return work(request, deps, caller);
  });
}

/** Only a job with the service key may call. */
export function serviceFunction(work: Work): Handler {
  return publicFunction(async (request, deps) => {
    if (!(await deps.isService(request)))
      throw new FunctionError("forbidden", "This function is for the service itself.");
    return work(request, deps);
  });
}

/** The request's JSON body in the schema's shape; refuses with one line per fault in `details.issues`. */
export async function readBody<Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
): Promise<z.output<Schema>> {
  const notJson = (cause?: unknown) =>
    new FunctionError("invalid_request", "The request's body is not valid JSON.", { cause });
  // The gateway measures depth only in text, and parsing deeply nested JSON costs two hundred times as much.
  if (!isText(mediaTypeOf(request))) throw notJson();
  let body: unknown;
  try {
    body = JSON.parse(await request.text());
  } catch (error) {
    throw notJson(error);
  }
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => ({ path: issue.path.join("."), message: issue.message }));
  const [first] = issues;
  const message = first?.path
    ? `${first.path}: ${first.message}`
    : (first?.message ?? "The request is not valid.");
  throw new FunctionError("invalid_request", message, { details: { issues } });
}

/**
 * Renders any thrown error as `{error: {code, message, details}}`. An unexpected error is logged and answered without detail; a
 * refusal for lack of capacity (503) is counted by the gateway.
 */
export function refusal(error: unknown, deps: Pick<FunctionDeps, "log">): Response {
  const known =
    error instanceof FunctionError
      ? error
      : (callersFault(error) ??
        tooBusy(error) ??
        unavailable(error) ??
        new FunctionError("internal_error", "Something went wrong on our side. Please try again.", {
          cause: error,
        }));
  const status = functionErrorStatus[known.code];
  if (status >= 500 && known.code !== "too_busy")
    deps.log.error({ err: known.cause ?? known, code: known.code }, known.message);
  const { code, message, details } = known;
  const body: FunctionErrorBody = { error: { code, message, ...(details && { details }) } };
  return Response.json(body, { status, headers: retryAfter(known) });
}

/** PostgreSQL errors caused by the caller or by the request's content. */
function callersFault(error: unknown): FunctionError | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  // A token outlives a deleted account until it expires.
  if (error.code === "23503" && /"\w+_user_id_fkey"/.test(error.message)) {
    return new FunctionError("unauthorized", "This account no longer exists. Please sign in again.", {
      cause: error,
    });
  }
  // Text that is not UTF-8 or contains a NUL.
  if (error.code === "22021" || error.code === "22P05") {
    return new FunctionError("invalid_request", "The request contains text that cannot be stored.", {
      cause: error,
    });
  }
  return undefined;
}

/** The API's own code for a request that found no free connection in time, or was ended because others waited. */
function tooBusy(error: unknown): FunctionError | undefined {
  if (!(error instanceof Error) || !("code" in error) || error.code !== "PGRST003") return undefined;
  return new FunctionError("too_busy", "A lot of people are here right now. Please try again in a moment.", {
    cause: error,
  });
}

function unavailable(error: unknown): FunctionError | undefined {
  if (!(error instanceof Error) || !("code" in error) || !isDatabaseUnavailable(error.code)) return undefined;
  return new FunctionError("unavailable", "We can't do this right now. Please try again in a minute.", {
    cause: error,
  });
}

/** In seconds, for programs. People read the message. */
function retryAfter({ code, details }: FunctionError): Record<string, string> {
  if (code === "too_busy" || code === "unavailable") return { "retry-after": "5" };
  if (functionErrorStatus[code] !== 429) return {};
  const seconds = details?.["retry_after_seconds"] ?? details?.["pollAfterSeconds"];
  return { "retry-after": String(typeof seconds === "number" ? seconds : 60) };
}
