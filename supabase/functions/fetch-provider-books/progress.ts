// How far the provider's books are fetched, in the one row of public.provider_books. Times in milliseconds since the epoch.
import type { FunctionDeps } from "../_shared/deps.ts";
import { rowsOf } from "../_shared/rpc.ts";

/** One way through the provider's transactions, newest first, over several calls. */
export interface Pass {
  readonly beganAt: number;
  /** No older transaction is asked for. */
  readonly from: number;
  /** The last transaction that was kept. */
  readonly after: string;
}

export interface Progress {
  /** Everything older than this is kept. */
  readonly completeTo: number | undefined;
  readonly pass: Pass | undefined;
  /** Transactions that the pass has kept so far. */
  readonly kept: number;
}

interface Row {
  readonly complete_to: string | null;
  readonly began_at: string | null;
  readonly created_from: string | null;
  readonly after_id: string | null;
  readonly kept: number;
}

export async function readProgress({ supabase }: FunctionDeps): Promise<Progress> {
  const columns = "complete_to, began_at, created_from, after_id, kept";
  const row = await rowsOf<Row>("provider_books", supabase.from("provider_books").select(columns).single());
  const { complete_to: complete, began_at: began, created_from: from, after_id: after, kept } = row;
  return {
    completeTo: complete === null ? undefined : Date.parse(complete),
    pass:
      began === null || from === null || after === null
        ? undefined
        : { beganAt: Date.parse(began), from: Date.parse(from), after },
    kept,
  };
}

export async function writeProgress({ supabase }: FunctionDeps, progress: Progress): Promise<void> {
  const { completeTo, pass, kept } = progress;
  const row: Row = {
    complete_to: timeOf(completeTo),
    began_at: timeOf(pass?.beganAt),
    created_from: timeOf(pass?.from),
    after_id: pass?.after ?? null,
    kept,
  };
  await rowsOf("provider_books", supabase.from("provider_books").update(row).eq("id", true));
}

const timeOf = (milliseconds: number | undefined): string | null =>
  milliseconds === undefined ? null : new Date(milliseconds).toISOString();
