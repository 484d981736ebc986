// The device's own last scans, for review and undo.
import type { GateRecent } from "contract/gate";
import { MOVES } from "../rules/after-scan.ts";
import type { Session } from "./gate-device.ts";
import { ask, keep, show } from "./session.ts";
import type { RecentScan, Shown } from "./snapshot.ts";

const MOST = 20;

/** `undoes`: the scan that this one undoes, which is then marked as undone; by default the admission that counts. */
export function remember(session: Session, shown: Shown, undoes?: string): void {
  const { recent } = session.device.snapshot;
  const undone = shown.verdict.result === "undone" ? undoneBy(recent, shown, undoes) : undefined;
  const next = undone
    ? recent.map((scan) => (scan === undone ? { ...scan, result: "undone" as const } : scan))
    : [entryOf(session, shown), ...recent].slice(0, MOST);
  void keep(session, (store) => store.save({ recent: next }));
  show(session, { recent: next });
}

/** Undefined when another device made it, or it is no longer listed. */
function undoneBy(
  recent: readonly RecentScan[],
  { codeId }: Shown,
  undoes: string | undefined,
): RecentScan | undefined {
  if (undoes !== undefined) return recent.find(({ id }) => id === undoes);
  const last = recent.find((scan) => scan.codeId === codeId && MOVES.has(scan.result));
  return last?.result === "admitted" ? last : undefined;
}

/** Today's entries and exits by other devices at this entrance; undefined without a network. */
export async function recentOfOthers(session: Session): Promise<GateRecent["scans"] | undefined> {
  const { device } = session;
  if (device.snapshot.offlineSince !== undefined) return undefined;
  try {
    const { scans } = await ask(session, device.calls.recent);
    return scans.filter(({ is_own }) => !is_own);
  } catch {
    void device.beatNow(); // it reports what is wrong
    return undefined;
  }
}

function entryOf({ codes }: Session, { id, codeId, verdict, at, since }: Shown): RecentScan {
  const { person, result, detail } = verdict;
  const name = person?.name ?? codes.get(codeId ?? "")?.name ?? ""; // empty if it must not be shown
  return {
    id,
    codeId,
    name,
    type: person?.type ?? "",
    result,
    at,
    ...(detail ? { detail } : {}),
    ...(since === undefined ? {} : { since }),
  };
}
