// `npm run lighthouse`: measures the landing pages of a running server with Lighthouse's simulated phone. Prints the median of
// several runs for each page and category, and fails when one is below 100. "CPU" is Lighthouse's own measure of this machine
// at that moment: the simulated phone is four times slower, so a figure under 1,500 means a phone that is slower still. npm
// fetches Lighthouse on demand: otherwise it would be a third of all files installed to start the server.
import { execFile } from "node:child_process";
import { dirname, delimiter } from "node:path";
import { promisify } from "node:util";
import { chromium } from "playwright";
import { chromiumLaunch, UNOPTIMIZED } from "../tests/support/page/chromium.ts";
import { freePort } from "../tests/support/server/free-port.ts";
import { commandLine } from "./command-line.ts";
import { readServerStatus } from "./server-status.ts";

const LIGHTHOUSE = "lighthouse@13.5.0";

const { values } = commandLine("npm run lighthouse [-- --url URL --runs N --pages /,/tickets]", {
  options: {
    url: { type: "string" },
    runs: { type: "string", default: "5" },
    pages: { type: "string", default: "/,/tickets,/schedule,/faq" },
  },
});
const runs = Number(values.runs);
const origin = values.url ?? (await readServerStatus())?.values.API_URL;
if (!origin) {
  console.error("No server is running here. Start it with: npm start, or name one with --url");
  process.exit(1);
}
const categories = ["performance", "accessibility", "best-practices", "seo"] as const;
const figures = {
  "largest-contentful-paint": "LCP ms",
  "total-blocking-time": "TBT ms",
  "cumulative-layout-shift": "CLS",
} as const;

const port = await freePort();
const launch = await chromiumLaunch();
const browser = await chromium.launch({
  ...launch,
  // Without a graphics card, emulating one takes processor time from the page being measured.
  args: [
    ...launch.args.filter((arg) => arg !== UNOPTIMIZED),
    "--disable-gpu",
    `--remote-debugging-port=${port}`,
  ],
});
const rows: Record<string, Record<string, number>> = {};
const problems = new Set<string>();
try {
  for (const page of values.pages.split(",")) {
    const results: Record<string, number>[] = [];
    for (let run = 0; run < runs; run++) results.push(await measure(page));
    rows[page] = Object.fromEntries(
      Object.keys(results[0]!).map((name) => [name, median(results.map((result) => result[name]!))]),
    );
  }
} finally {
  await browser.close();
}
console.table(rows);
for (const problem of problems) console.log(problem);
const low = Object.values(rows).some((row) => categories.some((category) => row[category]! < 100));
process.exitCode = low ? 1 : 0;

/** The part of Lighthouse's report that is read. */
interface Report {
  readonly runtimeError?: { readonly message: string };
  readonly categories: Readonly<
    Record<string, { score: number | null; auditRefs: readonly { id: string; weight: number }[] }>
  >;
  readonly audits: Readonly<
    Record<string, { title: string; score: number | null; displayValue?: string; numericValue?: number }>
  >;
  readonly environment: { readonly benchmarkIndex: number };
}

/** Lighthouse's defaults are a mid-range phone on slow 4G. */
async function measure(page: string): Promise<Record<string, number>> {
  const report = await ask(`${origin}${page}`);
  if (report.runtimeError) throw new Error(`${page}: ${report.runtimeError.message}`);
  for (const category of categories) {
    for (const { id, weight } of report.categories[category]!.auditRefs) {
      const audit = report.audits[id]!;
      if (weight > 0 && audit.score !== null && audit.score < 0.9) {
        problems.add(`${page}: ${category}: ${audit.title} ${audit.displayValue ?? ""}`.trimEnd());
      }
    }
  }
  return {
    ...Object.fromEntries(
      categories.map((category) => [category, Math.round((report.categories[category]!.score ?? 0) * 100)]),
    ),
    CPU: Math.round(report.environment.benchmarkIndex),
    ...Object.fromEntries(
      Object.entries(figures).map(([id, name]) => [
        name,
        Math.round((report.audits[id]!.numericValue ?? 0) * 1000) / 1000,
      ]),
    ),
  };
}

async function ask(address: string): Promise<Report> {
  const options = [`--port=${port}`, "--output=json", "--quiet", `--only-categories=${categories.join()}`];
  // Lighthouse needs this Node; npm may run on an older one.
  const env = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}` };
  const { stdout } = await promisify(execFile)(
    "npm",
    ["exec", "--yes", `--package=${LIGHTHOUSE}`, "--", "lighthouse", address, ...options],
    { env, maxBuffer: 100 * 1024 * 1024 },
  ).catch((failed: Error & { stdout?: string }) => {
    // A page that could not be measured fails the command; its report gives the reason.
    if (failed.stdout) return { stdout: failed.stdout };
    throw failed;
  });
  return JSON.parse(stdout) as Report;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
}
