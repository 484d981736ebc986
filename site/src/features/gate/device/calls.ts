// The gate's calls to the server, each with its own time limit: a call on a dying network may otherwise take minutes, or
// wait behind a token refresh.
import { hasHint } from "contract/errors";
import {
  type GateAccessRemoved,
  gateAccessRemoved,
  type GateFound,
  type GateList,
  type GateOpened,
  type GateRecent,
  type GateScan,
  type GateScanAnswers,
  readGateFound,
  readGateList,
  readGateOpened,
  readGateRecent,
  readGateScanAnswers,
} from "contract/gate";
import { isRefused } from "#lib/api/refusal.ts";
import { getSupabase } from "#lib/api/supabase.ts";

export class AccessRemoved extends Error {
  readonly why: GateAccessRemoved;
  constructor(why: GateAccessRemoved) {
    super(why);
    this.why = why;
  }
}

/** No response, or one that says nothing about the scan: the server is busy, restarting or unreachable. */
export class Unreachable extends Error {}

/** The server's message, meant for people. */
export class Refused extends Error {}

/** The organizer requires the second step of signing in, and this session has not passed it. */
export class SecondStepNeeded extends Refused {}

export interface GateCalls {
  open: (change: { name?: string; entranceId?: string; pending: number }) => Promise<GateOpened>;
  scan: (
    scans: readonly GateScan[],
    pending: number,
    deviceNow: number,
    withinMs: number,
  ) => Promise<GateScanAnswers>;
  list: (since: string | undefined) => Promise<GateList>;
  search: (text: string) => Promise<GateFound>;
  recent: () => Promise<GateRecent>;
  leave: () => Promise<void>;
  /** How many scans it holds, once it has lost access. */
  waiting: (pending: number) => Promise<void>;
}

const PATIENCE_MS = 10_000;

export function createCalls(store: { readonly deviceId: string }): GateCalls {
  const device = () => ({ p_device_id: store.deviceId });
  return {
    open: async ({ name, entranceId, pending }) =>
      readGateOpened(
        await call("gate_open", {
          ...device(),
          p_name: name ?? null,
          p_entrance_id: entranceId ?? null,
          p_pending: pending,
        }),
      ),
    scan: async (scans, pending, deviceNow, withinMs) =>
      readGateScanAnswers(
        await call(
          "gate_scan",
          { ...device(), p_scans: scans, p_pending: pending, p_device_now: deviceNow },
          withinMs,
        ),
      ),
    list: async (since) =>
      readGateList(await call("gate_list", { ...device(), p_since: since ?? null }, 3 * PATIENCE_MS)),
    search: async (text) => readGateFound(await call("gate_search", { ...device(), p_text: text }, 4000)),
    recent: async () => readGateRecent(await call("gate_recent", device(), 4000)),
    leave: async () => void (await call("gate_leave", device(), 4000)),
    waiting: async (pending) => void (await call("gate_waiting", { ...device(), p_pending: pending }, 4000)),
  };
}

async function call(name: string, args: Record<string, unknown>, withinMs = PATIENCE_MS): Promise<unknown> {
  const stop = new AbortController();
  const asked = ask(name, args, stop.signal);
  asked.catch(() => {}); // the waiting caller has already timed out
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Unreachable(`${name} took longer than ${withinMs} ms`));
      stop.abort();
    }, withinMs);
  });
  return Promise.race([asked, late]).finally(() => clearTimeout(timer));
}

async function ask(name: string, args: Record<string, unknown>, signal: AbortSignal): Promise<unknown> {
  const supabase = await getSupabase().catch((error: unknown) => {
    throw new Unreachable(String(error));
  });
  const { data, error, status } = await supabase.rpc(name as "is_admin", args as never).abortSignal(signal);
  if (!error) return data;
  const removed = gateAccessRemoved(error);
  if (removed) throw new AccessRemoved(removed);
  if (hasHint(error, "insufficient_aal")) throw new SecondStepNeeded(error.message);
  // An ended session or too many requests is temporary, whatever SQL calls it.
  if (isRefused(error) && status < 500 && status !== 401 && status !== 429) throw new Refused(error.message);
  throw new Unreachable(error.message);
}
