// What a launch counts: how long each step took, and every answer that was no success, by kind.
import { spread } from "../bench/pairs.ts";

export interface Tally {
  /** Runs a step of a buyer and keeps how long it took, refusals and second tries included. */
  step<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** An answer of 4xx or 5xx, or 0 for a connection that broke. */
  refusal(status: number, call: string, code: string): void;
  /** Lines of p50, p99 and the longest, in the order in which the steps first ended. */
  steps(): string[];
  /** The most frequent first. */
  refusals(): { readonly status: number; readonly kind: string; readonly times: number }[];
}

export function createTally(): Tally {
  const steps = new Map<string, number[]>();
  const refusals = new Map<string, { status: number; kind: string; times: number }>();
  return {
    async step(name, work) {
      const started = performance.now();
      const result = await work();
      const taken = steps.get(name) ?? [];
      steps.set(name, taken);
      taken.push(performance.now() - started);
      return result;
    },
    refusal(status, call, code) {
      const kind = `${status} ${code} (${call})`;
      const known = refusals.get(kind) ?? { status, kind, times: 0 };
      refusals.set(kind, known);
      known.times += 1;
    },
    steps: () =>
      [...steps].map(([name, taken]) => {
        const { median, highest } = spread(taken);
        const p99 = taken.toSorted((a, b) => a - b)[Math.floor(taken.length * 0.99)]!;
        const times = [median, p99, highest].map((ms) => `${(ms / 1000).toFixed(2)} s`.padStart(9));
        return `${name.padEnd(28)}${String(taken.length).padStart(6)} times${times.join("")}`;
      }),
    refusals: () => [...refusals.values()].toSorted((a, b) => b.times - a.times),
  };
}
