// The checks of `npm test`, in order: those that need no build first, the browser last.
import { buildSite, SiteBuildError } from "../site-build.ts";
import { type Outcome, run } from "./outcome.ts";
import { runPlaywright, runVitest } from "./runners.ts";

export interface Check {
  readonly name: string;
  readonly title: string;
  readonly run: () => Promise<Outcome>;
}

export const CHECKS: readonly Check[] = [
  { name: "format", title: "Format", run: () => run("oxfmt", ["--check"]) },
  { name: "lint", title: "Lint and import boundaries", run: lint },
  { name: "types", title: "Types", run: types },
  { name: "dead", title: "Dead code", run: () => run("knip", ["--no-progress"]) },
  { name: "generated", title: "Generated files", run: () => run("node", ["scripts/generate.ts", "--check"]) },
  { name: "build", title: "Site build", run: build },
  { name: "unit", title: "Unit, server and start tests", run: runVitest },
  { name: "browser", title: "Browser tests", run: runPlaywright },
];

/** A linter that checked no files finds nothing: that is a failure. */
async function lint(): Promise<Outcome> {
  const result = await run("oxlint", ["--format=json"]);
  let report: { number_of_files: number };
  try {
    report = JSON.parse(result.stdout) as typeof report;
  } catch {
    return result;
  }
  if (report.number_of_files === 0) return { ok: false, output: "oxlint looked at no file." };
  const note = `${report.number_of_files} files`;
  return result.ok ? { ...result, note } : { ...(await run("oxlint", [])), ok: false };
}

async function types(): Promise<Outcome> {
  const generated = await run("react-router", ["typegen"], { cwd: "site" });
  if (!generated.ok) return generated;
  // One checker for each project: with the default of four, each repeats the shared types, which takes 74 s of processor
  // time instead of 30.
  const results = await Promise.all(
    ["site", "tests", "."].map((project) => run("tsc", ["-p", project, "--checkers", "1"])),
  );
  return {
    ok: results.every(({ ok }) => ok),
    output: results.flatMap(({ ok, output }) => (ok ? [] : [output])).join("\n"),
  };
}

async function build(): Promise<Outcome> {
  try {
    return { ok: true, output: "", note: buildSite({ announce: () => {} }) ? "" : "unchanged" };
  } catch (error) {
    if (!(error instanceof SiteBuildError)) throw error;
    return { ok: false, output: error.message };
  }
}
