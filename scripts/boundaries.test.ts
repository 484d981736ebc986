import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");

/** Each file imports what its folder must not. Every one is planted next to a file it could import. */
const VIOLATIONS: readonly [file: string, imports: string][] = [
  ["contract/src/planted.ts", "../../server/src/platform/clock.ts"],
  ["contract/src/shop/planted.ts", "../../../server/src/platform/clock.ts"],
  ["server/src/platform/planted.ts", "../postgres/database.ts"],
  ["server/src/platform/keys/planted.ts", "../../postgres/database.ts"],
  ["server/src/postgres/planted.ts", "../auth/index.ts"],
  ["server/src/gateway/planted.ts", "../rest/index.ts"],
  ["server/src/auth/planted.ts", "../storage/index.ts"],
  ["server/src/rest/sql/planted.ts", "../../auth/index.ts"],
  ["server/src/realtime/planted.ts", "../rest/index.ts"],
  ["server/src/storage/planted.ts", "../gateway/index.ts"],
  ["server/src/functions/planted.ts", "../gateway/index.ts"],
  ["server/src/functions/planted-shop.ts", "../../../shop/src/functions/queries.ts"],
  ["server/src/functions/planted-project.ts", "../../../supabase/functions/_shared/deps.ts"],
  ["server/src/auth/planted-contract.ts", "contract/tickets/ticket-token"],
  ["server/src/planted.ts", "../../shop/src/shop.ts"],
  ["server/src/planted-sandbox.ts", "../../sandbox/src/index.ts"],
  ["server/src/mailbox/planted.ts", "../auth/index.ts"],
  ["sandbox/src/planted.ts", "../../server/src/functions/index.ts"],
  ["sandbox/src/planted-shop.ts", "../../shop/src/shop.ts"],
  ["shop/src/planted.ts", "../../site/src/app/root.tsx"],
  ["supabase/functions/verify-payment/planted-shop.ts", "../../../shop/src/shop.ts"],
  ["supabase/functions/verify-payment/planted.ts", "../../../server/src/platform/clock.ts"],
  ["supabase/functions/process-payment/planted.ts", "../verify-payment/handler.ts"],
  ["supabase/functions/_shared/planted.ts", "../verify-payment/handler.ts"],
  ["site/src/ui/planted.ts", "#features/checkout/cart/model.ts"],
  ["site/src/lib/planted.ts", "../features/checkout/cart/model.ts"],
  ["site/src/features/tickets/planted.ts", "#features/checkout/cart/model.ts"],
  ["site/src/features/tickets/planted-relative.ts", "../cart/model.ts"],
  ["site/src/features/tickets/inner/planted.ts", "../../cart/model.ts"],
  ["site/src/app/planted.ts", "../../../server/src/platform/clock.ts"],
];

/** What the same folders may import. */
const ALLOWED: readonly [file: string, imports: string][] = [
  ["contract/src/shop/allowed.ts", "../errors.ts"],
  ["server/src/platform/keys/allowed.ts", "../clock.ts"],
  ["server/src/auth/allowed.ts", "../postgres/database.ts"],
  ["server/src/rest/sql/allowed.ts", "../../platform/clock.ts"],
  ["server/src/auth/allowed-contract.ts", "contract/people"],
  ["sandbox/src/pages/allowed.ts", "../../../server/src/platform/log.ts"],
  ["shop/src/functions/allowed.ts", "../../../supabase/functions/_shared/deps.ts"],
  ["supabase/functions/verify-payment/allowed.ts", "../_shared/database.ts"],
  ["site/src/features/tickets/allowed.ts", "#ui/basics/button.tsx"],
  ["site/src/features/tickets/inner/allowed.ts", "../model.ts"],
  ["site/src/app/allowed.ts", "#features/checkout/cart/model.ts"],
];

interface Report {
  readonly number_of_files: number;
  readonly diagnostics: readonly { readonly code: string; readonly filename: string }[];
}

describe("import boundaries", () => {
  const tree = mkdtempSync(join(tmpdir(), "festival-boundaries-"));
  let report: Report;

  const plant = (file: string, text: string) => {
    mkdirSync(dirname(join(tree, file)), { recursive: true });
    writeFileSync(join(tree, file), text);
  };
  const findings = (file: string) =>
    report.diagnostics.filter((one) => one.filename === file).map((one) => one.code);

  beforeAll(() => {
    cpSync(join(root, ".oxlintrc.json"), join(tree, ".oxlintrc.json"));
    for (const [file, imports] of [...VIOLATIONS, ...ALLOWED]) {
      plant(file, `import { planted } from "${imports}";\nplanted();\n`);
    }
    plant(
      "server/src/rest/circle-one.ts",
      `import { two } from "./circle-two.ts";\nexport const one = () => two();\n`,
    );
    plant(
      "server/src/rest/circle-two.ts",
      `import { one } from "./circle-one.ts";\nexport const two = () => one();\n`,
    );
    const { stdout } = spawnSync(join(root, "node_modules/.bin/oxlint"), ["-f", "json"], {
      cwd: tree,
      encoding: "utf8",
    });
    report = JSON.parse(stdout) as Report;
  });
  afterAll(() => rmSync(tree, { recursive: true, force: true }));

  it("looks at every planted module", () => {
    expect(report.number_of_files).toBe(VIOLATIONS.length + ALLOWED.length + 2);
  });

  it.each(VIOLATIONS)("refuses that %s imports %s", (file) => {
    expect(findings(file)).toContain("eslint(no-restricted-imports)");
  });

  it.each(ALLOWED)("lets %s import %s", (file) => {
    expect(findings(file)).not.toContain("eslint(no-restricted-imports)");
  });

  it("refuses a cycle of imports", () => {
    expect(findings("server/src/rest/circle-one.ts")).toContain("import(no-cycle)");
  });
});

describe("the server's own words", () => {
  /** What only a festival's program can mean. */
  const FOREIGN =
    /festival|houston|\btickets?\b|parking|attendee|\bvendors?\b|sponsor|\bbuyers?\b|\bcarts?\b|\bstripe\b|\bthe gate\b|\bgate (phone|invitation)|\ban order\b|\b(the|this|a buyer's|paid) order's\b|public\.(orders|user_roles)/i;
  const foreignIn = (text: string) =>
    text.split("\n").flatMap((line) => (FOREIGN.test(line) ? [line.trim()] : []));

  it("name no festival, ticket or order", () => {
    const files = globSync("server/{src,migrations}/**/*.{ts,sql}", { cwd: root }).filter(
      (file) => !file.endsWith(".test.ts"),
    );
    expect(files.length).toBeGreaterThan(250);
    const found = files.flatMap((file) =>
      foreignIn(readFileSync(join(root, file), "utf8")).map((line) => `${file}: ${line}`),
    );
    expect(found).toEqual([]);
  });

  it.each([
    "// the festival's own look",
    "select id from public.orders",
    "const ticket = 1;",
    "an order's mail",
  ])("are found where planted: %s", (planted) =>
    expect(foreignIn(`const before = 1;\n${planted}\n`)).toEqual([planted]),
  );
});
