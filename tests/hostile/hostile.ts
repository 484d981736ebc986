// `npm run hostile [-- --requests 1000000 --seed N --from N --attacks false --attack NAME]`: malformed and hostile requests at every
// endpoint of a separate server (R7), then the named attacks next to a visitor and a buyer. A failure is printed with the seed and
// number that repeat it. `--attack`, once or more, runs the attacks with that in their names, and no requests.
import { commandLine } from "../../scripts/command-line.ts";
import { attackAll } from "./attack-run.ts";
import { attackTable } from "./attack-table.ts";
import { ATTACKS } from "./attacks/list.ts";
import { fire } from "./fire.ts";

const USAGE = `npm run hostile [-- --requests N --seed N --from N --attacks false --attack NAME]

Attacks:
${ATTACKS.map(({ name }) => `  ${name}`).join("\n")}`;

const { values } = commandLine(USAGE, {
  options: {
    requests: { type: "string" },
    seed: { type: "string", default: "1" },
    from: { type: "string", default: "0" },
    attacks: { type: "string", default: "true" },
    attack: { type: "string", multiple: true },
  },
});
/** No honest person waits longer. */
const LONGEST_MS = 2_000;
const say = (line: string) => process.stdout.write(`${line}\n`);
const problems: string[] = [];
const requests = Number(values.requests ?? (values.attack ? 0 : 1_000_000));
const chosen = chosenAttacks();

if (requests > 0) {
  const { faults, ...figures } = await fire({
    requests,
    seed: Number(values.seed),
    from: Number(values.from),
    say,
  });
  say(JSON.stringify(figures, null, 2));
  problems.push(...faults);
  const waits = Object.entries(figures.honest.meanwhile).map(([want, { worst }]) => [want, worst] as const);
  problems.push(...tooLong("hostile requests", waits));
}
if (chosen.length > 0) {
  const attacked = await attackAll(chosen, say);
  say(attackTable(attacked));
  for (const { attack, waited, faults } of attacked) {
    problems.push(...faults.map((fault) => `${attack}: ${fault}`));
    problems.push(...tooLong(attack, Object.entries(waited.during)));
  }
}
for (const problem of problems) say(`FAULT ${problem}`);
if (problems.length === 0) say("Nothing but refusals, nothing taken, nobody kept waiting.");
process.exitCode = problems.length > 0 ? 1 : 0;

function chosenAttacks() {
  if (values.attacks !== "true") return [];
  const { attack: names } = values;
  const found = names ? ATTACKS.filter(({ name }) => names.some((part) => name.includes(part))) : ATTACKS;
  if (found.length > 0) return found;
  console.error(`No attack has that name.\n\nUsage: ${USAGE}`);
  process.exit(2);
}

function tooLong(during: string, waits: readonly (readonly [string, number])[]): string[] {
  return waits
    .filter(([, worst]) => worst > LONGEST_MS)
    .map(([want, worst]) => `during ${during} somebody honest waited ${worst} ms (${want})`);
}
