// The functions service: the platform's edge functions, called in process under /functions/v1. Owns their loading, their
// jobs and the frame of their answers; what a function does is in supabase/functions.
import { functionErrorStatus } from "contract/errors";
import type { Handler } from "../../../supabase/functions/_shared/deps.ts";
import type { Service } from "../platform/context.ts";
import type { ServiceError } from "../platform/errors.ts";
import { onFirstUse } from "../platform/on-first-use.ts";
import {
  type CallContext,
  depsOfCall,
  type FunctionsServiceDeps,
  sharedDeps,
  visiting,
} from "./function-deps.ts";
import { type FunctionName, isFunctionName, loadHandler } from "./registry.ts";
import { createSchedule, type Job } from "./schedule.ts";

export type { FunctionsServiceDeps } from "./function-deps.ts";

export interface FunctionsService extends Service {
  /** Starts what the platform's pg_cron does: expiring holds, reconciling payments, draining the outbox. */
  startJobs(): void;
  /** Calls a function with the service's own rights, as a job does. */
  invoke(name: FunctionName): Promise<Response>;
  /** Stops the jobs and waits for those under way. */
  close(): Promise<void>;
}

/** Milliseconds from the end of a run to the next. Money does not wait for a mail server, nor mail for the provider. */
const JOBS = {
  "expire-holds": 15_000,
  "reconcile-payments": 60_000,
  "fetch-provider-books": 900_000,
  "drain-outbox?lane=money": 2_000,
  "drain-outbox?lane=mail": 2_000,
  "drain-outbox?lane=bulk": 2_000,
  "roll-up": 5_000,
  "broadcast-stock": 2_000,
  "clean-up": 600_000,
} as const;

export function createFunctions(deps: FunctionsServiceDeps): FunctionsService {
  const { log } = deps;
  const shared = onFirstUse(() => sharedDeps(deps, outboxFilled));
  const handlers = new Map<FunctionName, Handler>();

  /** Kept: import() of a loaded module still takes about a thirtieth of a call's time. */
  async function handlerOf(name: FunctionName): Promise<Handler> {
    const known = handlers.get(name);
    if (known) return known;
    const handler = await loadHandler(name);
    handlers.set(name, handler);
    return handler;
  }

  async function call(name: FunctionName, request: Request, context: CallContext): Promise<Response> {
    const [handler, common] = await Promise.all([handlerOf(name), shared.get()]);
    // Set for each call: a job that a visitor's call starts is no visitor's.
    const visitor = isForStranger(name, context) ? context.ip : undefined;
    return visiting.run(visitor, () => handler(request, depsOfCall(common, log, context)));
  }

  const outboxFilled = () => {
    schedule.poke("drain-outbox?lane=money");
    schedule.poke("drain-outbox?lane=mail");
  };

  const invoke = (name: FunctionName, query = ""): Promise<Response> =>
    call(name, new Request(`${deps.siteUrl()}/functions/v1/${name}${query}`, { method: "POST" }), {
      claims: { role: "service_role" },
      ip: "127.0.0.1",
      requestId: `job:${name}`,
    });

  const jobs = Object.entries(JOBS).map(([name, everyMs]): Job => ({
    name,
    everyMs,
    async run() {
      const [called, query] = name.split("?");
      const answer = await invoke(called as FunctionName, query && `?${query}`);
      if (!answer.ok) throw new Error(`${name} answered ${answer.status}: ${await answer.text()}`);
    },
  }));
  const schedule = createSchedule(jobs, (job, error) => log.error({ err: error, job }, "job failed"));

  return {
    async fetch(request, context) {
      const name = new URL(request.url).pathname.replace(/^(\/functions\/v1)?\/+|\/+$/g, "");
      if (!isFunctionName(name)) return refuse(404, "not_found", "There is no such function.");
      try {
        return await call(name, request, context);
      } catch (error) {
        log.error({ err: error, requestId: context.requestId, name }, "function could not be called");
        return refuse(500, "internal_error", "Something went wrong on our side. Please try again.");
      }
    },
    renderError: (error) => refuse(error.status, codeOf(error), error.message),
    startJobs: () => schedule.start(),
    invoke: (name) => invoke(name),
    close: () => schedule.stop(),
  };
}

/** What strangers send must not take the connections kept for confirmations; the provider's signed events are such. */
const isForStranger = (name: FunctionName, { claims }: CallContext): boolean =>
  claims.role === "anon" && name !== "stripe-webhook";

function refuse(status: number, code: string, message: string): Response {
  return Response.json({ error: { code, message } }, { status });
}

/** The functions' code for the status of a refusal by the gateway. */
function codeOf(error: ServiceError): string {
  if (error.code in functionErrorStatus) return error.code;
  const byStatus: Record<number, string> = {
    401: "unauthorized",
    403: "forbidden",
    413: "body_too_large",
    429: "rate_limited",
  };
  return byStatus[error.status] ?? (error.status >= 500 ? "internal_error" : "invalid_request");
}
