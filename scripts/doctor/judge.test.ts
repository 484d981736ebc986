import { expect, it } from "vitest";
import { parseConfig } from "../../shop/src/config.ts";
import { judge, type Observed } from "./judge.ts";

const GB = 1024 ** 3;
const database = { postgres: 18, walLevel: "logical", clockOffMs: 3, deadWork: 0 };
const well: Observed = {
  node: 24,
  freeBytes: 50 * GB,
  isRestored: false,
  faults: [],
  database,
  server: { healthy: true, otherSettings: [] },
};
const withDatabase = (observed: NonNullable<Observed["database"]>): Observed => ({
  ...well,
  database: observed,
});
const withFault = (isRefusal: boolean): Observed => ({
  ...well,
  faults: [{ service: "The mail server", isRefusal, said: "535 no" }],
});
const real = {
  NODE_ENV: "production",
  SITE_URL: "https://tickets.example.com",
  SMTP_URL: "smtps://mail.example.com",
  MAIL_FROM: "Tickets <tickets@example.com>",
  ALERT_EMAIL: "office@example.com",
  TRUSTED_PROXIES: "10.0.0.1",
  STRIPE_SECRET_KEY: "sk_live_1",
  STRIPE_PUBLISHABLE_KEY: "pk_live_1",
  STRIPE_WEBHOOK_SECRET: "whsec_1",
};
const wrong = (variables: Record<string, string>, observed: Observed = well) =>
  judge(parseConfig(variables), observed)
    .filter(({ level }) => level === "wrong")
    .map(({ text }) => text);

it("finds nothing wrong with a real shop, nor with one on a developer's machine", () => {
  expect(judge(parseConfig(real), well)).toEqual([]);
  expect(judge(parseConfig({}), well)).toEqual([]);
});

it.each([
  ["NODE_ENV", ""],
  ["SITE_URL", "http://tickets.example.com"],
  ["SITE_URL", ""],
  ["SMTP_URL", ""],
  ["MAIL_FROM", ""],
  ["ALERT_EMAIL", ""],
  ["TRUSTED_PROXIES", ""],
])("names %s when it is %j", (name, value) => {
  const found = wrong({ ...real, [name]: value });
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(name);
});

it("warns of test keys in production", () => {
  const keys = { STRIPE_SECRET_KEY: "sk_test_1", STRIPE_PUBLISHABLE_KEY: "pk_test_1" };
  expect(wrong({ ...real, ...keys })).toEqual([expect.stringContaining("STRIPE_SECRET_KEY")]);
});

it("warns that a public sandbox gives tickets away", () => {
  const { STRIPE_SECRET_KEY: _, STRIPE_PUBLISHABLE_KEY: __, STRIPE_WEBHOOK_SECRET: ___, ...sandbox } = real;
  expect(wrong(sandbox)).toEqual([expect.stringContaining("for free")]);
});

it.each([
  ["a data folder of another user", { ...well, unwritable: "EACCES" }, "may not write DATA_DIR (EACCES)"],
  ["the disk", { ...well, freeBytes: GB / 2 }, "0.5 GB"],
  ["a restored copy", { ...well, isRestored: true }, "npm run take-over"],
  ["health", { ...well, server: { healthy: false, otherSettings: [] } }, "/health"],
  ["other settings", { ...well, server: { healthy: true, otherSettings: ["A", "B"] } }, ": A, B."],
  ["refused settings", withFault(true), "The mail server refuses SMTP_URL: 535 no"],
  ["silence", withFault(false), "does not answer this machine, so SMTP_URL could not be checked: 535 no"],
  ["PostgreSQL", withDatabase({ ...database, postgres: 14 }), "PostgreSQL 14"],
  ["an unreachable database", withDatabase("connect ECONNREFUSED"), "answer: connect ECONNREFUSED"],
  ["live changes", withDatabase({ ...database, walLevel: "replica" }), "wal_level"],
  ["the clock", withDatabase({ ...database, clockOffMs: -9000 }), "clocks"],
  ["this machine's clock", { ...well, providerClockOffMs: 9000 }, "provider's"],
  ["work given up", withDatabase({ ...database, deadWork: 2 }), "2 emails or refunds"],
])("detects %s", (_, observed, words) => {
  expect(wrong(real, observed)).toEqual([expect.stringContaining(words)]);
});
