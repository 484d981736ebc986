// Decides whose request gets a database connection next. Each address (or account) may hold a limited number at once, and
// addresses take turns for freed connections, so that one visitor's many slow requests delay that visitor alone. While others
// wait, slow requests of several visitors together hold at most half of the connections. Every second turn goes to those
// whose last request was quick: otherwise thirty machines with minutes of work would put twenty others ahead of an honest
// visitor.
import type { Departure } from "../../platform/http/departure.ts";
import { ServiceError } from "../../platform/errors.ts";

export interface TurnLimits {
  /** Requests that hold a connection at once. */
  readonly connections: number;
  /** Of these, the most for one address. */
  readonly perAddress: number;
  /** Milliseconds a request waits for its turn. */
  readonly waitMs: number;
  /** Milliseconds after which a request is slow. When left out, none is ever cut short. */
  readonly slowMs?: number;
  /** How many requests may wait, of one address and in total. */
  readonly waiting: { readonly perAddress: number; readonly inAll: number };
}

/** PostgREST's answer when the wait is too long. */
export const poolTimeout = () =>
  new ServiceError(504, "PGRST003", "Timed out acquiring connection from connection pool.");

export const departed = () => new ServiceError(499, "client_closed_request", "The client has gone");

/** The answer to a slow request that was ended because others waited. */
export const cutShort = () =>
  new ServiceError(504, "PGRST003", "The request took too long while others waited for a connection.");

/** A request that holds a connection. */
interface Stay {
  readonly line: Line;
  readonly since: number;
  /** Undefined once it has been called, and for the server's own requests. */
  cutShort: (() => void) | undefined;
}

/** How many addresses are remembered as quick. */
const REMEMBERED = 10_000;

interface Line {
  active: number;
  readonly waiting: Set<() => void>;
}

export class Turns {
  readonly #limits: TurnLimits;
  readonly #lines = new Map<string, Line>();
  /** Lines whose first request may run as soon as a connection is free, in the order of their turns. */
  readonly #ready = { quick: new Set<string>(), others: new Set<string>() };
  /** Addresses whose last request was quick, the latest last. */
  readonly #quick = new Set<string>();
  #admitted = 0;
  /** Oldest first. */
  readonly #stays = new Set<Stay>();
  #free: number;
  #waiting = 0;
  #nextLook: NodeJS.Timeout | undefined;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
    this.#free = limits.connections;
  }

  /** Number of addresses remembered: those with a request waiting or running. */
  addresses(): number {
    return this.#lines.size;
  }

  /**
   * Resolves with a function that ends the turn. Rejects with 504 PGRST003 when the wait is too long, and 499 when the client
   * left. A request without an address is the server's own and limited only by the total. `cutShort` is called at most once,
   * when the request is slow and must make room for others.
   */
  take(address = "", departure?: Departure, cutShort?: () => void): Promise<() => void> | (() => void) {
    const line = this.#lines.get(address) ?? { active: 0, waiting: new Set() };
    const goes = this.#free > 0 && this.#mayGo(address, line);
    const { perAddress, inAll } = this.#limits.waiting;
    if (!goes && (line.waiting.size >= perAddress || this.#waiting >= inAll)) throw poolTimeout();
    this.#lines.set(address, line);
    if (goes) return this.#enter(address, line, cutShort);
    const turn = this.#wait(address, line, departure, cutShort);
    if (this.#mayGo(address, line)) this.#makeReady(address);
    if (!this.#nextLook) this.#makeRoom();
    return turn;
  }

  #mayGo(address: string, line: Line): boolean {
    return line.active < (address === "" ? this.#limits.connections : this.#limits.perAddress);
  }

  #enter(address: string, line: Line, cutShort: (() => void) | undefined): () => void {
    this.#free--;
    line.active++;
    const stay = { line, since: performance.now(), cutShort: address === "" ? undefined : cutShort };
    this.#stays.add(stay);
    return () => this.#leave(address, stay);
  }

  #leave(address: string, stay: Stay): void {
    const { line } = stay;
    this.#stays.delete(stay);
    this.#free++;
    line.active--;
    this.#remember(address, stay);
    if (line.waiting.size > 0) this.#makeReady(address);
    else if (line.active === 0) this.#lines.delete(address);
    this.#admit();
    if (!this.#nextLook) this.#makeRoom();
  }

  #remember(address: string, { since }: Stay): void {
    this.#quick.delete(address);
    if (performance.now() - since >= (this.#limits.slowMs ?? Infinity)) return;
    this.#quick.add(address);
    const [oldest] = this.#quick;
    if (this.#quick.size > REMEMBERED) this.#quick.delete(oldest!);
  }

  #makeReady(address: string): void {
    (this.#quick.has(address) ? this.#ready.quick : this.#ready.others).add(address);
  }

  #admit(): void {
    while (this.#free > 0) {
      const address = this.#nextReady();
      if (address === undefined) return;
      const line = this.#lines.get(address);
      const [first] = line?.waiting ?? [];
      if (!line || !first || !this.#mayGo(address, line)) continue;
      this.#admitted++;
      first();
      // Back to the end of the order, so that the others go first.
      if (line.waiting.size > 0 && this.#mayGo(address, line)) this.#makeReady(address);
    }
  }

  #nextReady(): string | undefined {
    const { quick, others } = this.#ready;
    const [first, then] = this.#admitted % 2 === 0 ? [others, quick] : [quick, others];
    const [address = then.values().next().value] = first;
    if (address !== undefined) {
      quick.delete(address);
      others.delete(address);
    }
    return address;
  }

  #wait(
    address: string,
    line: Line,
    departure: Departure | undefined,
    cutShort: (() => void) | undefined,
  ): Promise<() => void> {
    return new Promise((settle, fail) => {
      const leave = () => {
        clearTimeout(timer);
        stopListening?.();
        line.waiting.delete(go);
        this.#waiting--;
        if (line.waiting.size === 0 && line.active === 0) this.#lines.delete(address);
      };
      const give = (error: ServiceError) => {
        leave();
        fail(error);
      };
      const go = () => {
        const leaveTurn = this.#enter(address, line, cutShort);
        leave();
        settle(leaveTurn);
      };
      const timer = setTimeout(() => give(poolTimeout()), this.#limits.waitMs);
      const stopListening = departure?.onGone(() => give(departed()));
      line.waiting.add(go);
      this.#waiting++;
    });
  }

  /** While others are ready, cuts the excess slow requests short, and checks again when the next one becomes slow. */
  #makeRoom(): void {
    clearTimeout(this.#nextLook);
    this.#nextLook = undefined;
    const { slowMs, connections } = this.#limits;
    const ready = this.#ready.quick.size + this.#ready.others.size;
    if (slowMs === undefined || this.#free > 0 || ready === 0) return;
    const now = performance.now();
    const slow = [...this.#stays].filter(({ since }) => now - since >= slowMs);
    const tooMany = Math.min(slow.length - Math.ceil(connections / 2), ready);
    for (const stay of surplus(slow, tooMany)) {
      const cut = stay.cutShort!;
      stay.cutShort = undefined;
      cut();
    }
    const next = [...this.#stays].find(({ since }) => now - since < slowMs);
    if (next) this.#nextLook = setTimeout(() => this.#makeRoom(), next.since + slowMs - now + 1);
  }
}

/** The slow requests to cut short so that `tooMany` leave, beginning with the address that holds the most connections. */
function surplus(slow: readonly Stay[], tooMany: number): Stay[] {
  const cuttable = slow.filter((stay) => stay.cutShort);
  const leaving = slow.length - cuttable.length;
  const held = ({ line }: Stay) => cuttable.filter((stay) => stay.line === line).length;
  const surplus: Stay[] = [];
  for (let n = leaving; n < tooMany && cuttable.length > 0; n++) {
    const greediest = cuttable.reduce((most, stay) => (held(stay) > held(most) ? stay : most));
    cuttable.splice(cuttable.indexOf(greediest), 1);
    surplus.push(greediest);
  }
  return surplus;
}
