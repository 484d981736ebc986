// The effects of a scan on the device: the row of its code, and the scan to send later.
import type { GateScan } from "contract/gate";
import type { BookRow, Verdict } from "./decide.ts";

/** Results that change whether someone is in or out. */
export const MOVES: ReadonlySet<string> = new Set(["admitted", "let_out", "undone"]);

/** Undefined when the row does not change. */
export function rowAfter(
  row: BookRow,
  { result, first }: Verdict,
  here: { at: number; entranceId: string | null; device: string | null },
  /** For an undone exit: when they had come in. */
  since?: number,
): BookRow | undefined {
  if (!MOVES.has(result)) return undefined;
  if (result === "undone" && since !== undefined)
    return { ...row, admitted_at: since, entrance_id: here.entranceId, device: here.device };
  return result === "admitted"
    ? { ...row, admitted_at: first?.at ?? here.at, entrance_id: here.entranceId, device: here.device }
    : { ...row, admitted_at: null, entrance_id: null, device: null };
}

/** The scan with the device's decision. */
export function asDecided(scan: GateScan, { result }: Verdict): GateScan {
  return { ...scan, action: MOVES.has(result) ? scan.action : "refused", decided: result };
}
