// How far reconciliation has come, in the one row of public.reconciliation.
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
  /** When the last completed pass began. */
  readonly completeTo: number | undefined;
  readonly pass: ProviderSweep | undefined;
}

interface Row extends SweepRow {
  readonly after_intent: string | null;
}

export async function readProgress({ supabase }: FunctionDeps): Promise<Progress> {
  const columns = "complete_to, began_at, created_from, after_intent";
  const row = await rowsOf<Row>("reconciliation", supabase.from("reconciliation").select(columns).single());
  return { completeTo: completeToOf(row), pass: sweepOf(row, row.after_intent) };
}

export async function writeProgress(
  { supabase }: FunctionDeps,
  { completeTo, pass }: Progress,
): Promise<void> {
  const row: Row = { ...sweepRow(completeTo, pass), after_intent: pass?.after ?? null };
  await rowsOf("reconciliation", supabase.from("reconciliation").update(row).eq("id", true));
}
