// Builds the site: React Router's framework plugin, Tailwind, the files for machines, and a development proxy to the API.
import { reactRouter } from "@react-router/dev/vite";
import tailwindcss from "@tailwindcss/vite";
import { defineConfig } from "vite";
import { publishedFiles } from "./published-files.ts";
import { trimRouter } from "./trim-router.ts";

const apiPrefixes = ["/auth/v1", "/rest/v1", "/realtime/v1", "/storage/v1", "/functions/v1", "/health"];
/** What stands in for the outside world: mail and card payments. */
const sandboxPrefixes = ["/mailbox", "/payments-sandbox", "/v1/"];
const api = process.env.API_URL ?? "http://localhost:3000";
/** Sharing cards and the sitemap need the full address. */
const origin = (process.env.SITE_URL ?? "http://localhost:3000").replace(/\/+$/, "");

const react = /node_modules\/(react|react-dom|scheduler)\//;
const everyPage =
  /node_modules\/(react-router|clsx|class-variance-authority)\/|preload-helper|site\/src\/(app\/(entry\.client|root|frame\/(?!footer|social)|head|layouts\/public)|ui\/(button|spinner|class-names|toast|toaster)\.)|site\/src\/lib\/(session(-store)?|supabase|auth-landing|error-log|stored-json|env)\.|contract\/src\/festival/;

export default defineConfig({
  plugins: [tailwindcss(), reactRouter(), trimRouter(), publishedFiles(origin)],
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
        // Every page carries the list of all files: their names are kept short. React's is known by its name (paint-first.ts).
        chunkFileNames: ({ name }) => (name === "react" ? "assets/react-[hash].js" : "assets/[hash].js"),
        entryFileNames: "assets/[hash].js",
        // What every page needs travels as two files, so that a phone need not run all of it in one breath.
        codeSplitting: {
          groups: [
            { name: "react", test: react, priority: 2 },
            { name: "frame", test: everyPage, priority: 1 },
          ],
        },
      },
    },
  },
});
