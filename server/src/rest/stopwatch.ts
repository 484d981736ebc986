// Server-Timing: how long each stage of a request took, if the operator lets clients see it.

export interface Stopwatch {
  /** Ends a stage and starts the next. */
  mark(stage: "parse" | "plan" | "transaction" | "response"): void;
  on(response: Response): Response;
}

const STOPPED: Stopwatch = { mark() {}, on: (response) => response };

/** `jwt`: how long the gateway took to identify the caller, in milliseconds. */
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
