// Server-Timing: how long each stage of a request took, where the operator wants clients to know.

export interface Stopwatch {
  /** Ends a stage; the next begins. */
  mark(stage: "parse" | "plan" | "transaction" | "response"): void;
  on(response: Response): Response;
}

const STOPPED: Stopwatch = { mark() {}, on: (response) => response };

/** `jwt`: milliseconds in which the caller was identified, before the service was asked. */
export function createStopwatch(runs: boolean, jwt: number): Stopwatch {
  if (!runs) return STOPPED;
  const took: Record<string, number> = { jwt, parse: 0, plan: 0, transaction: 0, response: 0 };
  let last = performance.now();
  return {
    mark(stage) {
      const now = performance.now();
      took[stage] = now - last;
      last = now;
    },
    on(response) {
      const stages = Object.entries(took).map(([stage, time]) => `${stage};dur=${time.toFixed(1)}`);
      response.headers.set("server-timing", stages.join(", "));
      return response;
    },
  };
}
