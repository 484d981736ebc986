// Builds the site: React Router's framework plugin, Tailwind, the machine-readable files, and a development proxy to the
// API.
import { reactRouter } from "@react-router/dev/vite";
import tailwindcss from "@tailwindcss/vite";
import { BUILT_ORIGIN } from "contract/built-origin";
import { defineConfig } from "vite";
import { chunks } from "./src/app/page-start/chunks.ts";
import { importAgain } from "./src/app/page-start/import-again.ts";
import { pageWorkers } from "./page-workers.ts";
import { firstContent } from "./first-content.ts";
import { emitPublishedFiles } from "./published-files-plugin.ts";
import { browserRouter } from "./src/app/page-start/browser-router.ts";

const apiPrefixes = ["/auth/v1", "/rest/v1", "/realtime/v1", "/storage/v1", "/functions/v1", "/health"];
/** Stand-ins for the outside world: mail and card payments. */
const sandboxPrefixes = ["/mailbox", "/payments-sandbox", "/v1/"];
const api = process.env.API_URL ?? "http://localhost:3000";
/**
 * Sharing cards and the sitemap need the full URL. Our server inserts its own; a build for another host gets it from
 * SITE_URL.
 */
const origin = (process.env.SITE_URL || BUILT_ORIGIN).replace(/\/+$/, "");

const content = await firstContent();

export default defineConfig(({ command }) => ({
  plugins: [
    tailwindcss(),
    reactRouter(),
    browserRouter(),
    importAgain(),
    emitPublishedFiles(content, origin),
    pageWorkers(),
  ],
  define: {
    "import.meta.env.SITE_ORIGIN": JSON.stringify(origin),
    "import.meta.env.FIRST_CONTENT": JSON.stringify(JSON.stringify(content)),
  },
  // The server renders pages again after an edit is published, and does not have the site's packages.
  environments: {
    // Only for the client: otherwise React Router would choose longer names for the routes' files.
    client: { build: { rolldownOptions: { output: chunks() } } },
    // In development they stay outside: there Vite cannot load what is CommonJS.
    ssr: { resolve: { noExternal: command === "build" || undefined } },
  },
  server: {
    proxy: Object.fromEntries(
      [...apiPrefixes, ...sandboxPrefixes].map((prefix) => [prefix, { target: api, ws: true }]),
    ),
  },
  // The gate's code reader, the only worker, must be under /gate, where the gate's service worker can serve it.
  worker: { format: "es", rolldownOptions: { output: { entryFileNames: "gate-[name]-[hash].js" } } },
  build: {
    assetsInlineLimit: 0,
  },
}));
