// Heavy work in separate threads, so that it does not hold up the event loop. Networks take turns, so that one that sends much
// delays only itself. Within a network its accounts take turns, because an office or a carrier has one address for everyone.
// Beyond a bound, the account with the most waiting in the network with the most waiting is refused.
import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";
import { type ResourceLimits, Worker } from "node:worker_threads";

/** The network and account that a job is charged to. */
export interface Turn {
  /** Undefined for the machine's own jobs. */
  readonly ip: string | undefined;
  /** Written the same way everywhere. */
  readonly account: string;
}

export interface Threads<Work, Answer> {
  /**
   * Rejects with `crowded()` when too much waits. Otherwise with the error of the thread, which loses this job alone: it threw,
   * took too much memory or too long.
   */
  run(work: Work, turn: Turn): Promise<Answer>;
  close(): Promise<void>;
}

export interface ThreadsOptions {
  /** The module that each thread runs: it posts one answer for each message, in their order. */
  readonly script: URL;
  /** Most threads at once. Each starts when it is first needed. */
  readonly size: number;
  readonly mostWaiting: number;
  /** A job whose turn comes later than this is refused: whoever sent it no longer waits. */
  readonly longestWaitMs?: number;
  /** The refusal of a job when too much waits. */
  crowded(): Error;
  /** Networks that together get at most every second turn while another waits. */
  isThrottled?(network: string): boolean;
  /** Of one job; without it, a job may take as long as it likes. */
  readonly longestMs?: number;
  readonly resourceLimits?: ResourceLimits;
}

interface Job<Work, Answer> {
  readonly work: Work;
  readonly network: string;
  readonly account: string;
  readonly since: number;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

interface Thread<Work, Answer> {
  readonly worker: Worker;
  /** The running job comes first. */
  readonly jobs: Job<Work, Answer>[];
  /** Ends the thread when the running job takes too long. */
  late?: NodeJS.Timeout;
  /** Why it ended. */
  cause?: unknown;
}

/** One running and one sent ahead: a thread starts its next job without waiting for this process's event loop. */
const JOBS_IN_A_THREAD = 2;

/** A thread has no compile cache unless its environment names one. With it, the printer loads in 60 ms of processor time, not 130. */
const cache = getCompileCacheDir(); // of this version of Node, in the folder it was given
const ENV = { ...process.env, ...(cache !== undefined && { NODE_COMPILE_CACHE: dirname(cache) }) };

export const createThreads = <Work, Answer>(options: ThreadsOptions): Threads<Work, Answer> =>
  new ThreadPool(options);

class ThreadPool<Work, Answer> implements Threads<Work, Answer> {
  readonly #options: ThreadsOptions;
  readonly #threads: Thread<Work, Answer>[] = [];
  /** Networks in the order of their turns, and the accounts of each likewise. */
  readonly #queues = new Map<string, Map<string, Job<Work, Answer>[]>>();
  #waiting = 0;
  /** Whether the last turn went to a throttled network. */
  #throttled = false;
  #closed = false;

  constructor(options: ThreadsOptions) {
    this.#options = options;
  }

  run(work: Work, { ip, account }: Turn): Promise<Answer> {
    const network = ip ?? "this machine";
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(new Error("The server is stopping"));
      this.#queueOf(network, account).push({
        work,
        network,
        account,
        since: performance.now(),
        resolve,
        reject,
      });
      this.#waiting += 1;
      this.#next();
      if (this.#waiting > this.#options.mostWaiting) this.#makeRoom();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    const stopped = new Error("The server is stopping");
    for (const accounts of this.#queues.values())
      for (const job of [...accounts.values()].flat()) job.reject(stopped);
    for (const { jobs } of this.#threads) for (const job of jobs.splice(0)) job.reject(stopped);
    this.#queues.clear();
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
  }

  #next(): void {
    while (this.#waiting > 0 && !this.#closed) {
      const thread = this.#freest();
      if (!thread) return;
      const job = this.#take();
      if (this.#isLate(job)) job.reject(this.#options.crowded());
      else this.#give(thread, job);
    }
  }

  #isLate({ since }: Job<Work, Answer>): boolean {
    return performance.now() - since > (this.#options.longestWaitMs ?? Infinity);
  }

  /** An idle thread, otherwise a new one, otherwise one with room for a job ahead. */
  #freest(): Thread<Work, Answer> | undefined {
    const [least] = this.#threads.toSorted((a, b) => a.jobs.length - b.jobs.length);
    if (this.#threads.length < this.#options.size && least?.jobs.length !== 0) return this.#start();
    return least && least.jobs.length < JOBS_IN_A_THREAD ? least : undefined;
  }

  #start(): Thread<Work, Answer> {
    const { script, resourceLimits } = this.#options;
    const worker = new Worker(script, { env: ENV, ...(resourceLimits && { resourceLimits }) });
    const thread: Thread<Work, Answer> = { worker, jobs: [] };
    worker.on("message", (answer: Answer) => {
      thread.jobs.shift()?.resolve(answer);
      this.#watch(thread);
      this.#next();
    });
    worker.on("error", (error) => {
      thread.cause = error;
    });
    // Comes after the thread's last answer. The running job died with the thread; the one behind it gets a new thread.
    worker.on("exit", () => {
      clearTimeout(thread.late);
      this.#threads.splice(this.#threads.indexOf(thread), 1);
      const [died, ...rest] = thread.jobs;
      died?.reject(thread.cause ?? new Error("The thread ended before its job was done"));
      for (const job of rest) this.#give(this.#start(), job);
      this.#next();
    });
    worker.unref();
    this.#threads.push(thread);
    return thread;
  }

  #give(thread: Thread<Work, Answer>, job: Job<Work, Answer>): void {
    thread.jobs.push(job);
    if (thread.jobs.length === 1) this.#watch(thread);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    thread.worker.postMessage(job.work);
  }

  /** Gives the job that now runs its time. */
  #watch(thread: Thread<Work, Answer>): void {
    const { longestMs } = this.#options;
    clearTimeout(thread.late);
    if (longestMs === undefined || thread.jobs.length === 0) return;
    thread.late = setTimeout(() => {
      thread.cause = new Error(`The job took longer than ${longestMs / 1000} s`);
      // An answer on its way would be taken for the next job's.
      thread.worker.removeAllListeners("message");
      void thread.worker.terminate();
    }, longestMs).unref();
  }

  #queueOf(network: string, account: string): Job<Work, Answer>[] {
    const accounts = this.#queues.get(network) ?? new Map<string, Job<Work, Answer>[]>();
    this.#queues.set(network, accounts);
    const queue = accounts.get(account) ?? [];
    accounts.set(account, queue);
    return queue;
  }

  /** The network and account with the fewest jobs in threads come first; on a tie, the one whose turn it is. */
  #take(): Job<Work, Answer> {
    const underWay = this.#threads.flatMap(({ jobs }) => jobs);
    const [network, accounts] = leastOf(
      this.#mayBeNext(),
      (name) => underWay.filter((job) => job.network === name).length,
    );
    const [account, jobs] = leastOf(
      accounts,
      (name) => underWay.filter((job) => job.network === network && job.account === name).length,
    );
    const job = jobs.shift()!;
    this.#waiting -= 1;
    accounts.delete(account);
    if (jobs.length > 0) accounts.set(account, jobs);
    this.#queues.delete(network);
    if (accounts.size > 0) this.#queues.set(network, accounts);
    this.#throttled = this.#isThrottled(network);
    return job;
  }

  #isThrottled(network: string): boolean {
    return this.#options.isThrottled?.(network) ?? false;
  }

  /** After a throttled network, only the others, if any of them waits. */
  #mayBeNext(): Iterable<[string, Map<string, Job<Work, Answer>[]>]> {
    if (!this.#throttled) return this.#queues;
    const others = [...this.#queues].filter(([network]) => !this.#isThrottled(network));
    return others.length > 0 ? others : this.#queues;
  }

  /** Refuses the newest job of the account with the most waiting; on a tie, of the account that came last. */
  #makeRoom(): void {
    const [network, accounts] = mostOf(this.#queues, (each) =>
      each.values().reduce((sum, jobs) => sum + jobs.length, 0),
    );
    const [account, jobs] = mostOf(accounts, (each) => each.length);
    jobs.pop()!.reject(this.#options.crowded());
    this.#waiting -= 1;
    if (jobs.length === 0) accounts.delete(account);
    if (accounts.size === 0) this.#queues.delete(network);
  }
}

/** The first with the least load. */
const leastOf = <T>(queues: Iterable<[string, T]>, load: (name: string) => number): [string, T] =>
  [...queues].reduce((one, other) => (load(other[0]) < load(one[0]) ? other : one));

/** The last with the greatest size. */
const mostOf = <T>(queues: ReadonlyMap<string, T>, size: (queue: T) => number): [string, T] =>
  [...queues].reduce((one, other) => (size(other[1]) >= size(one[1]) ? other : one));
