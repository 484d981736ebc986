// `npm run crash -- --kills 300 [--seed N]`: kills the server and its database that often while people buy, then checks
// the totals.
import { commandLine } from "../../scripts/command-line.ts";
import { killAndReckon } from "./run.ts";

const { values } = commandLine("npm run crash [-- --kills N --seed N]", {
  options: { kills: { type: "string", default: "300" }, seed: { type: "string", default: "0" } },
});
const started = Date.now();
const say = (line: string) => process.stdout.write(`${line}\n`);
const { faults, ...figures } = await killAndReckon({
  kills: Number(values.kills),
  seed: Number(values.seed),
  say,
});
say(`${JSON.stringify(figures, null, 2)}\n${Math.round((Date.now() - started) / 1000)} s`);
for (const fault of faults) say(`FAULT ${fault}`);
if (faults.length === 0)
  say("Every acknowledged order is there, no hold is orphaned, every payment bought tickets or went back.");
process.exitCode = faults.length > 0 ? 1 : 0;
