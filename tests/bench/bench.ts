// `npm run bench`: measures what we promise about speed, each figure side by side with its reference, in one table. `npm run
// bench -- P1 P4` runs only those rows; `--pairs N --slice SECONDS` makes a quick run; `--data FOLDER` is where large data is
// kept.
import { join, resolve } from "node:path";
import { commandLine } from "../../scripts/command-line.ts";
import { root } from "../support/server/festival.ts";
import { table } from "./figures.ts";
import { ROWS } from "./rows.ts";

const usage =
  "npm run bench [-- --pairs N --slice SECONDS --data FOLDER rows], with two pairs at least, of the rows\n" +
  ROWS.map(({ id, title }) => `  ${id.padEnd(4)} ${title}`).join("\n");
const { values, positionals } = commandLine(usage, {
  allowPositionals: true,
  options: {
    pairs: { type: "string", default: "9" },
    slice: { type: "string", default: "5" },
    data: { type: "string", default: join(root, "data/bench") },
  },
});
const pairs = Number(values.pairs);
const seconds = Number(values.slice);
const unknown = positionals.filter((id) => !ROWS.some((row) => row.id === id));
if (unknown.length > 0 || !Number.isInteger(pairs) || pairs < 2 || !(seconds > 0)) {
  console.error(`Usage: ${usage}`);
  process.exit(2);
}

const chosen = ROWS.filter(({ id, onlyWhenAsked }) =>
  positionals.length > 0 ? positionals.includes(id) : !onlyWhenAsked,
);
const found: { id: string; figures: Awaited<ReturnType<(typeof ROWS)[number]["measure"]>> }[] = [];
for (const { id, title, measure } of chosen) {
  const started = performance.now();
  process.stdout.write(`${id}  ${title} …`);
  try {
    found.push({ id, figures: await measure({ pairs, seconds, folder: resolve(values.data) }) });
    console.log(` ${Math.round((performance.now() - started) / 1000)} s`);
  } catch (error) {
    console.log(` no figure: ${(error as Error).stack ?? String(error)}`);
    process.exitCode = 1;
  }
}
console.log(`\n${table(found)}`);
console.log(
  `\nPairs in turn (A B, B A, …), ${pairs} of them without the first, slices of ${seconds} s; medians, a ratio is the median of ` +
    `the pairs' own.\nEvery answer's content was checked.`,
);
const left = ROWS.filter(({ onlyWhenAsked }) => onlyWhenAsked && positionals.length === 0);
if (left.length > 0) console.log(`Not measured unless asked for: ${left.map(({ id }) => id).join(", ")}.`);
