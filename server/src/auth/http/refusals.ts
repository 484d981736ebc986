// How a caller sees an error: a refusal as it is, anything else as an unexpected failure. The server's own faults are
// logged; the gateway counts what is refused for lack of capacity.
import { isDatabaseUnavailable } from "contract/database-unavailable";
import { ServiceError } from "../../platform/errors.ts";
import { isRefusal } from "../../platform/refusals.ts";
import { refuse } from "../errors.ts";
import type { AuthParts } from "../parts.ts";
import { withFragment } from "./redirects.ts";

export function refusalOf(parts: Pick<AuthParts, "log">, error: unknown, requestId: string): ServiceError {
  if (error instanceof ServiceError) {
    if (error.status >= 500 && !isRefusal(error.status))
      parts.log.error({ err: error, requestId }, "auth request refused");
    return error;
  }
  parts.log.error({ err: error, requestId }, "auth request failed");
  if (isDatabaseUnavailable((error as { code?: unknown } | null)?.code))
    return new ServiceError(503, "unexpected_failure", "The database is unavailable. Please try again.", {
      cause: error,
    });
  return refuse("unexpected_failure", undefined, { cause: error });
}

/** OAuth's error codes for HTTP statuses (RFC 6749, section 4.1.2.1). */
const OAUTH_ERRORS: Readonly<Record<number, string>> = {
  400: "invalid_request",
  401: "unauthorized_client",
  403: "access_denied",
  500: "server_error",
};

export const oauthError = (status: number): string => OAUTH_ERRORS[status] ?? "server_error";

/** Where someone who followed a link reads the refusal: `target` with the refusal in its fragment. */
export const withRefusal = (target: string, error: ServiceError): string =>
  withFragment(target, {
    ...(OAUTH_ERRORS[error.status] && { error: OAUTH_ERRORS[error.status]! }),
    error_code: error.code,
    error_description: error.message,
  });
