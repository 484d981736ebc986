// A link in a mail ends on some page with its outcome in the address. This module reads it. What signs in is a code, of use
// only in the browser that asked for the mail: the Supabase client exchanges it. A session that stands in the address itself
// is from nobody we asked, and is not taken up.

export type AuthLanding =
  /** `reason`: what the mail was asked for. */
  | { kind: "signed-in"; reason: "signup" | "recovery" }
  /** The link is good, and was asked for in another browser. */
  | { kind: "elsewhere"; reason: "signup" | "recovery" }
  /** The link was used, too old, broken or not asked for. */
  | { kind: "failed"; code: string; message: string };

/** Members of the address that tell of a link, in the query or the fragment. */
const TRACES = ["code", "sb_flow_id", "error", "error_code", "error_description"];

/**
 * What a mail's link brought, or undefined on an ordinary visit. `asked` says whether this browser asked for the link with
 * this flow, which may be unnamed.
 */
export function readAuthLanding(
  address: Pick<URL, "hash" | "search" | "pathname">,
  asked: (flow: string | null) => boolean,
): AuthLanding | undefined {
  const fragment = new URLSearchParams(address.hash.replace(/^#/, ""));
  const query = new URLSearchParams(address.search);
  const given = (name: string) => fragment.get(name) ?? query.get(name);
  const message = given("error_description");
  const failure = given("error_code") ?? given("error");
  if (failure !== null || message !== null) {
    return { kind: "failed", code: failure ?? "unknown", message: message ?? "This link could not be used." };
  }
  if (fragment.has("access_token")) return notAskedFor;
  if (!query.has("code")) return undefined;
  const isReset = address.pathname === "/auth" && query.get("mode") === "reset";
  return {
    kind: asked(query.get("sb_flow_id")) ? "signed-in" : "elsewhere",
    reason: isReset ? "recovery" : "signup",
  };
}

export const notAskedFor = {
  kind: "failed",
  code: "not_asked_for",
  message: "This browser did not ask for that link, so it changes nothing here.",
} as const satisfies AuthLanding;

/** The address of the page without what the link brought: a reload would tell of it again. */
export function withoutLanding(address: Pick<URL, "search" | "pathname">): string {
  const query = new URLSearchParams(address.search);
  for (const name of TRACES) query.delete(name);
  return address.pathname + (query.size > 0 ? `?${query.toString()}` : "");
}
