// What a scan leaves behind on the device: the row of its code, and what is handed in later.
import type { GateScan } from "contract/gate";
import type { BookRow, Verdict } from "./decide.ts";

/** After these somebody is in who was out, or out who was in. */
export const MOVES: ReadonlySet<string> = new Set(["admitted", "let_out", "undone"]);

/** Undefined when nothing of it has changed. */
export function rowAfter(
  row: BookRow,
  { result, first }: Verdict,
  here: { at: number; entranceId: string | null; device: string | null },
  /** Of a way out that was undone: since when they had been in. */
  since?: number,
): BookRow | undefined {
  if (!MOVES.has(result)) return undefined;
  if (result === "undone" && since !== undefined)
    return { ...row, admitted_at: since, entrance_id: here.entranceId, device: here.device };
  return result === "admitted"
    ? { ...row, admitted_at: first?.at ?? here.at, entrance_id: here.entranceId, device: here.device }
    : { ...row, admitted_at: null, entrance_id: null, device: null };
}

/** The scan as the device decided it. */
export function asDecided(scan: GateScan, { result }: Verdict): GateScan {
  return { ...scan, action: MOVES.has(result) ? scan.action : "refused", decided: result };
}
