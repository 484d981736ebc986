// One Deno process that runs one function. Owns its start, its log lines, its end and the reason it ended.
import { type ChildProcess, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import type { Log } from "../../platform/log.ts";
import { ServiceError } from "../../platform/errors.ts";
import { RelayError } from "../relay-errors.ts";
import type { WorkerBounds } from "./bounds.ts";
import { exchange, type Exchange } from "./exchange.ts";
import type { Command } from "./launch.ts";
import { eachLine } from "./lines.ts";
import { LogLines } from "./log-lines.ts";
import { usageOf } from "./usage.ts";

type End = "idle" | "old" | "closed" | "memory" | "processor time" | "boot";

export class Worker {
  readonly name: string;
  /** Rejects with RelayError if it never listens. */
  readonly ready: Promise<void>;
  readonly exited: Promise<void>;
  readonly #process: ChildProcess;
  readonly #socket: string;
  readonly #bounds: WorkerBounds;
  readonly #log: Log;
  readonly #lines: LogLines;
  readonly #onFree: () => void;
  readonly #under = new Set<Exchange>();
  readonly #startedAt = performance.now();
  #held = 0;
  #background = 0;
  #isReady = false;
  #end: End | undefined;
  #outOfMemory = false;
  #idle: NodeJS.Timeout | undefined;
  /** Bytes of completed answers, and of all answers at the last check. */
  #received = 0;
  #receivedBefore = 0;
  #cpuBefore: number | undefined;
  /** The time of its last request. */
  usedAt = performance.now();

  /** `onFree` is called when it has another free place, or has ended. */
  constructor(
    name: string,
    command: Command,
    socket: string,
    bounds: WorkerBounds,
    log: Log,
    onFree: () => void,
  ) {
    this.name = name;
    this.#socket = socket;
    this.#bounds = bounds;
    this.#log = log;
    this.#lines = new LogLines(name, log);
    this.#onFree = onFree;
    rmSync(socket, { force: true });
    this.#process = spawn(command.program, command.args, {
      env: command.env,
      stdio: ["pipe", "pipe", "pipe"],
    });
    const listening = Promise.withResolvers<void>();
    this.exited = this.#watchExit(listening.reject);
    this.#listen(listening.resolve);
    this.ready = this.#boot(listening.promise);
    this.ready.catch(() => {}); // the awaiting caller receives the error
  }

  get isEnding(): boolean {
    return this.#end !== undefined;
  }

  /** Whether it accepts new requests, now or once it has a place. */
  get isOpen(): boolean {
    return !this.isEnding && performance.now() - this.#startedAt <= this.#bounds.wallMs;
  }

  get isIdle(): boolean {
    return this.#isReady && this.#held === 0 && this.#background <= 0;
  }

  /** Reserves a place for one request; undefined when there is none. */
  hold(): (() => void) | undefined {
    if (this.#held >= this.#bounds.requests) return undefined;
    this.#held++;
    clearTimeout(this.#idle);
    this.usedAt = performance.now();
    return () => {
      this.#held--;
      this.#rest();
    };
  }

  /** The answer rejects with RelayError, or with the reason why the request's own body was refused. */
  async fetch(request: Request, headers: Headers): Promise<Exchange> {
    await this.ready;
    const started = exchange(this.#socket, request, headers, this.#bounds);
    this.#under.add(started);
    void started.ended.then(() => {
      this.#under.delete(started);
      this.#received += started.received();
    });
    const answer = started.answer.catch(async (error: unknown) => {
      throw await this.#reasonFor(error);
    });
    return { ...started, answer };
  }

  /** Ends it at once, whatever it is doing. */
  end(why: End): Promise<void> {
    this.#end ??= why;
    clearTimeout(this.#idle);
    this.#process.kill("SIGKILL");
    return this.exited;
  }

  /** Ends it when it uses more than it may. */
  async look(): Promise<void> {
    // Work that continues after an answer may never end.
    if (this.#held === 0 && !this.isOpen) void this.end("old");
    const usage = this.#process.pid === undefined ? undefined : await usageOf(this.#process.pid);
    if (!usage || this.#end !== undefined) return;
    if (usage.memory > 2 * this.#bounds.memoryMb * 1024 * 1024) {
      this.#stop("memory", { memory: usage.memory });
      return;
    }
    const received = this.#received + [...this.#under].reduce((sum, one) => sum + one.received(), 0);
    // Starting costs more than most answers, and a worker that answers may continue.
    if (!this.#isReady || received !== this.#receivedBefore) {
      this.#receivedBefore = received;
      this.#cpuBefore = undefined;
    }
    this.#cpuBefore ??= usage.cpuMs;
    const cpuMs = usage.cpuMs - this.#cpuBefore;
    if (cpuMs > this.#bounds.cpuMs) this.#stop("processor time", { cpuMs });
  }

  #stop(why: "memory" | "processor time", fields: object): void {
    this.#log.error({ function: this.name, ...fields }, `worker ended: too much ${why}`);
    void this.end(why);
  }

  async #boot(listening: Promise<void>): Promise<void> {
    const tooLate = setTimeout(() => {
      this.#log.error({ function: this.name, bootMs: this.#bounds.bootMs }, "worker did not start in time");
      void this.end("boot");
    }, this.#bounds.bootMs);
    try {
      await listening;
    } finally {
      clearTimeout(tooLate);
    }
    this.#isReady = true;
    this.#log.info(
      { function: this.name, bootMs: Math.round(performance.now() - this.#startedAt) },
      "worker started",
    );
    this.#rest();
  }

  /** Waits for the next request, and for work that continues after an answer. */
  #rest(): void {
    this.#onFree();
    if (!this.isIdle || this.isEnding) return;
    if (!this.isOpen) void this.end("old");
    else this.#idle = setTimeout(() => void this.end("idle"), this.#bounds.idleMs).unref();
  }

  #watchExit(onExit: (error: RelayError) => void): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const gone = (fields: object) => {
      if (this.#end === undefined)
        this.#log.error({ function: this.name, ...fields }, "worker exited unexpectedly");
      this.#end ??= "closed";
      clearTimeout(this.#idle);
      onExit(new RelayError(this.#outOfMemory ? "WORKER_RESOURCE_LIMIT" : "BOOT_ERROR"));
      rmSync(this.#socket, { force: true });
      this.#lines.end();
      resolve();
      this.#onFree();
    };
    this.#process.once("error", (error) => gone({ err: error }));
    // Not "exit": its last output, such as that memory has run out, is read first.
    this.#process.once("close", (code, signal) => gone({ code, signal }));
    // The pipe breaks when the process ends first.
    this.#process.stdin!.on("error", () => {});
    return promise;
  }

  #listen(onListening: () => void): void {
    eachLine(this.#process.stdout!, (line) => {
      const event = this.#lines.read(line);
      if (event?.event === "listening") onListening();
      if (event?.event === "background") {
        this.#background = Number(event.under);
        clearTimeout(this.#idle);
        if (this.#isReady) this.#rest();
      }
    });
    eachLine(this.#process.stderr!, (line) => {
      this.#outOfMemory ||= /out of memory|heap limit/i.test(line);
      this.#lines.complain(line);
    });
  }

  /** What the relay answers when no answer came. */
  async #reasonFor(error: unknown): Promise<unknown> {
    if (error instanceof RelayError || error instanceof ServiceError || !isBrokenConnection(error))
      return error;
    // The connection breaks before the process is known to have ended.
    await Promise.race([this.exited, new Promise((late) => setTimeout(late, 5_000).unref())]);
    if (this.#end === undefined)
      this.#log.error({ err: error, function: this.name }, "worker did not answer");
    const isLimit = this.#end === "memory" || this.#end === "processor time" || this.#outOfMemory;
    return new RelayError(isLimit ? "WORKER_RESOURCE_LIMIT" : "WORKER_ERROR", undefined, { cause: error });
  }
}

const isBrokenConnection = (error: unknown): boolean =>
  error instanceof Error && ("syscall" in error || "code" in error || error.message === "wall clock");
