// bcrypt in separate threads, one fewer than the machine has cores, so that a rush of sign-ins takes neither the event loop's
// core nor Node's own threads for files and DNS. While another network waits, guessing networks get at most every second turn.
import { availableParallelism } from "node:os";
import { createThreads, type Threads } from "../../platform/threads.ts";
import { refuse } from "../errors.ts";

export type HashingWork =
  | { readonly password: string; readonly cost: number }
  | { readonly password: string; readonly hash: string };
export type HashingAnswer = { readonly hash: string } | { readonly equal: boolean };

/** The account of a turn is whose password it is: an address as typed in, known or not. */
export type HashingThreads = Threads<HashingWork, HashingAnswer>;

/** A minute's work for one thread at cost 10. */
const MOST_WAITING = 1000;
/**
 * The site stops waiting after 15 s, and people try again. Without this, a rush of sign-ins kept the threads busy for people who had
 * left: 300 people opened 2,900 sessions in ten minutes.
 */
const LONGEST_WAIT_MS = 8_000;
/** Enough time for some of the waiting jobs to finish. */
const RETRY_SECONDS = 5;

export interface HashingOptions {
  readonly size?: number;
  readonly mostWaiting?: number;
  readonly longestWaitMs?: number;
  /** Whether the network has recently guessed wrong. */
  isGuessing?(network: string): boolean;
}

export const createHashingThreads = ({
  size = Math.max(1, availableParallelism() - 1),
  mostWaiting = MOST_WAITING,
  longestWaitMs = LONGEST_WAIT_MS,
  isGuessing = () => false,
}: HashingOptions = {}): HashingThreads =>
  createThreads({
    ...{ size, mostWaiting, longestWaitMs, isThrottled: isGuessing },
    script: new URL("./hashing-thread.ts", import.meta.url),
    crowded: () => refuse("over_request_rate_limit", undefined, { retryAfter: RETRY_SECONDS }),
  });
