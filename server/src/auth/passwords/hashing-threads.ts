// bcrypt in threads of its own, one fewer than the machine has cores, so that a rush of sign-ins takes neither the event loop's
// core nor Node's own threads for files and DNS. Networks take turns, so that one that sends many sign-ins delays itself
// and nobody else. Beyond a bound, the network with the most waiting is refused.
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { refuse } from "../errors.ts";

export type HashingWork =
  | { readonly password: string; readonly cost: number }
  | { readonly password: string; readonly hash: string };
export type HashingAnswer = { readonly hash: string } | { readonly equal: boolean };

export interface HashingThreads {
  /** `from` is the network that asks. Rejects with over_request_rate_limit when too much waits. */
  run(work: HashingWork, from: string): Promise<HashingAnswer>;
  close(): Promise<void>;
}

interface Job {
  readonly work: HashingWork;
  readonly from: string;
  resolve(answer: HashingAnswer): void;
  reject(error: unknown): void;
}

interface Thread {
  readonly worker: Worker;
  /** The one under way first. */
  readonly jobs: Job[];
}

/** A minute's work for one thread at cost 10. */
const MOST_WAITING = 1000;
/** One under way and one sent ahead: a thread starts its next job without waiting for this process's event loop. */
const JOBS_IN_A_THREAD = 2;

export const createHashingThreads = (
  threads = Math.max(1, availableParallelism() - 1),
  mostWaiting = MOST_WAITING,
): HashingThreads => new HashingPool(threads, mostWaiting);

class HashingPool implements HashingThreads {
  readonly #size: number;
  readonly #mostWaiting: number;
  readonly #threads: Thread[] = [];
  /** In the order in which networks have their turn. */
  readonly #queues = new Map<string, Job[]>();
  #waiting = 0;
  #closed = false;

  constructor(size: number, mostWaiting: number) {
    this.#size = size;
    this.#mostWaiting = mostWaiting;
  }

  run(work: HashingWork, from: string): Promise<HashingAnswer> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(new Error("The server is stopping"));
      const queue = this.#queues.get(from) ?? [];
      queue.push({ work, from, resolve, reject });
      this.#queues.set(from, queue);
      this.#waiting += 1;
      this.#next();
      if (this.#waiting > this.#mostWaiting) this.#makeRoom();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    const stopped = new Error("The server is stopping");
    for (const job of [...this.#queues.values()].flat()) job.reject(stopped);
    for (const { jobs } of this.#threads) for (const job of jobs.splice(0)) job.reject(stopped);
    this.#queues.clear();
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
  }

  #next(): void {
    while (this.#waiting > 0 && !this.#closed) {
      const thread = this.#freest();
      if (!thread) return;
      give(thread, this.#take());
    }
  }

  /** An idle thread, else a new one, else one with room for a job ahead. */
  #freest(): Thread | undefined {
    const [least] = this.#threads.toSorted((a, b) => a.jobs.length - b.jobs.length);
    if (this.#threads.length < this.#size && least?.jobs.length !== 0) return this.#start();
    return least && least.jobs.length < JOBS_IN_A_THREAD ? least : undefined;
  }

  #start(): Thread {
    const worker = new Worker(new URL("./hashing-thread.ts", import.meta.url));
    const thread: Thread = { worker, jobs: [] };
    let cause: unknown;
    worker.on("message", (answer: HashingAnswer) => {
      thread.jobs.shift()?.resolve(answer);
      this.#next();
    });
    worker.on("error", (error) => {
      cause = error;
    });
    // Comes after the thread's last answer. Its job died with it; the one behind that gets a new thread.
    worker.on("exit", () => {
      this.#threads.splice(this.#threads.indexOf(thread), 1);
      const [died, ...rest] = thread.jobs;
      died?.reject(cause ?? new Error("A hashing thread ended"));
      for (const job of rest) give(this.#start(), job);
      this.#next();
    });
    worker.unref();
    this.#threads.push(thread);
    return thread;
  }

  /** Of the networks with the fewest jobs in threads, the one whose turn it is: who has none there goes before a rush that has. */
  #take(): Job {
    const underWay = Map.groupBy(
      this.#threads.flatMap((thread) => thread.jobs),
      (job) => job.from,
    );
    const load = (from: string) => underWay.get(from)?.length ?? 0;
    const [from, jobs] = [...this.#queues].reduce((one, other) =>
      load(other[0]) < load(one[0]) ? other : one,
    );
    const job = jobs.shift()!;
    this.#queues.delete(from);
    if (jobs.length > 0) this.#queues.set(from, jobs);
    this.#waiting -= 1;
    return job;
  }

  /** Refuses the last job of the network with the most waiting; among equals, of the one that came last. */
  #makeRoom(): void {
    const [from, most] = [...this.#queues].reduce((one, other) =>
      other[1].length >= one[1].length ? other : one,
    );
    most.pop()!.reject(refuse("over_request_rate_limit"));
    if (most.length === 0) this.#queues.delete(from);
    this.#waiting -= 1;
  }
}

function give({ worker, jobs }: Thread, job: Job): void {
  jobs.push(job);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  worker.postMessage(job.work);
}
