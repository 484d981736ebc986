// bcrypt in separate threads, one fewer than the machine has cores, so that a rush of sign-ins takes neither the event loop's
// core nor Node's own threads for files and DNS. Networks take turns, so that one that sends many sign-ins delays only
// itself. Within a network its accounts take turns, because an office or a carrier has one address for everyone. While
// another network waits, guessing networks get at most every second turn. Beyond a bound, the account with the most waiting
// in the network with the most waiting is refused.
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { refuse } from "../errors.ts";

export type HashingWork =
  | { readonly password: string; readonly cost: number }
  | { readonly password: string; readonly hash: string };
export type HashingAnswer = { readonly hash: string } | { readonly equal: boolean };

/** The network and account that a job is charged to. */
export interface Turn {
  /** Undefined for the machine's own jobs. */
  readonly ip: string | undefined;
  /** Whose password it is, written the same way everywhere: an address as typed in, known or not. */
  readonly account: string;
}

export interface HashingThreads {
  /** Rejects with over_request_rate_limit when too much waits. */
  run(work: HashingWork, turn: Turn): Promise<HashingAnswer>;
  close(): Promise<void>;
}

interface Job {
  readonly work: HashingWork;
  readonly network: string;
  readonly account: string;
  resolve(answer: HashingAnswer): void;
  reject(error: unknown): void;
}

interface Thread {
  readonly worker: Worker;
  /** The running job comes first. */
  readonly jobs: Job[];
}

/** A minute's work for one thread at cost 10. */
const MOST_WAITING = 1000;
/** Enough time for some of the waiting jobs to finish. */
const RETRY_SECONDS = 5;
/** One running and one sent ahead: a thread starts its next job without waiting for this process's event loop. */
const JOBS_IN_A_THREAD = 2;

export interface HashingOptions {
  readonly size?: number;
  readonly mostWaiting?: number;
  /** Whether the network has recently guessed wrong. */
  isGuessing?(network: string): boolean;
}

export const createHashingThreads = (options: HashingOptions = {}): HashingThreads =>
  new HashingPool(options);

class HashingPool implements HashingThreads {
  readonly #size: number;
  readonly #mostWaiting: number;
  readonly #isGuessing: (network: string) => boolean;
  readonly #threads: Thread[] = [];
  /** Networks in the order of their turns, and the accounts of each likewise. */
  readonly #queues = new Map<string, Map<string, Job[]>>();
  #waiting = 0;
  /** Whether the last turn went to a guessing network. */
  #guessed = false;
  #closed = false;

  constructor({
    size = Math.max(1, availableParallelism() - 1),
    mostWaiting = MOST_WAITING,
    isGuessing = () => false,
  }: HashingOptions) {
    this.#size = size;
    this.#mostWaiting = mostWaiting;
    this.#isGuessing = isGuessing;
  }

  run(work: HashingWork, { ip, account }: Turn): Promise<HashingAnswer> {
    const network = ip ?? "this machine";
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(new Error("The server is stopping"));
      this.#queueOf(network, account).push({ work, network, account, resolve, reject });
      this.#waiting += 1;
      this.#next();
      if (this.#waiting > this.#mostWaiting) this.#makeRoom();
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
      give(thread, this.#take());
    }
  }

  /** An idle thread, otherwise a new one, otherwise one with room for a job ahead. */
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
    // Comes after the thread's last answer. The running job died with the thread; the one behind it gets a new thread.
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

  #queueOf(network: string, account: string): Job[] {
    const accounts = this.#queues.get(network) ?? new Map<string, Job[]>();
    this.#queues.set(network, accounts);
    const queue = accounts.get(account) ?? [];
    accounts.set(account, queue);
    return queue;
  }

  /** The network and account with the fewest jobs in threads come first; on a tie, the one whose turn it is. */
  #take(): Job {
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
    this.#guessed = this.#isGuessing(network);
    return job;
  }

  /** After a guessing network, only the others, if any of them waits. */
  #mayBeNext(): Iterable<[string, Map<string, Job[]>]> {
    if (!this.#guessed) return this.#queues;
    const others = [...this.#queues].filter(([network]) => !this.#isGuessing(network));
    return others.length > 0 ? others : this.#queues;
  }

  /** Refuses the newest job of the account with the most waiting; on a tie, of the account that came last. */
  #makeRoom(): void {
    const [network, accounts] = mostOf(this.#queues, (each) =>
      each.values().reduce((sum, jobs) => sum + jobs.length, 0),
    );
    const [account, jobs] = mostOf(accounts, (each) => each.length);
    jobs.pop()!.reject(refuse("over_request_rate_limit", undefined, { retryAfter: RETRY_SECONDS }));
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

function give({ worker, jobs }: Thread, job: Job): void {
  jobs.push(job);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  worker.postMessage(job.work);
}
