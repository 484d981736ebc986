import { execFile } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { JOBS } from "../../../shop/src/functions/index.ts";

const root = resolve(import.meta.dirname, "../../..");
const folder = join(root, "supabase/functions");
const named = (file: string) =>
  readdirSync(folder).filter((name) => !name.startsWith("_") && existsSync(join(folder, name, file)));
const deployed = named("index.ts");
const functionNames = named("handler.ts");

describe("the functions of the platform and of the server", () => {
  it("are the same", () => {
    expect(deployed.toSorted()).toEqual(functionNames.toSorted());
  });

  it("include those that the jobs call", () => {
    expect(functionNames).toEqual(expect.arrayContaining(Object.keys(JOBS).map((job) => job.split("?")[0])));
  });

  it("are scheduled on the platform as the jobs are here, each lane of the outbox alone", () => {
    const readme = readFileSync(join(folder, "README.md"), "utf8");
    const called = Array.from(
      readme.matchAll(
        /^select cron\.schedule\([^;]*\$\$select (?:scheduled\.call_function\('([^']+)'\)|public\.(\w+)\(\))\$\$/gm,
      ),
      ([, name, sql]) => name ?? sql!.replaceAll("_", "-"),
    );
    expect(called.toSorted()).toEqual(Object.keys(JOBS).toSorted());
  });

  it("are configured for deployment", () => {
    const config = readFileSync(join(root, "supabase/config.toml"), "utf8");
    const configured = Array.from(config.matchAll(/^\[functions\.([\w-]+)\]$/gm), ([, name]) => name!);
    expect(configured.toSorted()).toEqual(functionNames.toSorted());
  });

  it("bring the files that they read", () => {
    const config = readFileSync(join(root, "supabase/config.toml"), "utf8");
    const patterns = Array.from(config.matchAll(/^static_files = \["(.+)"\]$/gm), ([, pattern]) => pattern!);
    const supabase = { cwd: join(root, "supabase") };
    expect(globSync(patterns, supabase).toSorted()).toEqual(
      globSync("functions/**/*.{ttf,png}", supabase).toSorted(),
    );
  });

  it("are in the table of the README", () => {
    const readme = readFileSync(join(folder, "README.md"), "utf8");
    const rows = Array.from(readme.matchAll(/^\| ([a-z-]+(?:, [a-z-]+)*) \|/gm), ([, names]) =>
      names!.split(", "),
    );
    const listed = rows.flat().filter((name) => !["function", "name"].includes(name));
    expect(listed.filter((name) => !/^-+$/.test(name)).toSorted()).toEqual(functionNames.toSorted());
  });

  it.each(deployed)("%s only serves its handler", (name) => {
    expect(readFileSync(join(folder, name, "index.ts"), "utf8")).toBe(
      'import { serve } from "../_shared/platform.ts";\nimport { handler } from "./handler.ts";\n\nserve(handler);\n',
    );
  });

  it("pass Deno's own check, with the installed versions", { timeout: 180_000 }, async () => {
    const cache = mkdtempSync(join(tmpdir(), "deno-check-"));
    const deno = join(root, "node_modules/.bin/deno");
    const files = deployed.map((name) => join(name, "index.ts"));
    const env = { ...process.env, DENO_DIR: cache, DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" };
    const checked = promisify(execFile)(deno, ["check", "--node-modules-dir=manual", ...files], {
      cwd: folder,
      env,
    });
    await checked.finally(() => rmSync(cache, { recursive: true, force: true }));
    const { imports } = JSON.parse(readFileSync(join(folder, "deno.json"), "utf8"));
    for (const [name, target] of Object.entries<string>(imports)) {
      const [, version] = /^npm:.+@([\d.]+)/.exec(target) ?? [];
      if (version === undefined) continue;
      const [scope = "", rest = ""] = name.split("/");
      const installed = join(
        root,
        "node_modules",
        scope.startsWith("@") ? join(scope, rest) : scope,
        "package.json",
      );
      expect(JSON.parse(readFileSync(installed, "utf8")).version, name).toBe(version);
    }
  });
});
