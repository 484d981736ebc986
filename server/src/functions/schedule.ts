// Runs jobs at intervals, each at most once at a time. A poke runs a job now, or once more soon after, if it is already running.
// Several server processes may run the same jobs: SQL hands out every piece of work once.

/** In a rush every request pokes. What gathers meanwhile is then done together. */
const REST_MS = 250;

export interface Job {
  readonly name: string;
  readonly everyMs: number;
  /** A rejection is passed to `onFailure`, and the job runs again at its interval. */
  run(): Promise<void>;
}

export interface Schedule {
  start(): void;
  /** Runs the job soon. Does nothing before start and after stop. */
  poke(name: string): void;
  /** Starts no further run, and resolves when the current ones are done. */
  stop(): Promise<void>;
}

export function createSchedule(
  jobs: readonly Job[],
  onFailure: (job: string, error: unknown) => void,
): Schedule {
  const runners = new Map(jobs.map((job) => [job.name, createRunner(job, onFailure)]));
  return {
    start: () => runners.forEach((runner) => runner.start()),
    poke: (name) => runners.get(name)?.poke(),
    stop: async () => {
      await Promise.all(Array.from(runners.values(), (runner) => runner.stop()));
    },
  };
}

function createRunner(job: Job, onFailure: (job: string, error: unknown) => void) {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  /** Poked while it ran: it runs again after a rest. */
  let again = false;
  let open = false;

  function waitFor(milliseconds: number): void {
    if (!open) return;
    clearTimeout(timer);
    timer = setTimeout(begin, milliseconds).unref();
  }

  function begin(): void {
    clearTimeout(timer);
    again = false;
    running = job
      .run()
      .catch((error: unknown) => {
        again = false;
        onFailure(job.name, error);
      })
      .finally(() => {
        running = undefined;
        waitFor(again ? REST_MS : job.everyMs);
      });
  }

  return {
    start() {
      open = true;
      waitFor(job.everyMs);
    },
    poke() {
      if (!open) return;
      if (running) again = true;
      else if (!again) begin();
    },
    async stop() {
      open = false;
      clearTimeout(timer);
      await running;
    },
  };
}
