import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { forgetAdminPassword, loadSecrets, rotateSigningKey, rotateTicketKey } from "./secrets.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "festival-secrets-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("are random, differ between installations, and stay the same in one", () => {
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

it("keep a replaced signing key as long as its tokens could live, without its private half", () => {
  const [first] = loadSecrets(folder).signingKeys;
  const day = 86_400_000;
  rotateSigningKey(folder, "RS256", 10 * day);
  rotateSigningKey(folder, "EdDSA", 20 * day);
  const keys = loadSecrets(folder).signingKeys;
  expect(keys.map(({ jwk }) => jwk["alg"])).toEqual(["EdDSA", "RS256", "ES256"]);
  expect(keys.map(({ jwk }) => jwk.d !== undefined)).toEqual([true, false, false]);
  expect(keys[2]!.jwk["kid"]).toBe(first!.jwk["kid"]);
  rotateSigningKey(folder, "ES256", 45 * day);
  expect(loadSecrets(folder).signingKeys.map(({ jwk }) => jwk["alg"])).toEqual(["ES256", "EdDSA", "RS256"]);
});

it("are completed in a folder from an older version", () => {
  const { authKey: _authKey, signingKeys: _keys, ...before } = loadSecrets(folder);
  writeFileSync(join(folder, "secrets.json"), JSON.stringify(before));
  const after = loadSecrets(folder);
  expect(after).toMatchObject({ ...before, signingKeys: [] });
  expect(loadSecrets(folder).authKey).toBe(after.authKey);
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
