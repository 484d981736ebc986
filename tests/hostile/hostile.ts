// `npm run hostile [-- --requests 1000000 --seed N --from N --attacks false]`: malformed and hostile requests at every endpoint
// of a separate server (R7), then the named attacks next to a visitor and a buyer. A failure is printed with the seed and number
// that repeat it.
import { commandLine } from "../../scripts/command-line.ts";
import { attackAll } from "./attacks.ts";
import { fire } from "./fire.ts";

const { values } = commandLine("npm run hostile [-- --requests N --seed N --from N --attacks false]", {
  options: {
    requests: { type: "string", default: "1000000" },
    seed: { type: "string", default: "1" },
    from: { type: "string", default: "0" },
    attacks: { type: "string", default: "true" },
  },
});
/** No honest visitor waits longer. */
const LONGEST_MS = 2_000;
const say = (line: string) => process.stdout.write(`${line}\n`);
const problems: string[] = [];

if (values.requests !== "0") {
  const { faults, ...figures } = await fire({
    requests: Number(values.requests),
    seed: Number(values.seed),
    from: Number(values.from),
    say,
  });
  say(JSON.stringify(figures, null, 2));
  problems.push(...faults);
  const waits = Object.entries(figures.honest.meanwhile).map(([want, { worst }]) => [want, worst] as const);
  problems.push(...tooLong("hostile requests", waits));
}
if (values.attacks === "true") {
  for (const { attack, waited, faults } of await attackAll(say)) {
    problems.push(...faults.map((fault) => `${attack}: ${fault}`));
    problems.push(...tooLong(attack, Object.entries(waited.during)));
  }
}
for (const problem of problems) say(`FAULT ${problem}`);
if (problems.length === 0) say("Nothing but refusals, nothing taken, nobody kept waiting.");
process.exitCode = problems.length > 0 ? 1 : 0;

function tooLong(during: string, waits: readonly (readonly [string, number])[]): string[] {
  return waits
    .filter(([, worst]) => worst > LONGEST_MS)
    .map(([want, worst]) => `during ${during} somebody honest waited ${worst} ms (${want})`);
}
