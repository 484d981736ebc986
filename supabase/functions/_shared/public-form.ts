// What the two public forms share: a limit for each address, a trap for programs, and thanks that go out by mail.
import type { FunctionDeps } from "./deps.ts";
import { FunctionError } from "./handler.ts";
import { rowsOf, rpc } from "./rpc.ts";

const MOST_IN_WINDOW = 5;
const WINDOW_SECONDS = 10 * 60;

/** Counted in the database, so that it holds over all processes. */
export async function limitByAddress(form: string, request: Request, deps: FunctionDeps): Promise<void> {
  const allowed = await rpc<boolean>(deps.supabase, "consume_rate_limit", {
    p_key: `${form}:${deps.address(request)}`,
    p_limit: MOST_IN_WINDOW,
    p_window_seconds: WINDOW_SECONDS,
  });
  if (!allowed) {
    throw new FunctionError(
      "rate_limited",
      "Too many submissions from your network. Please try again in a few minutes.",
    );
  }
}

/** True when a field that people do not see was filled in: the sender is told of success, and nothing is kept. */
export function isTrapped(form: { website?: string | undefined }): boolean {
  return form.website !== undefined && form.website !== "";
}

/** The form is stored by now, so a mail that cannot be queued is our concern and not the sender's. */
export async function queueMail(
  deps: FunctionDeps,
  kind: string,
  id: string,
  payload: object,
): Promise<void> {
  try {
    await rowsOf(
      "outbox",
      deps.supabase.from("outbox").insert({ kind, payload, dedupe_key: `${kind}:${id}` }),
    );
    deps.outboxFilled();
  } catch (error) {
    deps.log.error({ err: error, kind, id }, "mail not queued");
  }
}
