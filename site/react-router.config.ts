// No server rendering at run time: public pages are prerendered at build, the rest starts from the fallback page.
import type { Config } from "@react-router/dev/config";
import { prerenderedPaths } from "./src/app/pages.ts";

export default {
  appDirectory: "src/app",
  buildDirectory: "build",
  ssr: false,
  prerender: prerenderedPaths,
} satisfies Config;
