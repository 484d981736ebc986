// `npm run lighthouse`: what Lighthouse on a phone says of the pages people arrive on, against a running server. Prints the
// median of several runs for each page and category, and fails when one is below 100. "CPU" is Lighthouse's own measure of this
// machine at that moment: the simulated phone is four times slower, so a figure under 1,500 means a phone that is slower still.
import { createServer, type AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import lighthouse from "lighthouse";
import { chromium } from "playwright";
import { chromiumLaunch } from "../tests/support/chromium.ts";
import { readServerStatus } from "./server-status.ts";

const { values } = parseArgs({
  options: {
    url: { type: "string" },
    runs: { type: "string", default: "5" },
    pages: { type: "string", default: "/,/tickets,/schedule,/faq" },
  },
});
const runs = Number(values.runs);
const origin = values.url ?? readServerStatus()?.values.API_URL;
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
  // Without a graphics card, drawing as if there were one takes the processor from the page that is measured.
  args: [...launch.args, "--disable-gpu", `--remote-debugging-port=${port}`],
});
const rows: Record<string, Record<string, number>> = {};
const complaints = new Set<string>();
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
for (const complaint of complaints) console.log(complaint);
const low = Object.values(rows).some((row) => categories.some((category) => row[category]! < 100));
process.exitCode = low ? 1 : 0;

/** Lighthouse's defaults are a mid-range phone on slow 4G. */
async function measure(page: string): Promise<Record<string, number>> {
  const result = await lighthouse(`${origin}${page}`, {
    port,
    output: "json",
    logLevel: "error",
    onlyCategories: [...categories],
  });
  if (!result || result.lhr.runtimeError) {
    throw new Error(`${page}: ${result?.lhr.runtimeError?.message ?? "no result"}`);
  }
  const { lhr } = result;
  for (const category of categories) {
    for (const { id, weight } of lhr.categories[category]!.auditRefs) {
      const audit = lhr.audits[id]!;
      if (weight > 0 && audit.score !== null && audit.score < 0.9) {
        complaints.add(`${page}: ${category}: ${audit.title} ${audit.displayValue ?? ""}`.trimEnd());
      }
    }
  }
  return {
    ...Object.fromEntries(
      categories.map((category) => [category, Math.round((lhr.categories[category]!.score ?? 0) * 100)]),
    ),
    CPU: Math.round(lhr.environment.benchmarkIndex),
    ...Object.fromEntries(
      Object.entries(figures).map(([id, name]) => [
        name,
        Math.round((lhr.audits[id]!.numericValue ?? 0) * 1000) / 1000,
      ]),
    ),
  };
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
}

function freePort(): Promise<number> {
  return new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port: free } = server.address() as AddressInfo;
      server.close(() => done(free));
    });
  });
}
