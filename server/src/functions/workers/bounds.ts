// What a worker may use of the machine. Supabase's platform has the same kinds of bounds; docs/FUNCTIONS.md explains where ours differ.
export interface WorkerBounds {
  /** Processes at once. A function has one. */
  readonly most: number;
  /** Requests that one worker answers at once, and how many of them may come from one address. */
  readonly requests: number;
  readonly requestsOfAddress: number;
  /** How long a request waits for a place. */
  readonly waitMs: number;
  readonly bootMs: number;
  /** Milliseconds without a byte in either direction. */
  readonly silentMs: number;
  /** Time for a whole answer. A worker of that age takes no new requests. */
  readonly wallMs: number;
  /** Processor time without a byte of an answer. */
  readonly cpuMs: number;
  /** Size of the JavaScript heap. With buffers and code the process may use twice as much. */
  readonly memoryMb: number;
  /** A worker without requests ends after this time. */
  readonly idleMs: number;
  /** A function that could not start is not started again within this time. */
  readonly afterFailureMs: number;
  /** Interval between checks of memory and processor time. */
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
