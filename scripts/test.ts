// `npm test`: runs every check, cheap ones first, each with its time. Continues after a failure, so one run shows all
// of them, and ends with the totals. `npm test -- lint types` runs only those.
import { commandLine } from "./command-line.ts";
import { CHECKS } from "./test/checks.ts";
import { NOTHING, type Outcome, type Totals } from "./test/outcome.ts";

const names = CHECKS.map(({ name }) => name).join(", ");
const { positionals: chosen } = commandLine(`npm test [-- checks], of: ${names}`, { allowPositionals: true });
const unknown = chosen.filter((name) => !CHECKS.some((check) => check.name === name));
if (unknown.length > 0) {
  console.error(`No check is called ${unknown.join(", ")}. There are: ${names}`);
  process.exit(2);
}

let totals: Totals = NOTHING;
const failed: string[] = [];
for (const check of CHECKS.filter(({ name }) => chosen.length === 0 || chosen.includes(name))) {
  process.stdout.write(`${check.title} … `);
  const started = performance.now();
  const outcome = await attempt(check.run);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${outcome.ok ? "ok" : "FAILED"} (${seconds} s)${outcome.note ? ` ${outcome.note}` : ""}`);
  if (!outcome.ok) {
    failed.push(check.title);
    console.log(`\n${outcome.output.trim()}\n`);
  }
  // A check without individual tests counts as one.
  const { passed, failed: bad, skipped } = outcome.totals ?? NOTHING;
  const own = passed + bad > 0 ? 0 : 1;
  totals = {
    passed: totals.passed + passed + (outcome.ok ? own : 0),
    failed: totals.failed + (outcome.ok ? bad : Math.max(bad, 1)),
    skipped: totals.skipped + skipped,
  };
}

if (failed.length > 0) console.log(`\nFailed: ${failed.join(", ")}`);
console.log(
  `\n${totals.passed} passed, ${totals.failed} failed${totals.skipped > 0 ? `, ${totals.skipped} skipped` : ""}`,
);
process.exitCode = failed.length > 0 ? 1 : 0;

async function attempt(run: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await run();
  } catch (error) {
    return { ok: false, output: (error as Error).stack ?? String(error) };
  }
}
