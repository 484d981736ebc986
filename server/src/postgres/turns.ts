// Who may be with the database next. Each address (or account, where one is asked for) has a bounded number of requests there at once, and addresses take turns
// for what comes free: many slow questions of one visitor keep that visitor waiting, and nobody else.
import type { Departure } from "../platform/departure.ts";
import { ServiceError } from "../platform/errors.ts";

export interface TurnLimits {
  /** Requests with the database at once. */
  readonly connections: number;
  /** Of these, for one address. */
  readonly perAddress: number;
  /** Milliseconds a request waits for its turn. */
  readonly waitMs: number;
  /** Requests of one address, and of all, that may wait. */
  readonly waiting: { readonly perAddress: number; readonly inAll: number };
}

export interface Turns {
  /**
   * Resolves with how to end the turn. Rejects with 504 PGRST003 where the wait is too long, 499 when the client left.
   * Without an address a request is the server's own and has no bound but that of all.
   */
  take(address: string | undefined, departure?: Departure): Promise<() => void> | (() => void);
  /** How many addresses are remembered: those with a request here. */
  addresses(): number;
}

/** PostgREST's word for it. */
export const poolTimeout = () =>
  new ServiceError(504, "PGRST003", "Timed out acquiring connection from connection pool.");

export const departed = () => new ServiceError(499, "client_closed_request", "The client has gone");

interface Line {
  active: number;
  readonly waiting: Set<() => void>;
}

export function createTurns(limits: TurnLimits): Turns {
  const lines = new Map<string, Line>();
  /** Lines whose first may go as soon as there is room, in the order of their turns. */
  const ready = new Set<string>();
  let free = limits.connections;
  let waiting = 0;

  const boundOf = (key: string) => (key === "" ? limits.connections : limits.perAddress);

  function enter(key: string, line: Line): () => void {
    free--;
    line.active++;
    return () => {
      free++;
      line.active--;
      if (line.waiting.size > 0) ready.add(key);
      else if (line.active === 0) lines.delete(key);
      admit();
    };
  }

  function admit(): void {
    for (const key of ready) {
      if (free === 0) return;
      ready.delete(key);
      const line = lines.get(key);
      const [first] = line?.waiting ?? [];
      if (!line || !first || line.active >= boundOf(key)) continue;
      first();
      // To the end: the others come first.
      if (line.waiting.size > 0 && line.active < boundOf(key)) ready.add(key);
    }
  }

  function wait(key: string, line: Line, departure: Departure | undefined): Promise<() => void> {
    return new Promise((settle, fail) => {
      const leave = () => {
        clearTimeout(timer);
        stopListening?.();
        line.waiting.delete(go);
        waiting--;
        if (line.waiting.size === 0 && line.active === 0) lines.delete(key);
      };
      const give = (error: ServiceError) => {
        leave();
        fail(error);
      };
      const go = () => {
        const leaveTurn = enter(key, line);
        leave();
        settle(leaveTurn);
      };
      const timer = setTimeout(() => give(poolTimeout()), limits.waitMs);
      const stopListening = departure?.onGone(() => give(departed()));
      line.waiting.add(go);
      waiting++;
    });
  }

  return {
    addresses: () => lines.size,
    take(address = "", departure) {
      const line = lines.get(address) ?? { active: 0, waiting: new Set() };
      const goes = free > 0 && line.active < boundOf(address);
      if (!goes && (line.waiting.size >= limits.waiting.perAddress || waiting >= limits.waiting.inAll))
        throw poolTimeout();
      lines.set(address, line);
      if (goes) return enter(address, line);
      const turn = wait(address, line, departure);
      if (line.active < boundOf(address)) ready.add(address);
      return turn;
    },
  };
}
