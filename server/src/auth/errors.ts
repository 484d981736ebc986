// Every refusal of this service: GoTrue's codes, statuses and messages in one table, and its two wire formats.
import { ServiceError } from "../platform/errors.ts";

const REFUSALS = {
  anonymous_provider_disabled: [422, "Anonymous sign-ins are disabled"],
  bad_code_verifier: [400, "code challenge does not match previously saved code verifier"],
  bad_json: [400, "Could not parse request body as JSON"],
  bad_jwt: [403, "invalid JWT: unable to parse or verify signature"],
  bad_oauth_callback: [400, "OAuth callback with invalid parameters"],
  bad_oauth_state: [400, "OAuth state is invalid"],
  captcha_failed: [400, "captcha protection: request disallowed"],
  conflict: [409, "The user cannot be deleted"],
  custom_provider_not_found: [404, "Custom OAuth provider not found"],
  email_exists: [422, "A user with this email address has already been registered"],
  email_not_confirmed: [400, "Email not confirmed"],
  email_provider_disabled: [400, "Email signups are disabled"],
  flow_state_already_used: [400, "State has already been used"],
  flow_state_expired: [422, "invalid flow state, flow state has expired"],
  flow_state_not_found: [404, "invalid flow state, no valid flow state found"],
  feature_disabled: [404, "OAuth server is disabled"],
  identity_already_exists: [422, "Identity is already linked"],
  identity_not_found: [422, "Identity doesn't exist"],
  insufficient_aal: [401, "AAL2 session is required"],
  invalid_credentials: [400, "Invalid login credentials"],
  invite_not_found: [404, "Invite not found"],
  manual_linking_disabled: [404, "Manual linking is disabled"],
  mfa_challenge_expired: [
    422,
    "MFA challenge has expired, verify against another challenge or create a new challenge.",
  ],
  mfa_factor_name_conflict: [422, "A factor with the friendly name already exists for this user"],
  mfa_factor_not_found: [404, "Factor not found"],
  mfa_ip_address_mismatch: [422, "Challenge and verify IP addresses mismatch."],
  mfa_phone_enroll_not_enabled: [422, "MFA enroll is disabled for Phone"],
  mfa_phone_verify_not_enabled: [422, "MFA verification is disabled for Phone"],
  mfa_recovery_codes_enroll_not_enabled: [422, "MFA enroll is disabled for recovery codes"],
  mfa_recovery_codes_locked: [429, "Too many failed verification attempts, try again later"],
  mfa_recovery_codes_sole_factor: [
    422,
    "At least one other verified factor is required to generate recovery codes",
  ],
  mfa_recovery_codes_verify_not_enabled: [422, "MFA verification is disabled for recovery codes"],
  mfa_totp_enroll_not_enabled: [422, "MFA enroll is disabled for TOTP"],
  mfa_totp_verify_not_enabled: [422, "MFA verification is disabled for TOTP"],
  mfa_verification_failed: [422, "Invalid MFA TOTP code entered"],
  mfa_verified_factor_exists: [
    422,
    "A verified phone factor already exists, unenroll the existing factor to continue",
  ],
  mfa_webauthn_enroll_not_enabled: [422, "MFA enroll is disabled for WebAuthn"],
  mfa_webauthn_verify_not_enabled: [422, "MFA verification is disabled for WebAuthn"],
  no_authorization: [401, "This endpoint requires a valid Bearer token"],
  not_admin: [403, "User not allowed"],
  oauth_provider_not_supported: [400, "Unsupported provider: provider is not enabled"],
  otp_disabled: [422, "Signups not allowed for otp"],
  otp_expired: [403, "Token has expired or is invalid"],
  over_email_send_rate_limit: [429, "For security purposes, you can only request this once every minute"],
  over_request_rate_limit: [429, "Request rate limit reached"],
  over_sms_send_rate_limit: [429, "SMS rate limit exceeded"],
  passkey_disabled: [404, "Passkeys are disabled"],
  phone_exists: [422, "A user with this phone number has already been registered"],
  phone_not_confirmed: [400, "Phone not confirmed"],
  phone_provider_disabled: [400, "Phone signups are disabled"],
  provider_disabled: [400, "Provider is disabled"],
  provider_email_needs_verification: [403, "Unverified email with this provider"],
  reauthentication_needed: [400, "Password update requires reauthentication"],
  reauthentication_not_valid: [422, "Nonce has expired or is invalid"],
  refresh_token_already_used: [400, "Invalid Refresh Token: Already Used"],
  refresh_token_not_found: [400, "Invalid Refresh Token: Refresh Token Not Found"],
  same_password: [422, "New password should be different from the old password."],
  saml_assertion_no_email: [400, "SAML Assertion does not contain an email address"],
  saml_assertion_no_user_id: [400, "SAML Assertion did not contain a persistent Subject Identifier"],
  saml_entity_id_mismatch: [
    400,
    "SAML Metadata can be updated only if the EntityID matches for the SSO provider",
  ],
  saml_idp_already_exists: [422, "SAML Identity Provider with this EntityID already exists"],
  saml_idp_not_found: [404, "A SAML connection has not been established with this Identity Provider"],
  saml_metadata_fetch_failed: [400, "HTTP request to metadata URL failed"],
  saml_provider_disabled: [404, "SAML 2.0 is disabled"],
  saml_relay_state_expired: [422, "SAML RelayState has expired. Try logging in again?"],
  saml_relay_state_not_found: [404, "SAML RelayState does not exist, try logging in again?"],
  session_expired: [400, "Invalid Refresh Token: Session Expired"],
  session_not_found: [403, "Session from session_id claim in JWT does not exist"],
  signup_disabled: [422, "Signups not allowed for this instance"],
  single_identity_not_deletable: [422, "User must have at least 1 identity after unlinking"],
  sso_domain_already_exists: [400, "SSO Domain is already assigned to an SSO identity provider"],
  sso_provider_disabled: [422, "This SSO provider is disabled"],
  sso_provider_not_found: [404, "No such SSO provider"],
  too_many_enrolled_mfa_factors: [422, "Maximum number of verified factors reached, unenroll to continue"],
  too_many_passkeys: [422, "Maximum number of passkeys reached"],
  unexpected_failure: [500, "Unexpected failure, please check server logs for more information"],
  user_already_exists: [422, "User already registered"],
  user_banned: [403, "User is banned"],
  user_not_found: [404, "User not found"],
  user_sso_managed: [422, "Updating email, phone, password of a SSO account only possible via SSO"],
  validation_failed: [400, "Invalid request"],
  weak_password: [422, "Password is known to be weak and easy to guess, please choose a different one."],
  web3_provider_disabled: [422, "Web3 provider is disabled"],
  webauthn_challenge_expired: [400, "Challenge has expired"],
  webauthn_challenge_not_found: [400, "Challenge not found"],
  webauthn_credential_exists: [422, "Credential already registered"],
  webauthn_verification_failed: [400, "Credential verification failed"],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type RefusalCode = keyof typeof REFUSALS;

/** The error for `code`; GoTrue's wording and status for some of them vary from place to place. */
export function refuse(
  code: RefusalCode,
  message?: string,
  options: {
    status?: number;
    extra?: Readonly<Record<string, unknown>>;
    cause?: unknown;
    /** Seconds until the request may be repeated. */
    retryAfter?: number;
  } = {},
): ServiceError {
  const [status, standard] = REFUSALS[code];
  return new ServiceError(options.status ?? status, code, message ?? standard, options);
}

/** GoTrue's other kind of refusal, from OAuth (RFC 6749, section 5.2): `{error, error_description}` with 400. */
export class OAuthRefusal extends ServiceError {
  /** `error` is OAuth's code, or the text GoTrue puts in its place. */
  constructor(error: string, description: string, cause?: unknown) {
    super(400, error, description, { cause });
  }

  render(): Response {
    return Response.json({ error: this.code, error_description: this.message }, { status: this.status });
  }
}

/** The gateway's refusals of a bearer token in GoTrue's words; its refusals of a key keep the gateway's own. */
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
  if (error instanceof OAuthRefusal) return error.render();
  const modern = /^\d{4}-\d{2}-\d{2}$/.test(apiVersion ?? "") && apiVersion! >= NEW_FORMAT;
  const body = modern
    ? { code: error.code, message: error.message, ...error.extra }
    : { code: error.status, error_code: error.code, msg: error.message, ...error.extra };
  return Response.json(body, {
    status: error.status,
    headers: {
      "x-sb-error-code": error.code,
      ...(modern && { [VERSION_HEADER]: NEW_FORMAT }),
      ...(error.retryAfter !== undefined && { "retry-after": String(error.retryAfter) }),
    },
  });
}
