// Measures how fast this process serves orders and how many buyers are under way. These figures open the waiting room and set the
// pace at which it admits people. Measures only; room.ts reports them.

export interface PaceReport {
  readonly process: string;
  readonly under_way: number;
  /** Orders served per second; null until measured. */
  readonly per_second: number | null;
}

export interface Pace {
  /**
   * An order arrives. Its buyer counts once, however often they ask: one impatient buyer, or one client with a hundred requests, is
   * not a crowd.
   */
  arrive(buyer: string): Arrival;
  report(): PaceReport;
  /** True while the process is strained and its last report is old. */
  isReportDue(): boolean;
}

interface Arrival {
  /** The order was answered. `served` is false if it was refused because of the waiting room. */
  answered(served: boolean): void;
  /** The buyer stops counting, unless they have another order under way. */
  left(): void;
}

/** More than one batch under way, or one that waits for a second: only then does the measured speed reflect the sale. */
const STRAINED_BUYERS = 64;
const STRAINED_MS = 1000;
const REPORT_EVERY_MS = 250;
const SAMPLE_MS = 250;
/** A slower sample takes this long to count in full; a faster one counts at once. */
const SMOOTHING_MS = 2000;

export function createPace(now: () => number): Pace {
  const process = crypto.randomUUID();
  /** The buyers with orders under way and since when, the oldest first. */
  const arrivals = new Map<string, { readonly at: number; orders: number }>();
  let perSecond: number | null = null;
  let served = 0;
  let busyMs = 0;
  let sampledAt = 0;
  let reportedAt = 0;

  const isStrained = (at: number): boolean => {
    const [oldest] = arrivals.values();
    return arrivals.size >= STRAINED_BUYERS || at - (oldest?.at ?? at) >= STRAINED_MS;
  };

  function sample(at: number): void {
    if (arrivals.size > 0) busyMs += at - sampledAt;
    sampledAt = at;
    if (busyMs < SAMPLE_MS) return;
    const speed = (served / busyMs) * 1000;
    // A single order says little about how many could be served together: it can only raise the measure.
    if (speed > (perSecond ?? Number.POSITIVE_INFINITY)) perSecond = speed;
    else if (isStrained(at)) {
      perSecond =
        perSecond === null ? speed : perSecond + (speed - perSecond) * Math.min(1, busyMs / SMOOTHING_MS);
    }
    served = 0;
    busyMs = 0;
  }

  return {
    arrive(buyer) {
      const at = now();
      sample(at);
      const arrival = arrivals.get(buyer) ?? { at, orders: 0 };
      arrival.orders += 1;
      arrivals.set(buyer, arrival);
      return {
        answered(wasServed) {
          arrival.orders -= 1;
          if (wasServed && arrival.orders === 0) served += 1;
          sample(now());
        },
        left() {
          if (arrival.orders === 0) arrivals.delete(buyer);
        },
      };
    },
    report() {
      reportedAt = now();
      sample(reportedAt);
      return { process, under_way: arrivals.size, per_second: perSecond };
    },
    isReportDue() {
      const at = now();
      return at - reportedAt >= REPORT_EVERY_MS && isStrained(at);
    },
  };
}
