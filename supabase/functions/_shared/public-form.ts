// What endpoints without an account share: a limit for each address and, for the forms, a trap for bots. SQL queues the thank-you
// mails.
import type { FunctionDeps } from "./deps.ts";
import { FunctionError } from "./errors.ts";

const MOST_IN_WINDOW = 5;
const WINDOW_SECONDS = 10 * 60;

interface AddressLimit {
  readonly most?: number;
  readonly windowSeconds?: number;
  /** The noun for the refusal's message. */
  readonly what?: string;
}

/** Counted in the database, so that the limit holds across all processes. */
export async function limitByAddress(
  form: string,
  request: Request,
  deps: FunctionDeps,
  { most = MOST_IN_WINDOW, windowSeconds = WINDOW_SECONDS, what = "submissions" }: AddressLimit = {},
): Promise<void> {
  const allowed = await deps.sql("consume_rate_limit", {
    p_key: `${form}:${deps.address(request)}`,
    p_limit: most,
    p_window_seconds: windowSeconds,
  });
  if (!allowed) {
    const when = windowSeconds > WINDOW_SECONDS ? "tomorrow" : "in a few minutes";
    throw new FunctionError("rate_limited", `Too many ${what} from your network. Please try again ${when}.`, {
      details: { retry_after_seconds: windowSeconds },
    });
  }
}

/** True when a field that people cannot see was filled in: the response claims success, and nothing is stored. */
export function isTrapped(form: { website?: string | undefined }): boolean {
  return form.website !== undefined && form.website !== "";
}
