// The functions with a handler, called in this process: loading them, their deps and the connections they may use.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Handler } from "../../../supabase/functions/_shared/deps.ts";
import { onFirstUse } from "../platform/on-first-use.ts";
import { createPrintingThreads } from "./documents/printing-threads.ts";
import {
  type CallContext,
  depsOfCall,
  type FunctionsServiceDeps,
  type SharedDeps,
  sharedDeps,
  visiting,
} from "../../../shop/src/functions/function-deps.ts";

export class Handlers {
  readonly #deps: FunctionsServiceDeps;
  readonly #folder: string;
  readonly #shared;
  readonly #printing = createPrintingThreads();
  readonly #loaded = new Map<string, Handler>();

  /** `folder` has a folder for each function. `outboxFilled` is called when the outbox has new work. */
  constructor(deps: FunctionsServiceDeps, folder: string, outboxFilled: SharedDeps["outboxFilled"]) {
    this.#deps = deps;
    this.#folder = folder;
    this.#shared = onFirstUse(() => sharedDeps(deps, outboxFilled));
  }

  async call(name: string, request: Request, context: CallContext): Promise<Response> {
    const [handler, shared] = await Promise.all([this.#handlerOf(name), this.#shared.get()]);
    // Set for each call: a job that a visitor's call starts does not count as the visitor's.
    const visitor = isForStranger(name, context) ? context.ip : undefined;
    return visiting.run(visitor, () =>
      handler(request, depsOfCall(shared, this.#deps.log, this.#printing, context)),
    );
  }

  close(): Promise<void> {
    return this.#printing.close();
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

/** The functions of a sale and its confirmation, for signed-in callers. */
const OF_THE_SALE = new Set(["create-payment-intent", "process-payment", "verify-payment"]);

/**
 * Only a sale and the provider's signed events may use the connections kept for confirmations. A sign-in alone is not
 * enough: accounts are free.
 */
function isForStranger(name: string, { claims }: CallContext): boolean {
  if (claims.role === "service_role" || name === "stripe-webhook") return false;
  return claims.role === "anon" || !OF_THE_SALE.has(name);
}
