import { createHmac } from "node:crypto";
import { createLocalJWKSet, importJWK, type JWK, jwtVerify, SignJWT } from "jose";
import { describe, expect, it } from "vitest";
import { createTokens } from "./jwt.ts";
import { ALGORITHMS, newSigningKey, readSigningKeys, retired, type SigningKeys } from "./signing-keys.ts";

const SECRET = "a secret of at least thirty-two characters";
const key = new TextEncoder().encode(SECRET);
let now = Date.UTC(2025, 5, 1);
const clock = { now: () => now };
const tokens = createTokens(SECRET, clock);
const published = (keys: SigningKeys) => keys.published as JWK[];
const seconds = Math.floor(now / 1000);
const claims = { role: "authenticated", sub: "someone", exp: seconds + 60 };

const encode = (value: unknown) => encodeText(JSON.stringify(value));
/** A token signed by us, whatever it contains. */
const forge = (header: unknown, payload: unknown, secret: string | Buffer = SECRET) => {
  const text = `${encode(header)}.${typeof payload === "string" ? payload : encode(payload)}`;
  return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
};

const encodeText = (json: string) => Buffer.from(json).toString("base64url");
const nested = `{"role":"authenticated","a":${"[".repeat(64)}${"]".repeat(64)}}`;

const HS256 = { alg: "HS256", typ: "JWT" };

describe("a token", () => {
  it("is what the standard library signs and verifies", async () => {
    const theirs = await new SignJWT(claims).setProtectedHeader({ alg: "HS256" }).sign(key);
    expect(await tokens.verify(theirs)).toEqual(claims);
    const { payload } = await jwtVerify(tokens.sign(claims), key, { currentDate: new Date(now) });
    expect(payload).toEqual(claims);
  });

  it("expires at the second it names, even if it was verified before", async () => {
    const token = tokens.sign({ role: "authenticated", exp: seconds + 1 });
    expect(await tokens.verify(token)).toMatchObject({ role: "authenticated" });
    now += 1000;
    expect(await tokens.verify(token)).toBe("expired");
    expect(await tokens.verify(token)).toBe("expired");
    now -= 1000;
  });

  it("stays valid without an expiry", async () => {
    expect(await tokens.verify(tokens.sign({ role: "anon" }))).toEqual({ role: "anon" });
  });

  it("is cached with its claims, unless it is long", async () => {
    expect(await tokens.verify(tokens.sign(claims))).toBe(claims);
    const long = { ...claims, note: "x".repeat(9000) };
    const verified = await tokens.verify(tokens.sign(long));
    expect(verified).toEqual(long);
    expect(verified).not.toBe(long);
  });

  it("is dropped from the cache once later ones have filled it", async () => {
    const first = { ...claims, sub: "first" };
    const token = tokens.sign(first);
    for (let n = 0; n < 3000; n++) tokens.sign({ ...claims, sub: `${n}`, note: "x".repeat(5900) });
    const verified = await tokens.verify(token);
    expect(verified).toEqual(first);
    expect(verified).not.toBe(first);
  });

  const [header, payload, signature] = tokens.sign(claims).split(".") as [string, string, string];
  it.each([
    ["of another secret", createTokens(`${SECRET}.`, { now: () => now }).sign(claims)],
    ["with other claims", `${header}.${encode({ ...claims, role: "service_role" })}.${signature}`],
    ["with another header", `${encode({ ...HS256, kid: "1" })}.${payload}.${signature}`],
    ["without a signature", `${header}.${payload}.`],
    ["with a cut signature", `${header}.${payload}.${signature.slice(0, -1)}`],
    ["with a longer signature", `${header}.${payload}.${signature}A`],
    ["with a signature beyond ASCII", `${header}.${payload}.${"é".repeat(signature.length)}`],
    ["with a fourth part", `${header}.${payload}.${signature}.${signature}`],
    ["with two parts", `${header}.${payload}`],
    ["that names no algorithm", `${encode({ alg: "none" })}.${payload}.`],
    ["signed for no algorithm", forge({ alg: "none" }, claims)],
    ["signed for another algorithm", forge({ alg: "HS512" }, claims)],
    ["with a demand nobody knows", forge({ ...HS256, crit: ["exp"] }, claims)],
    ["whose header is no object", forge("HS256", claims)],
    ["whose claims are a list", forge(HS256, [claims])],
    ["whose claims are no JSON", forge(HS256, "bm90IGpzb24")],
    [
      "that brings a key of its own",
      forge({ ...HS256, jwk: { kty: "oct", k: "AAAA" } }, claims, Buffer.from("AAAA", "base64url")),
    ],
    ["whose role is no text", forge(HS256, { ...claims, role: ["service_role"] })],
    ["whose end is no number", forge(HS256, { ...claims, exp: "never" })],
    ["whose end is nothing", forge(HS256, { ...claims, exp: null })],
    ["that begins later", forge(HS256, { ...claims, nbf: seconds + 30 })],
    ["for another audience", forge(HS256, { ...claims, aud: "another-project" })],
    ["for others", forge(HS256, { ...claims, aud: ["a", "b"] })],
    ["for nobody", forge(HS256, { ...claims, aud: [] })],
    ["longer than 16 KB", forge(HS256, { ...claims, note: "x".repeat(12_300) })],
    ["whose claims nest too deeply", forge(HS256, encodeText(nested))],
    ["that is empty", ""],
    ["of dots", ".."],
  ])("%s is invalid", async (_what, token) => {
    expect(await tokens.verify(token)).toBe("invalid");
  });

  it.each(["authenticated", ["authenticated", "another-project"], null, ""])(
    "for us is taken: %j",
    async (aud) => {
      expect(await tokens.verify(forge(HS256, { ...claims, aud }))).toMatchObject({ role: claims.role, aud });
    },
  );

  it("is valid without a role, which is then empty", async () => {
    expect(await tokens.verify(forge(HS256, { sub: "x" }))).toEqual({ sub: "x", role: "" });
  });
});

describe.each(ALGORITHMS)("a token signed with an %s key", (algorithm) => {
  const jwk = newSigningKey(algorithm);
  const keys = readSigningKeys([jwk]);
  const signed = createTokens(SECRET, clock, keys);
  const kid = String(jwk["kid"]);

  it("is what the standard library verifies with the published key, and signs", async () => {
    const token = signed.sign(claims);
    const { payload, protectedHeader } = await jwtVerify(
      token,
      createLocalJWKSet({ keys: published(keys) }),
      {
        currentDate: new Date(now),
      },
    );
    expect([payload, protectedHeader.alg, protectedHeader.kid]).toEqual([claims, algorithm, kid]);
    const theirs = await new SignJWT(claims)
      .setProtectedHeader({ alg: algorithm, kid })
      .sign(await importJWK(jwk as JWK, algorithm));
    expect(await createTokens(SECRET, clock, keys).verify(theirs)).toEqual(claims);
    expect(JSON.stringify(keys.published)).not.toContain(String(jwk.d));
  });

  it("stays good when another key signs, and is unknown without its key", async () => {
    const token = signed.sign(claims);
    const next = readSigningKeys([newSigningKey("ES256"), retired(jwk)]);
    expect(next.current?.kid).not.toBe(kid);
    expect(await createTokens(SECRET, clock, next).verify(token)).toEqual(claims);
    expect(await tokens.verify(token)).toBe("invalid");
  });

  it("does not stop the secret from being accepted", async () => {
    expect(await signed.verify(forge(HS256, claims))).toEqual(claims);
    expect(await signed.verify(tokens.signWithSecret(claims))).toEqual(claims);
  });

  it("is refused when anything in it is not the key's", async () => {
    const [header, payload, signature] = signed.sign(claims).split(".") as [string, string, string];
    const pem = keys.byKid.get(kid)!.key.export({ type: "spki", format: "pem" });
    const forgeries = [
      `${header}.${encode({ ...claims, role: "service_role" })}.${signature}`,
      `${encode({ alg: algorithm, kid: "another" })}.${payload}.${signature}`,
      `${encode({ alg: algorithm })}.${payload}.${signature}`,
      `${encode({ alg: "none", kid })}.${payload}.`,
      `${encode({ alg: algorithm === "ES256" ? "RS256" : "ES256", kid })}.${payload}.${signature}`,
      `${encode({ alg: algorithm, kid, crit: ["exp"] })}.${payload}.${signature}`,
      `${header}.${payload}.${signature}=`,
      `${header}.${payload}.`,
      // The public key used as the secret of an HMAC.
      forge({ alg: "HS256", kid }, claims, Buffer.from(pem)),
    ];
    const fresh = createTokens(SECRET, clock, keys);
    for (const token of forgeries) expect([token, await fresh.verify(token)]).toEqual([token, "invalid"]);
  });
});

it("an API key that is not a token stands for its configured role", async () => {
  const named = createTokens(SECRET, clock, undefined, new Map([["sb_publishable_x", { role: "anon" }]]));
  expect(await named.verify("sb_publishable_x")).toEqual({ role: "anon" });
  expect(await tokens.verify("sb_publishable_x")).toBe("invalid");
});
