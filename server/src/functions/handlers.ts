// The functions with a handler, called in this process: loading them, what they receive and the connections they may use.
import { AsyncLocalStorage } from "node:async_hooks";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ServiceContext } from "../platform/http/context.ts";

export type CallContext = Pick<ServiceContext, "claims" | "ip" | "requestId">;

/** What a program's handlers need to run in this process. */
export interface InProcess {
  /** The handler's second argument. */
  depsOf(context: CallContext): Promise<unknown>;
  /**
   * Whether the call may use the connections kept for the service. Answered for calls of people alone: the service's own may.
   */
  isUrgent(name: string, context: CallContext): boolean;
  close?(): Promise<void>;
}

type Handler = (request: Request, deps: unknown) => Promise<Response>;

/** The address of the visitor for whom a function runs: their queries queue with other visitors'. */
export const visiting = new AsyncLocalStorage<string | undefined>();

export class Handlers {
  readonly #inProcess: InProcess;
  readonly #folder: string;
  readonly #loaded = new Map<string, Handler>();

  /** `folder` has a folder for each function. */
  constructor(inProcess: InProcess, folder: string) {
    this.#inProcess = inProcess;
    this.#folder = folder;
  }

  async call(name: string, request: Request, context: CallContext): Promise<Response> {
    const [handler, deps] = await Promise.all([this.#handlerOf(name), this.#inProcess.depsOf(context)]);
    const isUrgent = context.claims.role === "service_role" || this.#inProcess.isUrgent(name, context);
    // Set for each call: a job that a visitor's call starts does not count as the visitor's.
    return visiting.run(isUrgent ? undefined : context.ip, () => handler(request, deps));
  }

  /** Cached: import() of a loaded module still takes about a thirtieth of a call's time. */
  async #handlerOf(name: string): Promise<Handler> {
    const known = this.#loaded.get(name);
    if (known) return known;
    const file = pathToFileURL(join(this.#folder, name, "handler.ts"));
    const { handler } = (await import(file.href)) as { handler: Handler };
    this.#loaded.set(name, handler);
    return handler;
  }
}
