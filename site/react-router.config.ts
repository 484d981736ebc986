// No server rendering at run time: public pages are prerendered at build, the rest starts from the fallback page.
import type { Config } from "@react-router/dev/config";
import { personalPaths, publicPaths } from "./src/app/public-paths.ts";

export default {
  appDirectory: "src/app",
  buildDirectory: "build",
  ssr: false,
  prerender: [...publicPaths, ...personalPaths],
} satisfies Config;
