// Runs inside a worker's Deno before the function's own module: makes Deno.serve listen where the server expects it, marks
// the function's log lines with their request, and ends the worker with the server. Imports nothing of ours.
import { AsyncLocalStorage } from "node:async_hooks";

type Handler = (request: Request, info: unknown) => Response | Promise<Response>;

interface Served {
  readonly handler?: Handler;
  readonly onError?: (error: unknown) => Response | Promise<Response>;
  readonly onListen?: (address: unknown) => void;
  readonly signal?: AbortSignal;
}

declare global {
  function addEventListener(event: "load", listener: () => unknown): void;
}

declare const Deno: {
  readonly mainModule: string;
  readonly env: {
    get(name: string): string | undefined;
    delete(name: string): void;
    toObject(): Readonly<Record<string, string>>;
  };
  readonly stdin: { readonly readable: ReadableStream<Uint8Array> };
  readonly stdout: { writeSync(bytes: Uint8Array): number };
  serve(options: Served & { readonly path: string }, handler: Handler): unknown;
  readonly permissions: { revokeSync(permission: { readonly name: string; readonly path: string }): unknown };
  inspect(value: unknown, options?: object): string;
  exit(code: number): never;
  unrefTimer(id: number): void;
};

const LEVELS = ["debug", "log", "info", "warn", "error"] as const;
/** Longer lines are truncated, as on the platform. */
const LONGEST = 10_000;

const requests = new AsyncLocalStorage<string>();
const encoder = new TextEncoder();
const socket = Deno.env.get("WORKER_SOCKET")!;
/** Variables meant for the shell and for Deno are hidden from the function. */
const meant = new Set(Deno.env.get("WORKER_ENVIRONMENT")!.split(","));
for (const name of Object.keys(Deno.env.toObject())) {
  if (!meant.has(name)) Deno.env.delete(name);
}

/** One line of JSON for the server, after a mark that distinguishes it from other output. */
function notify(event: Readonly<Record<string, unknown>>): void {
  let rest = encoder.encode(`\u001e${JSON.stringify(event)}\n`);
  while (rest.length > 0) rest = rest.subarray(Deno.stdout.writeSync(rest));
}

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : Deno.inspect(value, { colors: false, depth: 4 });

function log(level: string, values: readonly unknown[]): void {
  const message = values.map(textOf).join(" ").slice(0, LONGEST);
  notify({ event: "log", level, message, requestId: requests.getStore() });
}

for (const level of LEVELS) {
  console[level] = (...values: unknown[]) => log(level === "log" ? "info" : level, values);
}

const listen = Deno.serve.bind(Deno);
let isServed = false;

/** Restores the URL: on a socket Deno gives it the scheme http+unix. */
function fromOutside(request: Request): Request {
  const { headers, url } = request;
  const origin = `${headers.get("x-forwarded-proto")}://${headers.get("x-forwarded-host")}`;
  return new Request(
    url.replace(/^http\+unix:\/\/[^/]*/, () => origin),
    request,
  );
}

/** The port that the function requests is ignored: the relay decides it. */
function serve(handler: Handler, { onError, onListen, signal }: Served): unknown {
  isServed = true;
  const marked: Handler = (request, info) =>
    requests.run(request.headers.get("sb-request-id") ?? "", () => handler(fromOutside(request), info));
  return listen(
    {
      path: socket,
      ...(onError && { onError }),
      ...(signal && { signal }),
      onListen(address) {
        // Both were needed to create the socket. If kept, they would let the function replace it with a file of any size.
        for (const name of ["read", "write"]) Deno.permissions.revokeSync({ name, path: socket });
        notify({ event: "listening" });
        onListen?.(address);
      },
    },
    marked,
  );
}

Object.defineProperty(Deno, "serve", {
  value: (first: Handler | Served, second?: Handler) =>
    typeof first === "function" ? serve(first, {}) : serve((second ?? first.handler)!, first),
});

/** The function's response may be sent before its work ends. */
let background = 0;
Object.defineProperty(globalThis, "EdgeRuntime", {
  value: {
    waitUntil(work: Promise<unknown>): void {
      notify({ event: "background", under: ++background });
      const ended = () => notify({ event: "background", under: --background });
      work.then(ended, (error: unknown) => {
        log("error", [error]);
        ended();
      });
    },
  },
});

/** This event fires once the function's module has run. The module may export its handler instead of calling Deno.serve. */
globalThis.addEventListener("load", async () => {
  if (isServed) return;
  const { default: exported } = (await import(Deno.mainModule)) as { default?: { fetch?: Handler } };
  if (typeof exported?.fetch === "function") {
    serve(exported.fetch.bind(exported), {});
    return;
  }
  log("error", ["The function serves nothing: call Deno.serve, or export default { fetch }."]);
  Deno.exit(1);
});

/** The server holds the other end, which closes however the server ends. */
async function endWithServer(): Promise<void> {
  // Nothing is sent, so the first read returns at the end.
  await Deno.stdin.readable.getReader().read();
  Deno.exit(0);
}

// Deno waits for this module's pending work before it runs the function's, except for an unreferenced timer.
Deno.unrefTimer(setTimeout(() => void endWithServer(), 0) as unknown as number);
