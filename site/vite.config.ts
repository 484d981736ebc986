// Builds the site: React Router's framework plugin, Tailwind, the files for machines, and a development proxy to the API.
import { reactRouter } from "@react-router/dev/vite";
import tailwindcss from "@tailwindcss/vite";
import { BUILT_ORIGIN } from "contract/built-origin";
import { defineConfig } from "vite";
import { importAgain } from "./src/app/import-again.ts";
import { largeFiles } from "./src/app/paint-first.ts";
import { publishedFiles } from "./published-files.ts";
import { trimRouter } from "./trim-router.ts";

const apiPrefixes = ["/auth/v1", "/rest/v1", "/realtime/v1", "/storage/v1", "/functions/v1", "/health"];
/** What stands in for the outside world: mail and card payments. */
const sandboxPrefixes = ["/mailbox", "/payments-sandbox", "/v1/"];
const api = process.env.API_URL ?? "http://localhost:3000";
/** Sharing cards and the sitemap need the full address. Our server writes its own; another host's build is given it. */
const origin = (process.env.SITE_URL || BUILT_ORIGIN).replace(/\/+$/, "");

const react = /node_modules\/(react|react-dom|scheduler)\/|site\/src\/app\/run-react\./;
const everyPage =
  /node_modules\/(react-router|clsx|class-variance-authority)\/|preload-helper|site\/src\/(app\/(root|frame\/(?!footer|social|after-load|arrival|broken-page|needs-script)|head|layouts\/public)|ui\/(basics\/(button|spinner|class-names|lazily)|overlays\/(toast|toaster))\.)|site\/src\/lib\/(session\/|api\/(supabase|env)\.|browser\/(error-log|stored-json)\.)|contract\/src\/festival/;
/** What the pages that sell share: else two dozen files of a few hundred bytes each, which a phone fetches and runs one by one. */
const store =
  /node_modules\/@tanstack\/|site\/src\/(features\/(cart|catalogue)\/|ui\/forms\/quantity-stepper\.|lib\/(api\/query|format)\.)/;
/** What several public pages have besides the frame; an icon in two of these groups would tie one to the other. */
const page =
  /site\/src\/ui\/(basics\/badge|page\/(poster-header|reveal|screen-states|skeleton))\.|lucide-react\/dist\/esm\/((?!icons)|icons\/plus\.)|contract\/src\/money/;

/** The home page's pictures, some of which other pages show too. */
const art =
  /site\/src\/(features\/festival\/(schedule-list|map-preview)|ui\/art\/(boots|bull|market|purple-room|speakers|smoker|map-areas|map-ground))\./;

export default defineConfig({
  plugins: [tailwindcss(), reactRouter(), trimRouter(), importAgain(), publishedFiles(origin)],
  define: { "import.meta.env.SITE_ORIGIN": JSON.stringify(origin) },
  server: {
    proxy: Object.fromEntries(
      [...apiPrefixes, ...sandboxPrefixes].map((prefix) => [prefix, { target: api, ws: true }]),
    ),
  },
  build: {
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        // Every page carries the list of all files: their names are kept short. The large ones are known by name.
        chunkFileNames: ({ name }) =>
          largeFiles.includes(name) ? `assets/${name}-[hash].js` : "assets/[hash].js",
        entryFileNames: "assets/[hash].js",
        postBanner: ({ name }) =>
          [...largeFiles, "supabase"].includes(name) ? "//# allFunctionsCalledOnLoad" : "",
        // What pages share travels in few files, and not in one, so that a phone need not run all of it in one breath.
        codeSplitting: {
          groups: [
            { name: "react", test: react, priority: 4 },
            { name: "frame", test: everyPage, priority: 3 },
            { name: "page", test: page, priority: 2 },
            { name: "store", test: store, priority: 1 },
            { name: "art", test: art, priority: 1 },
            { name: "supabase", test: /node_modules\/@supabase\//, priority: 1 },
          ],
        },
      },
    },
  },
});
