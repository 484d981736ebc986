// How far the provider's books have been fetched, in the one row of public.provider_books.
import type { FunctionDeps } from "../_shared/deps.ts";
import { completeToOf, type ProviderPass, passOf, type PassRow, passRow } from "../_shared/provider-pass.ts";
import { rowsOf } from "../_shared/database.ts";

export interface Progress {
  /** Everything older than this is stored. */
  readonly completeTo: number | undefined;
  readonly pass: ProviderPass | undefined;
  /** Transactions that the pass has stored so far. */
  readonly kept: number;
}

interface Row extends PassRow {
  readonly after_id: string | null;
  readonly kept: number;
}

export async function readProgress({ supabase }: FunctionDeps): Promise<Progress> {
  const columns = "complete_to, began_at, created_from, after_id, kept";
  const row = await rowsOf<Row>("provider_books", supabase.from("provider_books").select(columns).single());
  return { completeTo: completeToOf(row), pass: passOf(row, row.after_id), kept: row.kept };
}

export async function writeProgress({ supabase }: FunctionDeps, progress: Progress): Promise<void> {
  const { completeTo, pass, kept } = progress;
  const row: Row = { ...passRow(completeTo, pass), after_id: pass?.after ?? null, kept };
  await rowsOf("provider_books", supabase.from("provider_books").update(row).eq("id", true));
}
