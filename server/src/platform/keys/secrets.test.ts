import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { loadSecrets, replaceSecrets, rotateSigningKey } from "./secrets.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "server-secrets-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("are random, differ between installations, and stay the same in one", () => {
  const other = mkdtempSync(join(tmpdir(), "server-secrets-"));
  const [one, two] = [loadSecrets(folder), loadSecrets(other)];
  rmSync(other, { recursive: true });
  expect(loadSecrets(folder)).toEqual(one);
  expect(Buffer.from(one.jwtSecret, "base64url").length).toBeGreaterThanOrEqual(32);
  expect(one.jwtSecret).not.toBe(two.jwtSecret);
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

it("are completed where a folder lacks one, and the others stay", () => {
  const { authKey: _authKey, ...before } = loadSecrets(folder);
  writeFileSync(join(folder, "secrets.json"), JSON.stringify({ ...before, another: "program's" }));
  const after = loadSecrets(folder);
  expect(after).toMatchObject({ ...before, another: "program's" });
  expect(loadSecrets(folder).authKey).toBe(after.authKey);
});

it("are readable by their owner alone, however often they are written", () => {
  const mode = () => (statSync(join(folder, "secrets.json")).mode & 0o777).toString(8);
  const before = loadSecrets(folder);
  expect(mode()).toBe("600");
  replaceSecrets(folder, { jwtSecret: "another" });
  expect(mode()).toBe("600");
  expect(readFileSync(join(folder, "secrets.json"), "utf8")).not.toContain(before.jwtSecret);
});
