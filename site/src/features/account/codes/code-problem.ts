// Why a mailed code was refused, as a message to show.
import { AuthFailure, failureMessage } from "../auth-calls.ts";

export function codeProblem(error: unknown): string {
  const code = error instanceof AuthFailure ? error.code : undefined;
  if (code === "otp_expired") {
    return "This code is wrong or has expired. After five wrong codes, request a new one.";
  }
  if (code === "over_request_rate_limit") {
    return "Too many tries. Please wait a moment, then request another code.";
  }
  return failureMessage(error);
}
