// `npm run promise -- --times 20`: the tests of this folder with that many times the buyers, events and bots.
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { commandLine } from "../../scripts/command-line.ts";

const { values } = commandLine("npm run promise [-- --times N]", {
  options: { times: { type: "string", default: "10" } },
});
const { status } = spawnSync("vitest", ["run", "--project", "server", "tests/promise"], {
  cwd: resolve(import.meta.dirname, "../.."),
  env: { ...process.env, PROMISE_TIMES: values.times },
  stdio: "inherit",
});
process.exitCode = status ?? 1;
