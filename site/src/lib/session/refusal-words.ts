// The meaning of the auth service's errors, for people. Its own messages are meant for programs, and anyone may have written the text
// in a link's address, so neither is shown.
import { festivalNow } from "#lib/festival/content.ts";
import { type Failure, isRefused, isUnanswered, UNREACHABLE } from "../api/refusal.ts";

const ENDED = "Your session has ended. Please sign in again.";
const TRY_AGAIN = "That did not work. Please try again in a few minutes.";
const OVERTAKEN =
  "This may have been changed or deleted in the meantime. Please reload the page and try again.";
const BEGIN_ANEW = "That took too long, or was started in another browser. Please try again.";
const SWITCHED_OFF = "This way of signing in is turned off.";
const UNNAMED = "Your organization did not identify you. Please contact them.";
const CONNECTED = "It is already connected to an account here.";

const words: ReadonlyMap<string, string> = new Map([
  ["access_denied", "It was not allowed there, so nothing has changed."],
  ["bad_code_verifier", BEGIN_ANEW],
  ["bad_jwt", ENDED],
  ["bad_oauth_callback", BEGIN_ANEW],
  ["bad_oauth_state", BEGIN_ANEW],
  ["email_address_invalid", "This address can't receive email. Please check it."],
  ["email_conflict_identity_not_deletable", "Another account has that address, so it can't be removed."],
  ["email_exists", "An account with this address already exists."],
  ["flow_state_already_used", BEGIN_ANEW],
  ["flow_state_expired", BEGIN_ANEW],
  ["flow_state_not_found", BEGIN_ANEW],
  ["identity_already_exists", CONNECTED],
  ["identity_not_found", "It was already removed."],
  ["insufficient_aal", "Please confirm it's you with two-step verification first."],
  ["manual_linking_disabled", "Connecting other accounts is turned off."],
  ["no_authorization", ENDED],
  ["not_asked_for", "That link was requested in another browser, so it changes nothing here."],
  ["oauth_provider_not_supported", SWITCHED_OFF],
  ["otp_expired", "The link has been used or has expired. Please request a new one."],
  ["over_request_rate_limit", "Too many tries. Please wait a moment."],
  ["provider_disabled", SWITCHED_OFF],
  [
    "provider_email_needs_verification",
    "Your address is not confirmed there yet. Confirm it, then try again.",
  ],
  ["saml_assertion_no_email", UNNAMED],
  ["saml_assertion_no_user_id", UNNAMED],
  ["saml_provider_disabled", SWITCHED_OFF],
  ["saml_relay_state_expired", BEGIN_ANEW],
  ["saml_relay_state_not_found", BEGIN_ANEW],
  ["same_password", "That is already your password. Please choose another one."],
  ["session_expired", ENDED],
  ["session_not_found", ENDED],
  ["signup_disabled", "New accounts can't be created at the moment."],
  ["single_identity_not_deletable", "It is your only way to sign in, so you can't remove it."],
  ["sso_provider_disabled", SWITCHED_OFF],
  ["unexpected_failure", TRY_AGAIN],
  ["user_not_found", "This account no longer exists."],
  ["user_sso_managed", "Your organization manages this account. Please ask them."],
]);

export function plainWords(code: string | undefined): string | undefined {
  if (code === "user_banned")
    return `This account is blocked. If you think that is a mistake, please write to ${festivalNow().contact.email}.`;
  return code === undefined ? undefined : words.get(code);
}

/** SQLSTATEs and PostgREST's codes are uppercase and digits; the auth service's are words. */
const isOfDatabase = (code: string) => /^[0-9A-Z]+$/.test(code);

/** Not one of our messages. What is typed was checked before, so something stored has changed meanwhile. */
const POSTGRES_OWN = /\bviolates [\w -]+ (constraint|policy)\b/;

/** For an error from the auth service or the database. The messages of database functions are meant for people. */
export function refusalWords(error: Failure): string {
  if (isUnanswered(error)) return UNREACHABLE;
  if (error.name === "AuthSessionMissingError") return ENDED;
  // A response in another shape: the error's message is JSON.
  if (error.name === "ZodError") return TRY_AGAIN;
  const { code = "" } = error;
  return plainWords(code) ?? (isOfDatabase(code) ? databaseWords(error) : error.message);
}

function databaseWords(error: Failure): string {
  if (!isRefused(error)) return TRY_AGAIN;
  return POSTGRES_OWN.test(error.message) ? OVERTAKEN : error.message;
}
