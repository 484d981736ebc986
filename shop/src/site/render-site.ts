// Renders the site's pages with other content than they were built with. A worker thread does it so that no request waits,
// and it ends afterwards, because a festival publishes a few times a day and the worker takes up to 90 MB.
import { Worker } from "node:worker_threads";
import type { Content } from "contract/festival/facts";

const MOST_MS = 60_000;

/**
 * `serverBuild`: the index.js of the built site, which renders.
 * @throws Error when it is missing, or a page cannot be rendered
 */
export function renderSite(serverBuild: string, content: Content): Promise<ReadonlyMap<string, string>> {
  const worker = new Worker(new URL("./render-worker.ts", import.meta.url), {
    workerData: { serverBuild, content },
    // React picks its development or production build by the first; its router renders the fallback page only with the
    // second.
    env: { ...process.env, NODE_ENV: "production", IS_RR_BUILD_REQUEST: "yes" },
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  });
  const { promise, resolve, reject } = Promise.withResolvers<ReadonlyMap<string, string>>();
  const tooLong = setTimeout(() => reject(new Error("Rendering the pages took too long")), MOST_MS).unref();
  worker.once("message", resolve);
  worker.once("error", reject);
  worker.once("exit", () => reject(new Error("The worker that renders the pages ended")));
  return promise.finally(() => {
    clearTimeout(tooLong);
    void worker.terminate();
  });
}
