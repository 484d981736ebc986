import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { loadSecrets } from "../../server/src/platform/keys/secrets.ts";
import { forgetAdminPassword, loadShopSecrets, rotateTicketKey } from "./secrets.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "shop-secrets-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("are random and stay the same, beside the server's", () => {
  const server = loadSecrets(folder);
  const one = loadShopSecrets(folder);
  expect(one.adminPassword!.length).toBeGreaterThanOrEqual(16);
  expect(loadShopSecrets(folder)).toEqual(one);
  expect(loadSecrets(folder)).toMatchObject(server);
  const other = mkdtempSync(join(tmpdir(), "shop-secrets-"));
  const two = loadShopSecrets(other);
  rmSync(other, { recursive: true });
  expect(two.adminPassword).not.toBe(one.adminPassword);
  expect(two.ticketKey.d).not.toBe(one.ticketKey.d);
});

it("forget the first password for good, and replace the key of entry codes", () => {
  const before = loadShopSecrets(folder);
  forgetAdminPassword(folder);
  rotateTicketKey(folder);
  const after = loadShopSecrets(folder);
  expect(after.adminPassword).toBeNull();
  expect(readFileSync(join(folder, "secrets.json"), "utf8")).not.toContain(before.adminPassword);
  expect(after.ticketKey).not.toEqual(before.ticketKey);
});
