// The functions service: every folder of supabase/functions under /functions/v1, in process or in a worker, and the program's
// jobs.
import { join } from "node:path";
import type { Service } from "../platform/http/context.ts";
import { Handlers } from "./handlers.ts";
import { Relay, renderError } from "./relay.ts";
import { createSchedule, type Job } from "./schedule.ts";
import { ServedFunctions } from "./served.ts";
import type { FunctionsServiceDeps } from "./service-deps.ts";

export type { FunctionsServiceDeps } from "./service-deps.ts";

export interface FunctionsService extends Service {
  startJobs(): void;
  /** Runs the job now, or once more if it is running. Does nothing before startJobs. */
  poke(job: string): void;
  /** Calls a function with the service's own rights, as a job does. */
  invoke(name: string): Promise<Response>;
  /** Stops the jobs, waits for those in progress, and ends the workers and threads. */
  close(): Promise<void>;
}

export function createFunctions(deps: FunctionsServiceDeps): FunctionsService {
  const { log, project, inProcess } = deps;
  const handlers = inProcess && new Handlers(inProcess, join(project, "functions"));
  const relay = new Relay(handlers, new ServedFunctions(project, handlers !== undefined), deps);

  const invoke = async (name: string, query = ""): Promise<Response> => {
    const request = new Request(`${deps.siteUrl()}/functions/v1/${name}${query}`, { method: "POST" });
    const context = { claims: { role: "service_role" }, ip: "127.0.0.1", requestId: `job:${name}` };
    if (!handlers) throw new Error(`${name} has no handler here`);
    return handlers.call(name, request, context);
  };

  const jobs = Object.entries(deps.jobs ?? {}).map(([name, everyMs]): Job => ({
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
    poke: (job) => schedule.poke(job),
    invoke: (name) => invoke(name),
    async close() {
      await schedule.stop();
      await relay.close();
      await inProcess?.close?.();
    },
  };
}
