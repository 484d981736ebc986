// The relay's own answers in front of the functions, in the words of Supabase's platform: functions-js distinguishes them
// from a function's answer by `x-relay-error`.
import { CORS_HEADERS } from "../platform/http/cors.ts";
import type { ServiceError } from "../platform/errors.ts";

const SEE_LOGS = "(please check logs)";

const ERRORS = {
  UNAUTHORIZED_NO_AUTH_HEADER: [401, "Missing authorization header"],
  UNAUTHORIZED_INVALID_JWT_FORMAT: [401, "Invalid JWT"],
  UNAUTHORIZED_LEGACY_JWT: [401, "Invalid JWT"],
  UNAUTHORIZED_ASYMMETRIC_JWT: [401, "Invalid JWT"],
  UNAUTHORIZED_UNSUPPORTED_TOKEN_ALGORITHM: [401, "Unsupported JWT algorithm"],
  NOT_FOUND: [404, "Requested function was not found"],
  RATE_LIMIT_EXCEEDED: [429, "Too many requests of your network are being answered. Please try again."],
  WORKER_ERROR: [500, `Function exited due to an error ${SEE_LOGS}`],
  BOOT_ERROR: [503, `Function failed to start ${SEE_LOGS}`],
  /** Our own: the platform has no such limit. */
  WORKERS_BUSY: [503, "All workers are busy. Please try again."],
  IDLE_TIMEOUT: [504, "Request idle timeout limit reached"],
  WORKER_RESOURCE_LIMIT: [546, `Function failed due to not having enough compute resources ${SEE_LOGS}`],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type RelayCode = keyof typeof ERRORS;

/** Returned instead of a function's answer. */
export class RelayError extends Error {
  readonly code: RelayCode;

  constructor(code: RelayCode, message: string = ERRORS[code][1], options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  /** Browsers of other origins may read it too, since the function cannot allow them. */
  answer(): Response {
    const { code, message } = this;
    const [status] = ERRORS[code];
    const headers = { ...CORS_HEADERS, "x-relay-error": "true", "sb-error-code": code };
    const answer = Response.json({ code, message }, { status, headers });
    if (code === "WORKERS_BUSY" || status === 429) answer.headers.set("retry-after", "1");
    return answer;
  }
}

/** Why a function that verifies tokens is not run. `refused` is the gateway's finding. */
export function tokenError({ headers }: Request, refused: ServiceError): RelayError {
  if (refused.code === "no_authorization" || !headers.has("authorization")) {
    return new RelayError("UNAUTHORIZED_NO_AUTH_HEADER");
  }
  if (refused.code === "no_bearer") {
    return new RelayError("UNAUTHORIZED_INVALID_JWT_FORMAT", refused.message);
  }
  const algorithm = algorithmOf(headers.get("authorization")!.split(/\s+/)[1]!);
  if (algorithm === undefined) return new RelayError("UNAUTHORIZED_INVALID_JWT_FORMAT");
  if (algorithm === "HS256") return new RelayError("UNAUTHORIZED_LEGACY_JWT");
  if (["ES256", "RS256", "EdDSA"].includes(algorithm)) return new RelayError("UNAUTHORIZED_ASYMMETRIC_JWT");
  const message = `Unsupported JWT algorithm ${algorithm}`;
  return new RelayError("UNAUTHORIZED_UNSUPPORTED_TOKEN_ALGORITHM", message);
}

function algorithmOf(token: string): string | undefined {
  try {
    const header: unknown = JSON.parse(Buffer.from(token.split(".", 1)[0]!, "base64url").toString("utf8"));
    const { alg } = header as { alg?: unknown };
    return typeof alg === "string" ? alg : undefined;
  } catch {
    return undefined;
  }
}
