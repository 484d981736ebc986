// How fast this process serves orders, and how many are under way: what opens the waiting room and sets the pace at which
// it lets people in. Says nothing to the database while orders are served as they come.
import { FunctionError } from "../handler.ts";

export interface PaceReport {
  readonly process: string;
  readonly under_way: number;
  /** Orders served in a second; null until it was measured. */
  readonly per_second: number | null;
}

export interface Pace {
  /**
   * Counts a buyer from an order's arrival until its answer, once however often they ask: impatience, or one hand with a
   * hundred requests, is no crowd. Refused for the waiting room, a buyer was not served.
   */
  serve<T>(buyer: string, work: () => Promise<T>): Promise<T>;
  report(): PaceReport;
}

/** More than one batch under way, or one that waits for a second: only then is the speed seen that of the sale. */
const STRAINED_BUYERS = 64;
const STRAINED_MS = 1000;
const REPORT_EVERY_MS = 250;
const SAMPLE_MS = 250;
/** A slower sample takes this long to count in full; a faster one proves itself at once. */
const SMOOTHING_MS = 2000;

/** `tell` passes a report on while the process is strained, and must not reject. */
export function createPace(now: () => number, tell: (report: PaceReport) => void): Pace {
  const process = crypto.randomUUID();
  /** The buyers with orders under way and since when, the oldest first. */
  const arrivals = new Map<string, { readonly at: number; orders: number }>();
  let perSecond: number | null = null;
  let served = 0;
  let busyMs = 0;
  let lookedAt = 0;
  let toldAt = 0;

  const strained = (at: number): boolean => {
    const [oldest] = arrivals.values();
    return arrivals.size >= STRAINED_BUYERS || at - (oldest?.at ?? at) >= STRAINED_MS;
  };

  function look(at: number): void {
    if (arrivals.size > 0) busyMs += at - lookedAt;
    lookedAt = at;
    if (busyMs < SAMPLE_MS) return;
    const sample = (served / busyMs) * 1000;
    // An order alone says little about how many could be served together: it only ever raises the measure.
    if (sample > (perSecond ?? Number.POSITIVE_INFINITY)) perSecond = sample;
    else if (strained(at)) {
      perSecond =
        perSecond === null ? sample : perSecond + (sample - perSecond) * Math.min(1, busyMs / SMOOTHING_MS);
    }
    served = 0;
    busyMs = 0;
  }

  function report(): PaceReport {
    look(now());
    return { process, under_way: arrivals.size, per_second: perSecond };
  }

  function tellIfStrained(at: number): void {
    if (at - toldAt < REPORT_EVERY_MS || !strained(at)) return;
    toldAt = at;
    tell(report());
  }

  return {
    report,
    async serve(buyer, work) {
      const arrived = now();
      look(arrived);
      const arrival = arrivals.get(buyer) ?? { at: arrived, orders: 0 };
      arrival.orders += 1;
      arrivals.set(buyer, arrival);
      tellIfStrained(arrived);
      let wasServed = true;
      try {
        return await work();
      } catch (error) {
        wasServed = !(error instanceof FunctionError && error.code === "waiting_room");
        throw error;
      } finally {
        arrival.orders -= 1;
        if (wasServed && arrival.orders === 0) served += 1;
        // Still counted while it leaves: alone in its process, it is all there is to tell of a queue elsewhere.
        const left = now();
        look(left);
        tellIfStrained(left);
        if (arrival.orders === 0) arrivals.delete(buyer);
      }
    },
  };
}
