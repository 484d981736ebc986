// `npm run hostile [-- --requests 1000000 --seed N --from N]`: malformed and hostile requests at every door of a server of its own
// (R7), then the named attacks beside an honest visitor. What fails is printed with the seed and number that repeat it.
import { parseArgs } from "node:util";
import { fire } from "./fire.ts";

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "1000000" },
    seed: { type: "string", default: "1" },
    from: { type: "string", default: "0" },
  },
});
const say = (line: string) => process.stdout.write(`${line}\n`);

const { faults, ...figures } = await fire({
  requests: Number(values.requests),
  seed: Number(values.seed),
  from: Number(values.from),
  say,
});
say(JSON.stringify(figures, null, 2));
for (const fault of faults) say(`FAULT ${fault}`);
const slow = Object.entries(figures.honest.meanwhile).filter(([, { worst }]) => worst > 2_000);
for (const [want, { worst }] of slow) say(`FAULT an honest visitor waited ${worst} ms to ${want}`);
if (faults.length === 0 && slow.length === 0)
  say("No answer of 5xx but refusals, nothing taken, nobody kept waiting.");
process.exitCode = faults.length + slow.length > 0 ? 1 : 0;
