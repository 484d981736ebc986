// Writes the machine-readable files of the built site (src/app/published-files.ts).
import type { Content } from "contract/festival/facts";
import type { Plugin } from "vite";
import { publishedFiles } from "./src/app/published-files.ts";

export function emitPublishedFiles(content: Content, origin: string): Plugin {
  return {
    name: "published-files",
    applyToEnvironment: (environment) => environment.name === "client",
    generateBundle() {
      for (const [fileName, source] of Object.entries(publishedFiles(content, origin))) {
        this.emitFile({ type: "asset", fileName, source });
      }
    },
  };
}
