// bcrypt in threads of its own, fewer than the machine has cores: a rush of sign-ins takes neither the event loop's core nor
// the threads that files and names are read with. Who waits is served in turn by network, so that one that sends many
// delays itself and nobody else; beyond a bound the network that waits most is refused.
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

/** A minute's work for one thread at cost 10. */
const MOST_WAITING = 1000;

export function createHashingThreads(
  threads = Math.max(1, availableParallelism() - 1),
  mostWaiting = MOST_WAITING,
): HashingThreads {
  const idle: Worker[] = [];
  const busy = new Map<Worker, Job>();
  /** In the order in which networks have their turn. */
  const queues = new Map<string, Job[]>();
  let waiting = 0;
  let closed = false;

  function start(): Worker {
    const worker = new Worker(new URL("./hashing-thread.ts", import.meta.url));
    worker.on("message", (answer: HashingAnswer) => {
      busy.get(worker)?.resolve(answer);
      busy.delete(worker);
      idle.push(worker);
      next();
    });
    // A thread that dies takes its job along; the next job starts another.
    worker.on("error", (error) => {
      busy.get(worker)?.reject(error);
      busy.delete(worker);
      next();
    });
    worker.unref();
    return worker;
  }

  function next(): void {
    while (waiting > 0 && !closed && busy.size < threads) {
      const worker = idle.pop() ?? start();
      const job = take();
      busy.set(worker, job);
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      worker.postMessage(job.work);
    }
  }

  function take(): Job {
    const [from, jobs] = queues.entries().next().value!;
    const job = jobs.shift()!;
    queues.delete(from);
    if (jobs.length > 0) queues.set(from, jobs);
    waiting -= 1;
    return job;
  }

  /** Refuses the last of the network that waits most; among equals, of the one that came last. */
  function makeRoom(): void {
    const [from, most] = [...queues].reduce((one, other) => (other[1].length >= one[1].length ? other : one));
    most.pop()!.reject(refuse("over_request_rate_limit"));
    if (most.length === 0) queues.delete(from);
    waiting -= 1;
  }

  return {
    run: (work, from) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(new Error("The server is stopping"));
        const queue = queues.get(from) ?? [];
        queue.push({ work, from, resolve, reject });
        queues.set(from, queue);
        waiting += 1;
        next();
        if (waiting > mostWaiting) makeRoom();
      }),
    async close() {
      closed = true;
      const stopped = new Error("The server is stopping");
      for (const job of [...queues.values()].flat()) job.reject(stopped);
      for (const job of busy.values()) job.reject(stopped);
      queues.clear();
      await Promise.all([...idle, ...busy.keys()].map((worker) => worker.terminate()));
    },
  };
}
