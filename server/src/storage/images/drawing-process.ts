// Pictures are made in a separate process, which ends when idle: the system's allocator keeps what libvips has freed, and only
// the end of the process returns it. A crashing decoder loses only the pictures in progress.
import { type ChildProcess, fork } from "node:child_process";
import { constants, setPriority } from "node:os";
import { imageUnreadable } from "../errors.ts";
import type { Format, Transformation } from "./transformation.ts";

export interface Picture {
  readonly bytes: Buffer;
  readonly format: Format;
}

export interface Rendering {
  readonly options: Transformation;
  /** The caller's Accept header; empty where the format is not negotiated. */
  readonly accept: string;
  readonly bucketLikesAvif: boolean;
}

export interface Job {
  readonly id: number;
  readonly bytes: Buffer;
  readonly rendering: Rendering;
}

export type Answer = (
  | { readonly id: number; readonly picture: Picture }
  | { readonly id: number; readonly unreadable: string }
) & { readonly cpuMs: number };

interface Awaited {
  readonly late: NodeJS.Timeout;
  readonly begun: number;
  spend(ms: number): void;
  resolve(picture: Picture): void;
  reject(error: unknown): void;
}

/** Starting the process takes a quarter of a second. */
const IDLE_MS = 10_000;

/** Encoders work in one step that none of their own limits interrupts; nobody waits longer for a picture. */
const LONGEST_MS = 60_000;

/**
 * glibc then allocates large blocks directly from the system and returns each at once. By default it soon keeps those of up to
 * 32 MB.
 */
const LARGE_BLOCKS_APART = { MALLOC_MMAP_THRESHOLD_: "131072" };

export class DrawingProcess {
  readonly #idleMs: number;
  readonly #longestMs: number;
  readonly #jobs = new Map<number, Awaited>();
  #child: ChildProcess | undefined;
  #idle: NodeJS.Timeout | undefined;
  #last = 0;

  constructor({ idleMs = IDLE_MS, longestMs = LONGEST_MS } = {}) {
    this.#idleMs = idleMs;
    this.#longestMs = longestMs;
  }

  /**
   * Rejects with InvalidRequest 422 if the source is not a picture, is too large, or takes too long. `spend` is called with the
   * milliseconds of processor time that it took: this process gives way to all others, whose work must not count.
   */
  draw(bytes: Buffer, rendering: Rendering, spend: (ms: number) => void = () => {}): Promise<Picture> {
    clearTimeout(this.#idle);
    const child = (this.#child ??= this.#start());
    return new Promise((resolve, reject) => {
      const id = ++this.#last;
      const late = setTimeout(() => this.#giveUp(id), this.#longestMs).unref();
      this.#jobs.set(id, { late, begun: performance.now(), spend, resolve, reject });
      child.send({ id, bytes, rendering } satisfies Job, (error) => {
        if (error) this.#settle(id)?.reject(error);
      });
    });
  }

  /** Ends the process; the next picture starts another. */
  end(): void {
    clearTimeout(this.#idle);
    this.#child?.kill("SIGKILL");
    this.#lose(this.#child, new Error("The process that makes pictures was ended"));
  }

  #start(): ChildProcess {
    // Passes nothing of the server's environment, which holds its secrets. The child ends when this process does.
    const child = fork(new URL("./draw.ts", import.meta.url), {
      ...{ env: LARGE_BLOCKS_APART, execArgv: [], serialization: "advanced" },
    });
    // From here, before it has threads: Linux changes the priority of one thread, and later ones inherit it.
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
    child.on("message", (answer: Answer) => {
      const job = this.#settle(answer.id);
      job?.spend(answer.cpuMs);
      if ("picture" in answer) job?.resolve(answer.picture);
      else job?.reject(imageUnreadable(new Error(answer.unreadable)));
    });
    child.on("error", (error) => this.#lose(child, error));
    child.on("exit", () => this.#lose(child, new Error("The process that makes pictures ended")));
    child.unref();
    child.channel?.unref();
    return child;
  }

  /** Nothing else stops a process that does not respond. */
  #giveUp(id: number): void {
    this.#fail(id, imageUnreadable(new Error("takes too long")));
    this.end();
  }

  /** Without an answer nobody knows the processor time; the picture may be what ended the process. */
  #fail(id: number, error: unknown): void {
    const job = this.#settle(id);
    job?.spend(performance.now() - job.begun);
    job?.reject(error);
  }

  #settle(id: number): Awaited | undefined {
    const job = this.#jobs.get(id);
    this.#jobs.delete(id);
    clearTimeout(job?.late);
    clearTimeout(this.#idle);
    if (this.#jobs.size === 0) this.#idle = setTimeout(() => this.end(), this.#idleMs).unref();
    return job;
  }

  #lose(child: ChildProcess | undefined, error: Error): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    for (const id of this.#jobs.keys()) this.#fail(id, error);
  }
}
