// What the public forms share: a limit for each address and a trap for bots. SQL queues the thank-you mails.
import type { FunctionDeps } from "./deps.ts";
import { FunctionError } from "./errors.ts";
import { rpc } from "./rpc.ts";

const MOST_IN_WINDOW = 5;
const WINDOW_SECONDS = 10 * 60;

/** Counted in the database, so that it holds over all processes. */
export async function limitByAddress(
  form: string,
  request: Request,
  deps: FunctionDeps,
  most = MOST_IN_WINDOW,
  windowSeconds = WINDOW_SECONDS,
): Promise<void> {
  const allowed = await rpc<boolean>(deps.supabase, "consume_rate_limit", {
    p_key: `${form}:${deps.address(request)}`,
    p_limit: most,
    p_window_seconds: windowSeconds,
  });
  if (!allowed) {
    throw new FunctionError(
      "rate_limited",
      "Too many submissions from your network. Please try again in a few minutes.",
      { details: { retry_after_seconds: windowSeconds } },
    );
  }
}

/** True when a field that people cannot see was filled in: the response claims success, and nothing is stored. */
export function isTrapped(form: { website?: string | undefined }): boolean {
  return form.website !== undefined && form.website !== "";
}
