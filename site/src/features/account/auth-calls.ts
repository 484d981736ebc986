// What the account screens ask of the auth service. Each call throws an AuthFailure with a message to show.
import type { AuthError } from "@supabase/supabase-js";
import { getSupabase } from "#lib/supabase.ts";
import type { NewPassword, PasswordResetRequest, SignIn, SignUp } from "contract/schemas";

export class AuthFailure extends Error {
  readonly code: string | undefined;
  constructor(error: AuthError) {
    const reasons = "reasons" in error && Array.isArray(error.reasons) ? error.reasons.map(String) : [];
    super(reasons.length > 0 ? `${error.message} (${reasons.join(", ")})` : error.message, { cause: error });
    this.code = error.code;
  }
}

export async function signIn({ email, password }: SignIn): Promise<void> {
  const supabase = await getSupabase();
  refuse((await supabase.auth.signInWithPassword({ email, password })).error);
}

/** True when the account may be used at once, without a confirmation by mail. */
export async function signUp({ email, password }: SignUp): Promise<boolean> {
  const supabase = await getSupabase();
  const { data, error } = await supabase.auth.signUp({
    email,
    password,
    options: { emailRedirectTo: `${location.origin}/` },
  });
  refuse(error);
  return data.session !== null;
}

export async function resendConfirmation(email: string): Promise<void> {
  const supabase = await getSupabase();
  const options = { emailRedirectTo: `${location.origin}/` };
  refuse((await supabase.auth.resend({ type: "signup", email, options })).error);
}

export async function requestPasswordReset({ email }: PasswordResetRequest): Promise<void> {
  const supabase = await getSupabase();
  const redirectTo = `${location.origin}/auth?mode=reset`;
  refuse((await supabase.auth.resetPasswordForEmail(email, { redirectTo })).error);
}

export async function setPassword({ password }: NewPassword): Promise<void> {
  const supabase = await getSupabase();
  refuse((await supabase.auth.updateUser({ password })).error);
}

function refuse(error: AuthError | null): void {
  if (error) throw new AuthFailure(error);
}

/** Words for whatever was thrown: the server's own, or that it could not be reached. */
export function failureMessage(error: unknown): string {
  const unreachable =
    error instanceof AuthFailure && (error.cause as AuthError).name === "AuthRetryableFetchError";
  return error instanceof AuthFailure && !unreachable && error.message && error.message !== "{}"
    ? error.message
    : "The server could not be reached. Please check your connection and try again.";
}
