// Every refusal of this service: GoTrue's codes, statuses and messages in one table, and its two wire formats.
import { ServiceError } from "../platform/errors.ts";

const REFUSALS = {
  anonymous_provider_disabled: [422, "Anonymous sign-ins are disabled"],
  bad_code_verifier: [400, "code challenge does not match previously saved code verifier"],
  bad_json: [400, "Could not parse request body as JSON"],
  bad_jwt: [403, "invalid JWT: unable to parse or verify signature"],
  conflict: [409, "The user cannot be deleted"],
  email_exists: [422, "A user with this email address has already been registered"],
  email_not_confirmed: [400, "Email not confirmed"],
  flow_state_expired: [422, "invalid flow state, flow state has expired"],
  flow_state_not_found: [404, "invalid flow state, no valid flow state found"],
  invalid_credentials: [400, "Invalid login credentials"],
  not_admin: [403, "User not allowed"],
  otp_expired: [403, "Token has expired or is invalid"],
  over_email_send_rate_limit: [429, "For security purposes, you can only request this once every minute"],
  over_request_rate_limit: [429, "Request rate limit reached"],
  phone_provider_disabled: [400, "Phone signups are disabled"],
  reauthentication_needed: [400, "Password update requires reauthentication"],
  refresh_token_already_used: [400, "Invalid Refresh Token: Already Used"],
  refresh_token_not_found: [400, "Invalid Refresh Token: Refresh Token Not Found"],
  same_password: [422, "New password should be different from the old password."],
  session_expired: [400, "Invalid Refresh Token: Session Expired"],
  session_not_found: [403, "Session from session_id claim in JWT does not exist"],
  unexpected_failure: [500, "Unexpected failure, please check server logs for more information"],
  user_banned: [403, "User is banned"],
  user_not_found: [404, "User not found"],
  validation_failed: [400, "Invalid request"],
  weak_password: [422, "Password is known to be weak and easy to guess, please choose a different one."],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type RefusalCode = keyof typeof REFUSALS;

/** The error for `code`; GoTrue words some of them differently, or with another status, from place to place. */
export function refuse(
  code: RefusalCode,
  message?: string,
  options: { status?: number; extra?: Readonly<Record<string, unknown>>; cause?: unknown } = {},
): ServiceError {
  const [status, standard] = REFUSALS[code];
  return new ServiceError(options.status ?? status, code, message ?? standard, options);
}

/** The gateway's refusals of a bearer token, as GoTrue words them; its refusals of a key it renders as its own. */
export function renderGatewayError(error: ServiceError): Response {
  switch (error.code) {
    case "token_expired":
      return renderError(
        refuse("bad_jwt", `${REFUSALS.bad_jwt[1]}, token has invalid claims: token is expired`),
      );
    case "invalid_token":
      return renderError(refuse("bad_jwt"));
    case "no_api_key":
    case "invalid_api_key":
      return Response.json({ message: error.message, ...error.extra }, { status: error.status });
    default:
      return renderError(error);
  }
}

/** From this version of the API on, errors are `{code, message}` with a textual code. */
const NEW_FORMAT = "2024-01-01";
export const VERSION_HEADER = "x-supabase-api-version";

/** `apiVersion` is the client's header; without one the error has the older form `{code, error_code, msg}`. */
export function renderError(error: ServiceError, apiVersion?: string | null): Response {
  const modern = /^\d{4}-\d{2}-\d{2}$/.test(apiVersion ?? "") && apiVersion! >= NEW_FORMAT;
  const body = modern
    ? { code: error.code, message: error.message, ...error.extra }
    : { code: error.status, error_code: error.code, msg: error.message, ...error.extra };
  return Response.json(body, {
    status: error.status,
    headers: modern ? { [VERSION_HEADER]: NEW_FORMAT } : {},
  });
}
