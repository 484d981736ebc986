// The account screens' calls to the auth service. Each throws an AuthFailure with a message to show.
import type { AuthError, Provider } from "@supabase/supabase-js";
import { waitMessage } from "#lib/api/rate-limit.ts";
import { UNREACHABLE } from "#lib/api/refusal.ts";
import { getSupabase } from "#lib/api/supabase.ts";
import { mailedAddress, THROUGH_PROVIDER, withoutLanding } from "#lib/session/auth-landing.ts";
import { refusalWords } from "#lib/session/refusal-words.ts";
import type { NewPassword, PasswordResetRequest, SignIn, SignUp } from "contract/schemas";
import { AccountError } from "./account-error.ts";

/** The captcha's token, where the server requires one. */
type Token = string | undefined;
const withToken = (captchaToken: Token) => (captchaToken === undefined ? {} : { captchaToken });

export class AuthFailure extends AccountError {
  readonly code: string | undefined;
  /** Why a password is too weak: "length", "pwned" and others. */
  readonly reasons: readonly string[];
  constructor(error: AuthError) {
    const reasons = "reasons" in error && Array.isArray(error.reasons) ? error.reasons.map(String) : [];
    super(error.message, { cause: error });
    this.code = error.code;
    this.reasons = reasons;
  }
}

/** Returns false when a second step remains. */
export async function signIn({ email, password }: SignIn, token: Token): Promise<boolean> {
  const supabase = await getSupabase();
  const { data, error } = await supabase.auth.signInWithPassword({
    email,
    password,
    options: withToken(token),
  });
  refuse(error);
  return !data.user?.factors?.some(({ status }) => status === "verified");
}

/** The device asks which of its passkeys to use. Returns false when a second step remains. */
export async function signInWithPasskey(): Promise<boolean> {
  const supabase = await getSupabase();
  const { data, error } = await supabase.auth.signInWithPasskey();
  // The browser's own errors do not have a server error code.
  if (error) throw isAuthError(error) ? new AuthFailure(error) : error;
  return !data.user?.factors?.some(({ status }) => status === "verified");
}

/** Sends the browser to the provider. It comes back to `from`, signed in or with an error. */
export async function leaveFor(provider: Provider, from: string | undefined): Promise<void> {
  const supabase = await getSupabase();
  refuse((await supabase.auth.signInWithOAuth({ provider, options: { redirectTo: wayBack(from) } })).error);
}

/** Like `leaveFor`, to an organization's identity provider, chosen by the domain of its addresses. */
export async function leaveForOrganization(
  domain: string,
  from: string | undefined,
  token: Token,
): Promise<void> {
  const supabase = await getSupabase();
  const options = { redirectTo: wayBack(from), ...withToken(token) };
  refuse((await supabase.auth.signInWithSSO({ domain, options })).error);
}

function wayBack(from = "/dashboard"): string {
  // An earlier visit may have left its outcome there.
  const target = new URL(withoutLanding(new URL(from, location.origin)), location.origin);
  target.searchParams.set(THROUGH_PROVIDER, "provider");
  return target.href;
}

/** Returns true when the account is usable at once, without confirmation by mail. */
export async function signUp(
  { email, password }: Pick<SignUp, "email" | "password">,
  token: Token,
): Promise<boolean> {
  const supabase = await getSupabase();
  const { data, error } = await supabase.auth.signUp({
    email,
    password,
    options: { emailRedirectTo: mailedAddress("/", email), ...withToken(token) },
  });
  refuse(error);
  return data.session !== null;
}

export async function requestPasswordReset({ email }: PasswordResetRequest, token: Token): Promise<void> {
  const supabase = await getSupabase();
  const redirectTo = mailedAddress("/auth?mode=reset", email);
  refuse((await supabase.auth.resetPasswordForEmail(email, { redirectTo, ...withToken(token) })).error);
}

/**
 * Opens an account in any browser, once, for anyone who has the link: an operator's recovery link, or a staff
 * invitation.
 */
export interface OneTimeLink {
  readonly type: "recovery" | "invite";
  readonly token: string;
}

/** From the fragment of such a link, which no server logs. */
export function oneTimeLinkIn(hash: string): OneTimeLink | undefined {
  const given = new URLSearchParams(hash.slice(1));
  const token = given.get("token_hash");
  return token === null ? undefined : { token, type: given.get("type") === "invite" ? "invite" : "recovery" };
}

/** Signs in with the link and so uses it up. */
export async function openOneTimeLink({ type, token }: OneTimeLink): Promise<void> {
  const supabase = await getSupabase();
  refuse((await supabase.auth.verifyOtp({ type, token_hash: token })).error);
}

export async function setPassword({ password }: Pick<NewPassword, "password">): Promise<void> {
  const supabase = await getSupabase();
  refuse((await supabase.auth.updateUser({ password })).error);
}

/** Checked without the class, which would load the client with this page. */
const isAuthError = (error: Error): error is AuthError => "__isAuthError" in error;

/** Mails a code, and a link that works only in this browser. Using either creates an account for a new address. */
export async function requestCode(email: string, token: Token): Promise<void> {
  const supabase = await getSupabase();
  const emailRedirectTo = mailedAddress("/?way=code", email);
  const options = { emailRedirectTo, ...withToken(token) };
  refuse((await supabase.auth.signInWithOtp({ email, options })).error);
}

/** Why the mail was sent: to sign in, to confirm an address, or to set a password. */
export type MailedCodeType = "email" | "signup" | "recovery";

/** Signs in. Returns false when a second step remains. */
export async function redeemCode(email: string, code: string, type: MailedCodeType): Promise<boolean> {
  const supabase = await getSupabase();
  const { data, error } = await supabase.auth.verifyOtp({ email, token: code, type });
  refuse(error);
  return !data.user?.factors?.some(({ status }) => status === "verified");
}

/** Seconds until the server mails the address again; undefined for any other error. */
export function secondsToWait(error: unknown): number | undefined {
  if (!(error instanceof AuthFailure) || error.code !== "over_email_send_rate_limit") return undefined;
  const seconds = /after (\d+) seconds/.exec(error.message)?.[1];
  return seconds === undefined ? undefined : Number(seconds);
}

export function refuse(error: AuthError | null): void {
  if (error) throw new AuthFailure(error);
}

/** Why the server refused a password as too weak; undefined for any other error. */
export function passwordProblem(error: unknown): string | undefined {
  if (!(error instanceof AuthFailure) || error.code !== "weak_password") return undefined;
  return error.reasons.includes("pwned")
    ? "This password is too easy to guess. Please choose a different one."
    : error.message;
}

/** Replaces the server's messages, which are meant for programs; undefined for any other error. */
function limitMessage(error: unknown): string | undefined {
  const seconds = secondsToWait(error);
  if (seconds !== undefined) return `An email was sent a moment ago. ${waitMessage(seconds * 1000)}`;
  const code = error instanceof AuthFailure ? error.code : undefined;
  if (code === "over_email_send_rate_limit")
    return "Too many emails were requested. Please try again in an hour.";
  if (code === "over_request_rate_limit")
    return "There were too many tries, or many people are signing in right now. Please wait a moment and try again.";
  return undefined;
}

/**
 * The message to show for an error: the server's own where it is meant for people, or that the server could not be
 * reached.
 */
export function failureMessage(error: unknown): string {
  const limit = limitMessage(error);
  if (limit) return limit;
  if (error instanceof AuthFailure && error.code === "reauthentication_needed") {
    return "For your security, a password link works for 15 minutes after you open it. Please request a new one.";
  }
  if (error instanceof AuthFailure && error.code === "captcha_failed") {
    return "We couldn't verify that you're human. Please try again.";
  }
  const weakness = passwordProblem(error);
  if (weakness) return weakness;
  if (error instanceof AuthFailure && error.message && error.message !== "{}")
    return refusalWords(error.cause as AuthError);
  return error instanceof AccountError && !(error instanceof AuthFailure) ? error.message : UNREACHABLE;
}
