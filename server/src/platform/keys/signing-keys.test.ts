import { generateKeyPairSync, type JsonWebKey } from "node:crypto";
import { expect, it } from "vitest";
import { newSigningKey, parseSigningKeys, readSigningKeys } from "./signing-keys.ts";

const parse = (...keys: JsonWebKey[]) => parseSigningKeys(JSON.stringify(keys));

it("signs with the key marked for it, as in GoTrue's list, and skips the secret", () => {
  const [old, next] = [newSigningKey("RS256"), newSigningKey("ES256")];
  const keys = parse({ kty: "oct", k: "AAAA", kid: "secret" }, { ...old, key_ops: ["verify"] }, next);
  expect(keys.current).toMatchObject({ algorithm: "ES256", kid: next["kid"] });
  expect([...keys.byKid.keys()]).toEqual([old["kid"], next["kid"]]);
  expect(keys.published).toMatchObject([
    { kid: old["kid"], kty: "RSA", alg: "RS256", use: "sig", key_ops: ["verify"] },
    { kid: next["kid"], kty: "EC", crv: "P-256", alg: "ES256" },
  ]);
  expect(readSigningKeys([]).current).toBeUndefined();
});

const { kid: _kid, ...nameless } = newSigningKey("ES256");
const short = generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey.export({ format: "jwk" });
const p384 = generateKeyPairSync("ec", { namedCurve: "P-384" }).privateKey.export({ format: "jwk" });
const twice = newSigningKey("EdDSA");
it.each([
  ["no JSON", "[", "must be a JSON list"],
  ["no list", "{}", "must be a JSON list"],
  ["a key without a name", JSON.stringify([nameless]), "must have a kid"],
  [
    "a short RSA key",
    JSON.stringify([{ ...short, kid: "a" }]),
    "signing key a: is no usable key (too short)",
  ],
  [
    "another curve",
    JSON.stringify([{ ...p384, kid: "a" }]),
    "signing key a: must be for ES256, RS256, EdDSA",
  ],
  [
    "another algorithm",
    JSON.stringify([{ ...newSigningKey("ES256"), kid: "a", alg: "RS256" }]),
    "must be for ES256",
  ],
  ["half a key", JSON.stringify([{ kty: "EC", crv: "P-256", x: "AA", kid: "a" }]), "is no usable key"],
  ["a key that is there twice", JSON.stringify([twice, twice]), "is there twice"],
])("refuses %s", (_what, json, problem) => {
  expect(() => parseSigningKeys(json)).toThrow(`GOTRUE_JWT_KEYS: `);
  expect(() => parseSigningKeys(json)).toThrow(problem);
});
