// The running workers: one per function, started with its first request, limited in number. Owns who gets a place, and the regular check of
// every worker.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ServiceContext } from "../../platform/http/context.ts";
import { openSocketFolder, removeSocketFolder } from "../../platform/local-socket.ts";
import type { Log } from "../../platform/log.ts";
import { createShares } from "../../platform/shares.ts";
import { departed } from "../../postgres/connections/turns.ts";
import { RelayError } from "../relay-errors.ts";
import type { ServedFunction } from "../served.ts";
import type { WorkerBounds } from "./bounds.ts";
import { commandOf, denoProgram, type Launch } from "./launch.ts";
import { Worker } from "./worker.ts";

export interface PoolDeps extends Omit<Launch, "cache"> {
  /** The folder of Deno's cache and the workers' sockets. */
  readonly folder: string;
  readonly bounds: WorkerBounds;
  readonly log: Log;
  /** The path of Deno; the installed package by default. */
  readonly deno?: () => string | undefined;
}

/** What is known of a request besides its own words. */
export type RequestFacts = Pick<ServiceContext, "requestId" | "ip" | "departure">;

const NOT_INSTALLED =
  "This function has only an index.ts, which runs in Deno, and the development dependency `deno` is not installed here";

export class WorkerPool {
  readonly #deps: PoolDeps;
  readonly #alive = new Set<Worker>();
  readonly #shares: ReturnType<typeof createShares>;
  /** By function: the time before which it is not started again. */
  readonly #failed = new Map<string, number>();
  readonly #waiting = new Set<() => void>();
  #looking: NodeJS.Timeout | undefined;
  #started = 0;
  #isClosed = false;

  constructor(deps: PoolDeps) {
    this.#deps = deps;
    this.#shares = createShares(deps.bounds.requestsOfAddress);
  }

  /** The function's own answer. Rejects with RelayError, or with the reason why the request's body was refused. */
  async fetch(served: ServedFunction, request: Request, facts: RequestFacts): Promise<Response> {
    const giveBack = this.#shares.of(facts.ip).hold(1);
    if (!giveBack) throw new RelayError("RATE_LIMIT_EXCEEDED");
    const client = new Client(facts.departure);
    let ended: Promise<void> = Promise.resolve();
    let leave: (() => void) | undefined;
    try {
      const place = await this.#placeFor(served, client);
      leave = place.leave;
      const exchange = await place.worker.fetch(request, headersFor(request, facts, this.#deps.apiUrl));
      ended = exchange.ended;
      client.onGone(exchange.abort);
      return await exchange.answer;
    } finally {
      // An answer continues to stream after this returns.
      void ended.then(() => {
        leave?.();
        giveBack();
        client.forget();
      });
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake();
    clearInterval(this.#looking);
    await Promise.all([...this.#alive].map((worker) => worker.end("closed")));
    removeSocketFolder(this.#deps.folder);
  }

  /** Waits until a place is free. */
  async #placeFor(served: ServedFunction, client: Client): Promise<Place> {
    const until = performance.now() + this.#deps.bounds.waitMs;
    while (!this.#isClosed && !client.isGone) {
      const worker = this.#workerOf(served);
      const leave = worker?.hold();
      if (worker && leave) return { worker, leave };
      const left = until - performance.now();
      if (left <= 0) break;
      await this.#change(left);
    }
    throw client.isGone ? departed() : new RelayError("WORKERS_BUSY");
  }

  /** Undefined until another function's worker has ended. Throws RelayError when it cannot be started. */
  #workerOf(served: ServedFunction): Worker | undefined {
    const alive = [...this.#alive];
    const running = alive.find((worker) => worker.name === served.name && worker.isOpen);
    if (running) return running;
    if ((this.#failed.get(served.name) ?? 0) > performance.now()) throw new RelayError("BOOT_ERROR");
    if (alive.length < this.#deps.bounds.most) return this.#start(served);
    if (!alive.some((worker) => worker.isEnding)) {
      const idle = alive.filter((worker) => worker.isIdle).toSorted((a, b) => a.usedAt - b.usedAt);
      void idle[0]?.end("idle");
    }
    return undefined;
  }

  #start(served: ServedFunction): Worker {
    const { folder, bounds, log } = this.#deps;
    const deno = (this.#deps.deno ?? denoProgram)();
    if (deno === undefined) throw new RelayError("BOOT_ERROR", NOT_INSTALLED);
    const cache = join(folder, "deno");
    mkdirSync(cache, { recursive: true, mode: 0o700 });
    keepNothing(cache);
    const socket = join(openSocketFolder(folder), `w${++this.#started}.sock`);
    const launch = { ...this.#deps, cache };
    const command = commandOf(deno, served, socket, launch, bounds);
    const worker: Worker = new Worker(served.name, command, socket, bounds, log, () => this.#wake());
    this.#alive.add(worker);
    worker.ready.catch(() => this.#failed.set(served.name, performance.now() + bounds.afterFailureMs));
    void worker.exited.then(() => {
      this.#alive.delete(worker);
      if (this.#alive.size === 0) this.#stopLooking();
      this.#wake();
    });
    this.#looking ??= setInterval(() => {
      for (const one of this.#alive) void one.look();
    }, bounds.lookEveryMs).unref();
    return worker;
  }

  #stopLooking(): void {
    clearInterval(this.#looking);
    this.#looking = undefined;
  }

  #change(withinMs: number): Promise<void> {
    return new Promise((changed) => {
      const done = () => {
        clearTimeout(late);
        this.#waiting.delete(done);
        changed();
      };
      const late = setTimeout(done, withinMs);
      this.#waiting.add(done);
    });
  }

  #wake(): void {
    for (const done of [...this.#waiting]) done();
  }
}

/**
 * Puts a file where Deno would create the folder of `caches`, `localStorage` and key-value stores: they need no permission, and `caches`
 * has no limit.
 */
function keepNothing(cache: string): void {
  const place = join(cache, "location_data");
  rmSync(place, { recursive: true, force: true });
  writeFileSync(place, "");
}

interface Place {
  readonly worker: Worker;
  leave(): void;
}

/** A client that waits for an answer. It may leave before there is anything to abort. */
class Client {
  isGone = false;
  readonly forget: () => void;
  #abort = () => {};

  constructor(departure: RequestFacts["departure"]) {
    this.isGone = departure?.gone ?? false;
    const stop = departure?.onGone(() => {
      this.isGone = true;
      this.#abort();
    });
    this.forget = () => stop?.();
  }

  onGone(abort: () => void): void {
    this.#abort = abort;
    if (this.isGone) abort();
  }
}

/** The request's headers, with the address, the id and the origin that the gateway vouches for. */
function headersFor(request: Request, { requestId }: RequestFacts, apiUrl: string): Headers {
  const headers = new Headers(request.headers);
  const { host, protocol } = new URL(apiUrl);
  headers.set("sb-request-id", requestId);
  headers.set("x-forwarded-host", headers.get("host") ?? host);
  headers.set("x-forwarded-proto", protocol.slice(0, -1));
  if (!headers.has("host")) headers.set("host", host);
  return headers;
}
