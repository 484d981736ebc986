// How far reconciling has come, in the one row of public.reconciliation. Times in milliseconds since the epoch.
import type { FunctionDeps } from "../_shared/deps.ts";
import { rowsOf } from "../_shared/rpc.ts";

/** One way through the provider's intents, newest first, over several runs. */
export interface Pass {
  readonly beganAt: number;
  /** No older intent is asked for. */
  readonly from: number;
  /** The last intent it has looked at. */
  readonly after: string;
}

export interface Progress {
  /** When the last pass that reached its end began. */
  readonly completeTo: number | undefined;
  readonly pass: Pass | undefined;
}

interface Row {
  readonly complete_to: string | null;
  readonly began_at: string | null;
  readonly created_from: string | null;
  readonly after_intent: string | null;
}

export async function readProgress({ supabase }: FunctionDeps): Promise<Progress> {
  const query = supabase
    .from("reconciliation")
    .select("complete_to, began_at, created_from, after_intent")
    .single();
  const row = await rowsOf<Row>("reconciliation", query);
  const { began_at: began, created_from: from, after_intent: after } = row;
  return {
    completeTo: row.complete_to === null ? undefined : Date.parse(row.complete_to),
    pass:
      began === null || from === null || after === null
        ? undefined
        : { beganAt: Date.parse(began), from: Date.parse(from), after },
  };
}

export async function writeProgress(
  { supabase }: FunctionDeps,
  { completeTo, pass }: Progress,
): Promise<void> {
  const row: Row = {
    complete_to: timeOf(completeTo),
    began_at: timeOf(pass?.beganAt),
    created_from: timeOf(pass?.from),
    after_intent: pass?.after ?? null,
  };
  await rowsOf("reconciliation", supabase.from("reconciliation").update(row).eq("id", true));
}

const timeOf = (milliseconds: number | undefined): string | null =>
  milliseconds === undefined ? null : new Date(milliseconds).toISOString();
