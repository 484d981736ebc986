// Builds the site: React Router's framework plugin, Tailwind, and a development proxy to the API on one origin.
import { reactRouter } from "@react-router/dev/vite";
import tailwindcss from "@tailwindcss/vite";
import { defineConfig } from "vite";

const apiPrefixes = [
  "/auth/v1",
  "/rest/v1",
  "/realtime/v1",
  "/storage/v1",
  "/functions/v1",
  "/v1",
  "/payments-sandbox",
  "/health",
];
const api = process.env.API_URL ?? "http://localhost:3000";

export default defineConfig({
  plugins: [tailwindcss(), reactRouter()],
  server: {
    proxy: Object.fromEntries(apiPrefixes.map((prefix) => [prefix, { target: api, ws: true }])),
  },
  build: { assetsInlineLimit: 0 },
});
