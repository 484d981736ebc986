// `npm run crash -- --kills 300 [--seed N]`: kills the server and its database that often while people buy, then checks
// the totals. With `--storage disk` or `--storage s3` people store files instead, and rows and bytes are compared after each kill.
import { commandLine } from "../../scripts/command-line.ts";
import { killAndReckon } from "./run.ts";
import { crashStorage } from "./storage/run.ts";

const usage = "npm run crash [-- --kills N --seed N --storage disk|s3]";
const { values } = commandLine(usage, {
  options: {
    kills: { type: "string", default: "300" },
    seed: { type: "string", default: "0" },
    storage: { type: "string" },
  },
});
const { storage: bytes } = values;
if (bytes !== undefined && bytes !== "disk" && bytes !== "s3") {
  console.error(`Usage: ${usage}`);
  process.exit(2);
}
const started = Date.now();
const say = (line: string) => process.stdout.write(`${line}\n`);
const options = { kills: Number(values.kills), seed: Number(values.seed), say };
const { faults, ...figures } = await (bytes ? crashStorage({ ...options, bytes }) : killAndReckon(options));
say(`${JSON.stringify(figures, null, 2)}\n${Math.round((Date.now() - started) / 1000)} s`);
for (const fault of faults) say(`FAULT ${fault}`);
if (faults.length === 0)
  say(
    bytes
      ? "Every acknowledged object is there and whole, and nothing without a row is left."
      : "Every acknowledged order is there, no hold is orphaned, every payment bought tickets or went back.",
  );
process.exitCode = faults.length > 0 ? 1 : 0;
