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
  const { entranceId: entrance_id, device } = here;
  const inSince = (at: number) => ({ ...row, admitted_at: at, last_in_at: at, entrance_id, device });
  switch (result) {
    case "admitted":
      return inSince(first?.at ?? here.at);
    case "let_out":
      return { ...row, admitted_at: null, last_in_at: row.admitted_at ?? row.last_in_at ?? null };
    case "undone":
      return since === undefined
        ? { ...row, admitted_at: null, last_in_at: null, entrance_id: null, device: null }
        : inSince(since);
    default:
      return undefined;
  }
}

/** The scan with the device's decision. */
export function asDecided(scan: GateScan, { result }: Verdict): GateScan {
  return { ...scan, action: MOVES.has(result) ? scan.action : "refused", decided: result };
}
