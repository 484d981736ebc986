// A link in a mail ends on some page with its outcome in the address' fragment. This module reads and removes it;
// the session in it is taken up by the Supabase client.

export type AuthLanding =
  | { kind: "signed-in"; reason: "signup" | "recovery" | "magiclink" | "invite" | "email_change" | "other" }
  /** The link was used, too old or broken; the message is the server's. */
  | { kind: "failed"; code: string; message: string };

const reasons = ["signup", "recovery", "magiclink", "invite", "email_change"] as const;

/** What a mail's link brought, or undefined on an ordinary visit. `hash` with or without its "#". */
export function readAuthLanding(hash: string): AuthLanding | undefined {
  const fragment = new URLSearchParams(hash.replace(/^#/, ""));
  const message = fragment.get("error_description");
  const code = fragment.get("error_code") ?? fragment.get("error");
  if (code !== null || message !== null) {
    return { kind: "failed", code: code ?? "unknown", message: message ?? "This link could not be used." };
  }
  if (!fragment.get("access_token")) return undefined;
  const type = fragment.get("type");
  return { kind: "signed-in", reason: reasons.find((reason) => reason === type) ?? "other" };
}
