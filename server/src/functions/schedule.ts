// Runs jobs at intervals, each at most once at a time. A poke runs a job now, or once more if it is already running. Several
// server processes may run the same jobs: SQL hands out every piece of work once.

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
  let again = false;
  let open = false;

  function wait(): void {
    if (!open) return;
    clearTimeout(timer);
    timer = setTimeout(begin, job.everyMs).unref();
  }

  function begin(): void {
    clearTimeout(timer);
    running = runUntilQuiet().finally(() => {
      running = undefined;
      wait();
    });
  }

  async function runUntilQuiet(): Promise<void> {
    do {
      again = false;
      try {
        await job.run();
      } catch (error) {
        onFailure(job.name, error);
        return;
      }
    } while (again && open);
  }

  return {
    start() {
      open = true;
      wait();
    },
    poke() {
      if (!open) return;
      if (running) again = true;
      else begin();
    },
    async stop() {
      open = false;
      clearTimeout(timer);
      await running;
    },
  };
}
