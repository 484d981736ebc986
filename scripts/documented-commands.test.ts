import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, it } from "vitest";
import { parseConfig } from "../shop/src/config.ts";

const root = resolve(import.meta.dirname, "..");
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
};

/**
 * `npm run` commands that the documents and the scripts' own opening comments mention, with the file that mentions
 * them.
 */
const promised = globSync(
  ["{,server/}README.md", "{docs,supabase}/**/*.md", "{scripts,tests}/**/*.{ts,mjs}"],
  {
    cwd: root,
  },
).flatMap((file) =>
  [...readFileSync(join(root, file), "utf8").matchAll(/`npm run ([a-z:-]+)/g)].map(([, command]) => [
    command!,
    file,
  ]),
);

it.each(promised)("npm run %s, mentioned in %s, is a command", (command) => {
  expect(Object.keys(scripts)).toContain(command);
});

/** Each command with the file that runs it, or runs what it runs. */
const RUN_BY: Record<string, string> = {
  start: "tests/support/server/festival.ts",
  dev: "tests/start/dev.test.ts",
  test: ".ci/run",
  ...inFile("scripts/test/checks.ts", ["format", "lint", "generate"]),
  ...inFile("tests/start/commands.test.ts", ["status", "admin", "doctor"]),
  ...inFile("tests/start/backup.test.ts", ["backup", "restore", "take-over"]),
  ...inFile("tests/start/developer-commands.test.ts", [
    ...["new-data", "rotate-entry-key", "rotate-signing-key", "seed:large"],
    ...["simulate", "hostile", "bench", "launch", "screenshots", "lighthouse"],
  ]),
  ...inFile("tests/start/install-service.test.ts", ["build", "install-service"]),
  promise: "tests/promise/webhooks.test.ts",
  crash: "tests/crash/crash.test.ts",
};
function inFile(file: string, commands: readonly string[]): Record<string, string> {
  for (const command of commands) expect(readFileSync(join(root, file), "utf8")).toContain(`"${command}`);
  return Object.fromEntries(commands.map((command) => [command, file]));
}

it("every command is run by a check", () => {
  expect(Object.keys(RUN_BY).toSorted()).toEqual(Object.keys(scripts).toSorted());
});

it("the file of every command exists", () => {
  const files = Object.values(scripts).flatMap((script) => /^(?:exec )?node (\S+)/.exec(script)?.[1] ?? []);
  expect(files.length).toBeGreaterThan(0);
  expect(files.filter((file) => globSync(file, { cwd: root }).length === 0)).toEqual([]);
});

const documents = globSync(["{,server/}README.md", "{docs,supabase}/**/*.md"], { cwd: root }).map((file) => ({
  file,
  text: readFileSync(join(root, file), "utf8"),
}));

/** Files and folders that the documents name, except build output and name patterns. */
const named = documents.flatMap(({ file, text }) =>
  [
    ...text.matchAll(
      /(?<=`)(?:server|shop|sandbox|site|supabase|contract|scripts|tests|docs)\/[\w./*-]+(?=`)|\bdocs\/[\w/-]+\.\w+/g,
    ),
  ]
    .map(([path]) => ({ path, file }))
    .filter(({ path }) => !path.startsWith("site/build") && !path.includes("YYYY")),
);

it("every file that a document names exists", () => {
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter(({ path }) => globSync(path, { cwd: root }).length === 0)).toEqual([]);
});

/** Every source file of the repository. */
const sources = globSync(
  "{contract,sandbox,scripts,server,shop,site,supabase,tests}/**/*.{ts,tsx,mjs,sql,css}",
  {
    cwd: root,
    exclude: (path) => /(^|\/)(node_modules|build|\.react-router)$/.test(path),
  },
);

it("every source file that a document names by the end of its path exists", () => {
  const names = documents.flatMap(({ file, text }) =>
    Array.from(
      text.matchAll(/`(?:[\w./-]*…|(?:\.\.\/)*)([\w./-]+\.(?:tsx?|mjs|sql|css))`/g),
      ([whole, name]) => ({
        end: whole.includes("…") ? name! : `/${name}`,
        file,
      }),
    ).filter(({ end }) => !/YYYY|NAME/.test(end)),
  );
  expect(names.length).toBeGreaterThan(300);
  const paths = sources.map((source) => `/${source}`);
  expect(names.filter(({ end }) => !paths.some((path) => path.endsWith(end)))).toEqual([]);
});

/** The anchor that GitHub gives a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");

it("every link between documents leads to a file, and to a heading in it", () => {
  const links = documents.flatMap(({ file, text }) =>
    [...text.matchAll(/\]\((?!\w+:)([^)#\s]*)#?([^)\s]*)\)/g)].map(([, path, anchor]) => ({
      from: file,
      to: path ? join(dirname(file), path) : file,
      anchor,
    })),
  );
  expect(links.length).toBeGreaterThan(20);
  const broken = links.filter(({ to, anchor }) => {
    if (!existsSync(join(root, to))) return true;
    if (!anchor) return false;
    const headings = readFileSync(join(root, to), "utf8").matchAll(/^#+ (.+)$/gm);
    return !Array.from(headings, ([, heading]) => anchorOf(heading!)).includes(anchor);
  });
  expect(broken).toEqual([]);
});

it("no document has a line over 120 characters, except in a table", () => {
  const long = documents.flatMap(({ file, text }) =>
    text
      .split("\n")
      .flatMap((line, at) => (line.length > 120 && !line.startsWith("|") ? [`${file}:${at + 1}`] : [])),
  );
  expect(long).toEqual([]);
});

it("every variable that the configuration reads is in docs/OPERATING.md", () => {
  const variables = new Set<string>();
  const noted = new Proxy({}, { get: (_, name: string) => void variables.add(name) });
  parseConfig(noted);
  expect([...variables]).toEqual(expect.arrayContaining(["PORT", "S3_ENDPOINT", "GOOGLE_WALLET_ISSUER"]));
  const { text } = documents.find(({ file }) => file === "docs/OPERATING.md")!;
  expect([...variables].filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
});

/** Names of browsers and libraries that decisions mention. */
const OTHERS = ["entriesAware", "reuseContext"];

it("every function and column that a decision names is in the source, so a renamed one is corrected there too", () => {
  const words = new Set(
    sources.flatMap((file) => readFileSync(join(root, file), "utf8").match(/\w+/g) ?? []),
  );
  const names = documents
    .filter(({ file }) => file.startsWith("docs/decisions/"))
    .flatMap(({ file, text }) =>
      [...text.matchAll(/`([a-z]+(?:_[a-z_]+|[A-Z][A-Za-z]+))(?:\(\))?`/g)].map(([, name]) => ({
        name: name!,
        file,
      })),
    );
  expect(names.length).toBeGreaterThan(50);
  expect(names.filter(({ name }) => !words.has(name) && !OTHERS.includes(name))).toEqual([]);
});

it("every test that docs/ASVS.md quotes has that title", () => {
  const { text } = documents.find(({ file }) => file === "docs/ASVS.md")!;
  const quoted = [...text.matchAll(/`([\w./-]+\.(?:test|spec)\.ts)` "([^"]+)"/g)];
  expect(quoted.length).toBeGreaterThan(10);
  for (const [, file, title] of quoted) expect(readFileSync(join(root, file!), "utf8")).toContain(title);
});

it("docs/ASVS.md names every file of the product that starts a program, in 1.2.5", () => {
  const { text } = documents.find(({ file }) => file === "docs/ASVS.md")!;
  const starts = globSync("{{contract,sandbox,server,shop,site}/src,supabase/functions}/**/*.{ts,tsx}", {
    cwd: root,
    exclude: (path) => /(^|\/)node_modules$|\.test\.ts$/.test(path),
  }).filter((file) => readFileSync(join(root, file), "utf8").includes("node:child_process"));
  const named = [.../^\| 1\.2\.5 .*/m.exec(text)![0].matchAll(/`([\w/-]+\/[\w-]+\.ts)`/g)].map(
    ([, file]) => file,
  );
  expect(starts.toSorted()).toEqual(named.toSorted());
});

it("docs/ASVS.md has one row for each requirement of levels 1 and 2", () => {
  const { text } = documents.find(({ file }) => file === "docs/ASVS.md")!;
  const rows = [...text.matchAll(/^\| (\d+\.\d+\.\d+) \|.*\| (met|partly|\*\*not met\*\*|n\/a) \| .+ \|$/gm)];
  expect([rows.length, new Set(rows.map(([, id]) => id)).size]).toEqual([253, 253]);
});
