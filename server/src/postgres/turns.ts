// Decides whose request gets a database connection next. Each address (or account) may hold a limited number at once, and
// addresses take turns for those that come free, so that one visitor's many slow requests delay that visitor alone. Slow requests
// of several visitors together hold at most half of the connections while others wait.
import type { Departure } from "../platform/departure.ts";
import { ServiceError } from "../platform/errors.ts";

export interface TurnLimits {
  /** Requests that hold a connection at once. */
  readonly connections: number;
  /** Of these, for one address. */
  readonly perAddress: number;
  /** Milliseconds a request waits for its turn. */
  readonly waitMs: number;
  /** Milliseconds after which a request is slow. When left out, none is ever cut short. */
  readonly slowMs?: number;
  /** Requests of one address, and of all, that may wait. */
  readonly waiting: { readonly perAddress: number; readonly inAll: number };
}

export interface Turns {
  /**
   * Resolves with a function that ends the turn. Rejects with 504 PGRST003 when the wait is too long, 499 when the client left.
   * A request without an address is the server's own and only limited by the total. `cutShort` is called at most once, when the
   * request is slow and must make room for others.
   */
  take(
    address: string | undefined,
    departure?: Departure,
    cutShort?: () => void,
  ): Promise<() => void> | (() => void);
  /** Number of addresses remembered: those with a request waiting or running. */
  addresses(): number;
}

/** PostgREST's answer for it. */
export const poolTimeout = () =>
  new ServiceError(504, "PGRST003", "Timed out acquiring connection from connection pool.");

export const departed = () => new ServiceError(499, "client_closed_request", "The client has gone");

/** For a slow request that was ended because others waited. */
export const cutShort = () =>
  new ServiceError(504, "PGRST003", "The request took too long while others waited for a connection.");

/** A request that holds a connection. */
interface Stay {
  readonly line: Line;
  readonly since: number;
  /** Undefined once it was called, and for the server's own requests. */
  cutShort: (() => void) | undefined;
}

interface Line {
  active: number;
  readonly waiting: Set<() => void>;
}

export function createTurns(limits: TurnLimits): Turns {
  const lines = new Map<string, Line>();
  /** Lines whose first request may go as soon as a connection is free, in the order of their turns. */
  const ready = new Set<string>();
  /** The oldest first. */
  const stays = new Set<Stay>();
  const mostSlow = Math.ceil(limits.connections / 2);
  let free = limits.connections;
  let waiting = 0;
  let nextLook: NodeJS.Timeout | undefined;

  const boundOf = (key: string) => (key === "" ? limits.connections : limits.perAddress);

  function enter(key: string, line: Line, cutShort: (() => void) | undefined): () => void {
    free--;
    line.active++;
    const stay = { line, since: performance.now(), cutShort: key === "" ? undefined : cutShort };
    stays.add(stay);
    return () => {
      stays.delete(stay);
      free++;
      line.active--;
      if (line.waiting.size > 0) ready.add(key);
      else if (line.active === 0) lines.delete(key);
      admit();
      if (!nextLook) makeRoom();
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
      // Back to the end of the order: the others go first.
      if (line.waiting.size > 0 && line.active < boundOf(key)) ready.add(key);
    }
  }

  /** While others could go, cuts the surplus of slow requests short, beginning with whoever holds most connections. */
  function makeRoom(): void {
    clearTimeout(nextLook);
    nextLook = undefined;
    if (limits.slowMs === undefined || free > 0 || ready.size === 0) return;
    const now = performance.now();
    const slow = [...stays].filter(({ since }) => now - since >= limits.slowMs!);
    const leaving = slow.filter((stay) => !stay.cutShort).length;
    const tooMany = Math.min(slow.length - mostSlow, ready.size) - leaving;
    const cuttable = slow.filter((stay) => stay.cutShort);
    for (let n = 0; n < tooMany && cuttable.length > 0; n++) {
      const held = (stay: Stay) => cuttable.filter(({ line }) => line === stay.line).length;
      const greediest = cuttable.reduce((most, stay) => (held(stay) > held(most) ? stay : most));
      cuttable.splice(cuttable.indexOf(greediest), 1);
      const cut = greediest.cutShort!;
      greediest.cutShort = undefined;
      cut();
    }
    const next = [...stays].find(({ since }) => now - since < limits.slowMs!);
    if (next) nextLook = setTimeout(makeRoom, next.since + limits.slowMs - now + 1);
  }

  function wait(
    key: string,
    line: Line,
    departure: Departure | undefined,
    cutShort: (() => void) | undefined,
  ): Promise<() => void> {
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
        const leaveTurn = enter(key, line, cutShort);
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
    take(address = "", departure, cutShort) {
      const line = lines.get(address) ?? { active: 0, waiting: new Set() };
      const goes = free > 0 && line.active < boundOf(address);
      if (!goes && (line.waiting.size >= limits.waiting.perAddress || waiting >= limits.waiting.inAll))
        throw poolTimeout();
      lines.set(address, line);
      if (goes) return enter(address, line, cutShort);
      const turn = wait(address, line, departure, cutShort);
      if (line.active < boundOf(address)) ready.add(address);
      if (!nextLook) makeRoom();
      return turn;
    },
  };
}
