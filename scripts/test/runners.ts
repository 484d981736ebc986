// Runs Vitest and Playwright and reads their totals from their JSON reports. A run without a single test fails.
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Outcome, type Ran, root, run, type Totals } from "./outcome.ts";
import { flakyTests, type PlaywrightReport, totalsOf } from "./playwright-report.ts";

const reports = join(root, "node_modules/.cache/test-reports");

export async function runVitest(): Promise<Outcome> {
  const report = freshReport("vitest.json");
  const result = await run("vitest", [
    "run",
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${report}`,
  ]);
  return withTotals(result, () => {
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = read(report) as VitestReport;
    return { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests + numTodoTests };
  });
}

export async function runPlaywright(): Promise<Outcome> {
  const report = freshReport("playwright.json");
  const result = await run("playwright", ["test", "--reporter=list,json"], {
    cwd: "tests",
    env: { PLAYWRIGHT_JSON_OUTPUT_FILE: report },
  });
  let flaky: string[] = [];
  const outcome = withTotals(result, () => {
    const found = read(report) as PlaywrightReport;
    flaky = flakyTests(found);
    return totalsOf(found);
  });
  if (flaky.length === 0) return outcome;
  const named = `Flaky, passed only on the second try:\n${flaky.map((test) => `  ${test}`).join("\n")}`;
  const note = `${outcome.note}, of them ${flaky.length} flaky`;
  return { ...outcome, ok: false, note, output: `${outcome.output}\n${named}` };
}

interface VitestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
}

function withTotals(result: Ran, count: () => Totals): Outcome {
  try {
    const totals = count();
    const note = `${totals.passed} passed, ${totals.failed} failed`;
    if (totals.passed + totals.failed === 0) return { ...result, ok: false, note: "no test ran" };
    return { ...result, totals, note };
  } catch {
    return { ...result, ok: false, note: "no report" };
  }
}

function freshReport(name: string): string {
  mkdirSync(reports, { recursive: true });
  const report = join(reports, name);
  rmSync(report, { force: true });
  return report;
}

function read(file: string): unknown {
  return JSON.parse(readFileSync(file, "utf8"));
}
