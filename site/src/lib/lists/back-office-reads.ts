// The back office's reads from the server. Each failure has its own message. Some are also logged with log_admin_action once
// their retries are used up (PRODUCT 9.11).
import type { QueryClient } from "@tanstack/react-query";
import type { Json } from "contract/database";
import { z } from "zod";
import { logError } from "../browser/error-log.ts";
import { getSupabase, type Supabase } from "../api/supabase.ts";

interface Answer<T> {
  data: T;
  error: { message: string } | null;
}

/** @throws Error "Failed to fetch {what}: {msg}" */
export async function read<T>(
  what: string,
  ask: (supabase: Supabase) => PromiseLike<Answer<T>>,
): Promise<NonNullable<T>> {
  const { data, error } = await getSupabase()
    .then(ask)
    .catch((error: unknown) => ({
      data: null,
      error: { message: error instanceof Error ? error.message : String(error) },
    }));
  if (error) throw new Error(`Failed to fetch ${what}: ${error.message}`);
  return data as NonNullable<T>;
}

/** @throws Error "Failed to fetch {what}: unexpected answer", with the first place where the shape differs */
export function parseAnswer<T>(what: string, shape: z.ZodType<T>, answer: unknown): T {
  const parsed = shape.safeParse(answer);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue && issue.path.length > 0 ? ` at ${issue.path.join(".")}` : "";
  throw new Error(`Failed to fetch ${what}: unexpected answer${place}: ${issue?.message ?? ""}`);
}

const unreadable = new Set<string>();

/**
 * For the four reads with a safe default (PRODUCT 9.12). A mismatch is logged once, and again only after a readable response
 * in between.
 */
export function parseOr<T>(what: string, shape: z.ZodType<T>, answer: unknown, safeDefault: T): T {
  try {
    const parsed = parseAnswer(what, shape, answer);
    unreadable.delete(what);
    return parsed;
  } catch (error) {
    if (!unreadable.has(what)) logError(`load ${what}`, error);
    unreadable.add(what);
    return safeDefault;
  }
}

/** Set as a query's `meta`: logs its failure for the other administrators too. */
export interface FailureReport extends Record<string, unknown> {
  failedAs: `FETCH_ERROR_${string}`;
  table: string;
  params?: Json;
}

interface FailureHandling {
  /** Also writes to the audit log, which only an administrator may. */
  forAdministrators: boolean;
  onFailure: () => void;
}

/**
 * Logs a read once when it finally fails although there is a network, and not again until it has succeeded. Calls
 * `onFailure` equally often.
 * Returns a function that stops.
 */
export function reportFailures(
  queryClient: QueryClient,
  { forAdministrators, onFailure }: FailureHandling,
): () => void {
  const failing = new Set<string>();
  return queryClient.getQueryCache().subscribe((event) => {
    if (event.type !== "updated") return;
    const { queryHash } = event.query;
    if (event.action.type === "success") failing.delete(queryHash);
    // Without a network the screen shows it, there is nothing to fix, and the role cannot be looked up.
    if (event.action.type !== "error" || failing.has(queryHash) || !navigator.onLine) return;
    failing.add(queryHash);
    onFailure();
    const error: unknown = event.action.error;
    logError(`load ${String(event.query.queryKey[0])}`, error);
    const report = event.query.meta as FailureReport | undefined;
    if (forAdministrators && report?.failedAs) void logFailure(report, error);
  });
}

async function logFailure({ failedAs, table, params }: FailureReport, error: unknown): Promise<void> {
  try {
    const supabase = await getSupabase();
    await supabase.rpc("log_admin_action", {
      p_action_type: failedAs,
      p_table_name: table,
      p_new_values: { error: error instanceof Error ? error.message : String(error), params: params ?? {} },
    });
  } catch {
    // Ignored: an administrator whose reads fail often cannot write either.
  }
}
