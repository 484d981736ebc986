// What a worker may take of the machine. Supabase's platform has the same kinds of bounds; where ours differ, docs/FUNCTIONS.md says why.
export interface WorkerBounds {
  /** Processes at once. A function has one. */
  readonly most: number;
  /** Requests that one worker answers at once, and how many of them may be one address's. */
  readonly requests: number;
  readonly requestsOfAddress: number;
  /** How long a request waits for a place. */
  readonly waitMs: number;
  readonly bootMs: number;
  /** Without a byte in either direction. */
  readonly silentMs: number;
  /** For a whole answer; a worker of that age takes no new requests. */
  readonly wallMs: number;
  /** Processor time without a byte of an answer. */
  readonly cpuMs: number;
  /** Of the JavaScript heap. With buffers and code the process may have twice as much. */
  readonly memoryMb: number;
  /** A worker without requests ends after it. */
  readonly idleMs: number;
  /** A function that could not start is not started again within it. */
  readonly afterFailureMs: number;
  /** Between looks at memory and processor time. */
  readonly lookEveryMs: number;
}

export const BOUNDS: WorkerBounds = {
  most: 4,
  requests: 64,
  requestsOfAddress: 32,
  waitMs: 5_000,
  bootMs: 30_000,
  silentMs: 150_000,
  wallMs: 400_000,
  cpuMs: 2_000,
  memoryMb: 256,
  idleMs: 60_000,
  afterFailureMs: 2_000,
  lookEveryMs: 100,
};
