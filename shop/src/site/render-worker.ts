// The worker of render-site.ts: runs the site's own renderer once.
import { pathToFileURL } from "node:url";
import { parentPort, workerData } from "node:worker_threads";
import type { Content } from "contract/festival/facts";

interface SiteBuild {
  readonly entry: {
    readonly module: {
      /** site/src/app/entry.server.tsx */
      readonly renderSite: (build: SiteBuild, content: Content) => Promise<Map<string, string>>;
    };
  };
}

const { serverBuild, content } = workerData as { serverBuild: string; content: Content };
const build = (await import(pathToFileURL(serverBuild).href)) as SiteBuild;
const files = await build.entry.module.renderSite(build, content);
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort!.postMessage(files);
