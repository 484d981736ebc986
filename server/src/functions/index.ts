// The functions service: every folder of supabase/functions under /functions/v1, in process or in a worker, and the jobs that
// pg_cron runs on the platform.
import { join, resolve } from "node:path";
import type { Service } from "../platform/http/context.ts";
import type { FunctionsServiceDeps, SharedDeps } from "../../../shop/src/functions/function-deps.ts";
import { Handlers } from "./handlers.ts";
import { Relay, renderError } from "./relay.ts";
import { createSchedule, type Job } from "./schedule.ts";
import { ServedFunctions } from "./served.ts";

export type { FunctionsServiceDeps } from "../../../shop/src/functions/function-deps.ts";

export interface FunctionsService extends Service {
  /** Starts the jobs that pg_cron runs on the platform: expiring holds, reconciling payments, draining the outbox. */
  startJobs(): void;
  /** Calls a function with the service's own rights, as a job does. */
  invoke(name: string): Promise<Response>;
  /** Stops the jobs, waits for those in progress, and ends the workers and threads. */
  close(): Promise<void>;
}

/** Milliseconds from the end of a run to the next. Money does not wait for a mail server, nor mail for the provider. */
export const JOBS = {
  "expire-holds": 15_000,
  "reconcile-payments": 60_000,
  "fetch-provider-books": 900_000,
  "drain-outbox?lane=money": 2_000,
  "drain-outbox?lane=mail": 2_000,
  "drain-outbox?lane=bulk": 2_000,
  "roll-up": 5_000,
  "broadcast-stock": 2_000,
  "broadcast-scans": 2_000,
  "clean-up": 600_000,
} as const;

const PROJECT = resolve(import.meta.dirname, "../../../supabase");

export function createFunctions(deps: FunctionsServiceDeps): FunctionsService {
  const { log, project = PROJECT } = deps;
  const outboxFilled: SharedDeps["outboxFilled"] = (lane) => {
    for (const filled of lane ? [lane] : (["money", "mail"] as const))
      schedule.poke(`drain-outbox?lane=${filled}`);
  };
  const handlers = new Handlers(deps, join(project, "functions"), outboxFilled);
  const relay = new Relay(handlers, new ServedFunctions(project), deps, project);

  const invoke = (name: string, query = ""): Promise<Response> =>
    handlers.call(name, new Request(`${deps.siteUrl()}/functions/v1/${name}${query}`, { method: "POST" }), {
      claims: { role: "service_role" },
      ip: "127.0.0.1",
      requestId: `job:${name}`,
    });

  const jobs = Object.entries(JOBS).map(([name, everyMs]): Job => ({
    name,
    everyMs,
    async run() {
      const [called, query] = name.split("?");
      const answer = await invoke(called!, query && `?${query}`);
      if (!answer.ok) throw new Error(`${name} answered ${answer.status}: ${await answer.text()}`);
    },
  }));
  const schedule = createSchedule(jobs, (job, error) => log.error({ err: error, job }, "job failed"));

  return {
    fetch: (request, context) => relay.fetch(request, context),
    takesUnread: (path) => relay.takesUnread(path),
    renderError,
    startJobs: () => schedule.start(),
    invoke: (name) => invoke(name),
    async close() {
      await schedule.stop();
      await relay.close();
      await handlers.close();
    },
  };
}
