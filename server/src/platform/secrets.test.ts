import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { forgetAdminPassword, loadSecrets, rotateTicketKey } from "./secrets.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "festival-secrets-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("are made at random, differ between installations, and stay the same in one", () => {
  const other = mkdtempSync(join(tmpdir(), "festival-secrets-"));
  const [one, two] = [loadSecrets(folder), loadSecrets(other)];
  rmSync(other, { recursive: true });
  expect(loadSecrets(folder)).toEqual(one);
  expect(Buffer.from(one.jwtSecret, "base64url").length).toBeGreaterThanOrEqual(32);
  expect(one.adminPassword!.length).toBeGreaterThanOrEqual(16);
  expect(one.jwtSecret).not.toBe(two.jwtSecret);
  expect(one.adminPassword).not.toBe(two.adminPassword);
  expect(one.ticketKey.d).not.toBe(two.ticketKey.d);
});

it("are readable by their owner alone, however often they are written", () => {
  const mode = () => (statSync(join(folder, "secrets.json")).mode & 0o777).toString(8);
  const before = loadSecrets(folder);
  expect(mode()).toBe("600");
  rotateTicketKey(folder);
  forgetAdminPassword(folder);
  expect(mode()).toBe("600");
  expect(loadSecrets(folder).ticketKey).not.toEqual(before.ticketKey);
  expect(readFileSync(join(folder, "secrets.json"), "utf8")).not.toContain(before.adminPassword);
});
