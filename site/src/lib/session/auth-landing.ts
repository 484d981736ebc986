// Reads what a mail's link or a sign-in provider left in the page's address. A code signs in, but only in the browser that requested the
// mail, where the Supabase client exchanges it. A session in the address was not requested by anyone here, so it is ignored.

export type AuthLanding =
  /** `reason`: why the mail was sent, or "provider" after a visit to one. */
  | { kind: "signed-in"; reason: "signup" | "code" | "recovery" | "email" | "provider" }
  /** The link is valid, but was requested in another browser. `email`: where the mail went, if the link names it. */
  | { kind: "elsewhere"; reason: "signup" | "code" | "recovery" | "email"; email?: string }
  /** One of the two addresses of a change is confirmed. Only our own server says which one. */
  | { kind: "half"; reason: "email"; half: "current" | "new" | undefined }
  /** The link is used, expired, broken or was never requested. */
  | { kind: "failed"; code: string; reason?: "recovery" | "code" | "email" | "provider" };

/** Marks the address that a provider redirects back to. */
export const THROUGH_PROVIDER = "via";

/** In the fragment of a mailed link's address: who received the mail, so that another browser need not ask. */
const MAILED_TO = "mailed-to";

/** The page at `path`, as the address that a mail to `email` leads to. */
export function mailedAddress(path: string, email: string): string {
  const address = new URL(path, location.origin);
  address.hash = new URLSearchParams({ [MAILED_TO]: email }).toString();
  return address.href;
}

/** It only fills in a field, but anyone may have written the link. */
const isAddress = (text: string) => text.length <= 254 && /^[^\s@]+@[^\s@]+$/.test(text);

/** Parameters that a link leaves in the query or the fragment. */
const TRACES = [
  ...[THROUGH_PROVIDER, "code", "way", "sb_flow_id"],
  ...["error", "error_code", "error_description"],
];

/**
 * The outcome of a mailed link, or undefined on an ordinary visit. `asked` returns whether this browser requested the link
 * with this flow, which may be unnamed.
 */
export function readAuthLanding(
  address: Pick<URL, "hash" | "search" | "pathname">,
  asked: (flow: string | null) => boolean,
): AuthLanding | undefined {
  const fragment = new URLSearchParams(address.hash.replace(/^#/, ""));
  const query = new URLSearchParams(address.search);
  const given = (name: string) => fragment.get(name) ?? query.get(name);
  const isProvider = query.get(THROUGH_PROVIDER) === "provider";
  const ofProvider = isProvider ? { reason: "provider" as const } : {};
  const isReset = address.pathname === "/auth" && query.get("mode") === "reset";
  const way = query.get("way");
  const named = isReset ? "recovery" : way === "code" || way === "email" ? way : undefined;
  // Never show text from the address: anyone may have written the link.
  const failure = given("error_code") ?? given("error") ?? given("error_description");
  if (failure !== null) {
    return {
      kind: "failed",
      code: failure,
      ...(named && { reason: named }),
      ...ofProvider,
    };
  }
  if (way === "email" && fragment.has("message")) {
    const half = fragment.get("half");
    return { kind: "half", reason: "email", half: half === "current" || half === "new" ? half : undefined };
  }
  if (fragment.has("access_token")) return notAskedFor;
  if (!query.has("code")) return undefined;
  const isAsked = asked(query.get("sb_flow_id"));
  const email = fragment.get(MAILED_TO);
  if (isProvider)
    return isAsked ? { kind: "signed-in", reason: "provider" } : { ...notAskedFor, ...ofProvider };
  const reason = named ?? "signup";
  return isAsked
    ? { kind: "signed-in", reason }
    : { kind: "elsewhere", reason, ...(email !== null && isAddress(email) && { email }) };
}

export const notAskedFor = { kind: "failed", code: "not_asked_for" } as const satisfies AuthLanding;

/** The page's address without the link's parameters, so that a reload does not report it again. */
export function withoutLanding(address: Pick<URL, "search" | "pathname">): string {
  const query = new URLSearchParams(address.search);
  for (const name of TRACES) query.delete(name);
  return address.pathname + (query.size > 0 ? `?${query.toString()}` : "");
}
