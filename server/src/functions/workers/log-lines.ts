// A worker's output, as lines of the server's log. A function may write as much as the platform allows; the rest is counted.
import type { Log } from "../../platform/log.ts";

/** As on the platform. */
const MOST = { lines: 100, everyMs: 10_000 };
const LONGEST = 10_000;
const MARK = "\u001e";

export interface WorkerEvent {
  readonly event: string;
  readonly under?: unknown;
}

export class LogLines {
  readonly #name: string;
  readonly #log: Log;
  #since = 0;
  #written = 0;
  #left = 0;

  constructor(name: string, log: Log) {
    this.#name = name;
    this.#log = log;
  }

  /** A line of standard output. Returns an event if it is a message of the bootstrap to the server. */
  read(line: string): WorkerEvent | undefined {
    const event = line.startsWith(MARK) ? eventIn(line.slice(1)) : undefined;
    if (!event) this.#write("info", line, undefined);
    else if (event.event === "log") this.#write(levelOf(event.level), String(event.message), event.requestId);
    else return event;
    return undefined;
  }

  /** A line of standard error, where Deno reports why a function failed. */
  complain(line: string): void {
    this.#write("error", line, undefined);
  }

  end(): void {
    if (this.#left > 0) this.#log.warn({ function: this.#name, left: this.#left }, "log lines were left out");
    this.#left = 0;
  }

  #write(level: "debug" | "info" | "warn" | "error", message: string, requestId: unknown): void {
    if (message === "") return;
    if (performance.now() - this.#since > MOST.everyMs) {
      this.end();
      this.#since = performance.now();
      this.#written = 0;
    }
    if (++this.#written > MOST.lines) {
      this.#left++;
      return;
    }
    const request = typeof requestId === "string" && requestId !== "" ? { requestId } : {};
    this.#log[level]({ function: this.#name, ...request }, message.slice(0, LONGEST));
  }
}

interface Told extends WorkerEvent {
  readonly level?: unknown;
  readonly message?: unknown;
  readonly requestId?: unknown;
}

function eventIn(text: string): Told | undefined {
  try {
    const told: unknown = JSON.parse(text);
    return typeof told === "object" && told !== null && "event" in told ? (told as Told) : undefined;
  } catch {
    return undefined;
  }
}

const levelOf = (level: unknown) =>
  level === "debug" || level === "warn" || level === "error" ? level : "info";
