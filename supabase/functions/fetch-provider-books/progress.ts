// How far the provider's books have been fetched, in the one row of public.provider_books.
import type { FunctionDeps } from "../_shared/deps.ts";
import {
  completeToOf,
  type ProviderSweep,
  sweepOf,
  type SweepRow,
  sweepRow,
} from "../_shared/provider-sweep.ts";
import { rowsOf } from "../_shared/database.ts";

export interface Progress {
  /** Everything older than this is stored. */
  readonly completeTo: number | undefined;
  readonly pass: ProviderSweep | undefined;
  /** Transactions that the pass has stored so far. */
  readonly kept: number;
}

interface Row extends SweepRow {
  readonly after_id: string | null;
  readonly kept: number;
}

export async function readProgress({ supabase }: FunctionDeps): Promise<Progress> {
  const columns = "complete_to, began_at, created_from, after_id, kept";
  const row = await rowsOf<Row>("provider_books", supabase.from("provider_books").select(columns).single());
  return { completeTo: completeToOf(row), pass: sweepOf(row, row.after_id), kept: row.kept };
}

export async function writeProgress({ supabase }: FunctionDeps, progress: Progress): Promise<void> {
  const { completeTo, pass, kept } = progress;
  const row: Row = { ...sweepRow(completeTo, pass), after_id: pass?.after ?? null, kept };
  await rowsOf("provider_books", supabase.from("provider_books").update(row).eq("id", true));
}
