import { fromBase32, toBase32 } from "contract/tickets/base32";
import { readTicketToken, signTicketToken, type TicketKey } from "contract/tickets/ticket-token";
import { signOldToken } from "contract/tickets/testing/old-token";
import { beforeAll, describe, expect, it } from "vitest";
import { createVerify, createVerifyInScript, readEntryCode, type Verify } from "./entry-code.ts";

/** The code of the seeded festival. */
const EVENT = "hcf-2025";

/** R8 requires 100,000: GATE_MUTATIONS=100000 vitest run --project=unit entry-code. The suite uses a sample. */
const MUTATIONS = Number(process.env.GATE_MUTATIONS ?? 2000);

const claims = {
  ticketId: "3f2b8a1e-4c5d-4e6f-8a9b-0c1d2e3f4a5b",
  ticketTypeId: "11111111-2222-4333-8444-555555555555",
  issueNumber: 1,
  event: EVENT,
};

let privateKey: TicketKey;
let jwk: { kty: string; crv: string; x: string };
let verify: Verify;
let token: string;
let old: string;

beforeAll(async () => {
  const pair = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]);
  ({ privateKey } = pair);
  jwk = (await crypto.subtle.exportKey("jwk", pair.publicKey)) as typeof jwk;
  verify = await createVerify(jwk);
  token = await signTicketToken(claims, privateKey);
  old = await signOldToken(claims, privateKey);
});

const read = { claims: expect.objectContaining({ ticketId: claims.ticketId, issueNumber: 1 }) as unknown };

describe("a code on the device", () => {
  it("is read with any of the keys that ever signed codes", async () => {
    const other = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]);
    const newest = await createVerify((await crypto.subtle.exportKey("jwk", other.publicKey)) as typeof jwk);
    for (const code of [token, old]) {
      expect(await readEntryCode(` ${code}\n`, [newest, verify], EVENT)).toEqual(read);
      expect(await readEntryCode(code, [newest], EVENT)).toEqual({ refusal: "forged" });
      expect(await readEntryCode(code, [], EVENT)).toEqual({ refusal: "forged" });
    }
  });

  it("of another festival is named as such, whether we signed it or not", async () => {
    for (const sign of [signTicketToken, signOldToken]) {
      const ours = await sign({ ...claims, event: "hcf-2024" }, privateKey);
      expect(await readEntryCode(ours, [verify], EVENT)).toEqual({ refusal: "other_festival" });
      expect(await readEntryCode(ours, [], EVENT)).toEqual({ refusal: "other_festival" });
      expect(await readEntryCode(ours, [verify], "hcf-2024")).toEqual(read);
    }
  });

  it.each([
    ["half a code", () => token.slice(0, 80), "cut"],
    ["a code without its last character", () => token.slice(0, -1), "cut"],
    ["a code with a letter that none has", () => `${token.slice(0, -1)}M`, "forged"],
    ["two codes at once", () => token + token, "forged"],
    ["half an old code", () => old.slice(0, 80), "cut"],
    ["an old code without its last character", () => old.slice(0, -1), "cut"],
    ["most of a long festival's old code", () => `AW${"a".repeat(90)}${old.slice(60, 140)}`, "cut"],
    ["two old codes at once", () => old + old, "forged"],
    ["a web address", () => "https://example.com/ticket", "malformed"],
    ["nothing", () => "", "malformed"],
    ["a very long text", () => "A".repeat(100_000), "malformed"],
  ])("explains what is wrong with %s", async (_what, text, refusal) => {
    expect(await readEntryCode(text(), [verify], EVENT)).toEqual({ refusal });
  });

  it.each([
    ["", () => token],
    ["an old one ", () => old],
  ])(
    "%sis refused after any change",
    async (_which, code) => {
      const inScript = await createVerifyInScript(jwk);
      let accepted = 0;
      for (let n = 0; n < MUTATIONS; n++) {
        const mutated = mutate(code(), n);
        if (isSame(mutated, code())) continue;
        // Verify every fiftieth with the library too, which takes fifty times as long.
        const keys = n % 50 === 0 ? [verify, inScript] : [verify];
        if ("claims" in (await readEntryCode(mutated, keys, EVENT))) accepted++;
      }
      expect(accepted).toBe(0);
    },
    120_000,
  );
});

it("verifies with the library the same way as with WebCrypto", async () => {
  const inScript = await createVerifyInScript(jwk);
  expect(await readEntryCode(token, [inScript], EVENT)).toEqual(read);
  const changed = [5, 6, 7, 8].map((n) => mutate(token, n)).find((mutated) => !isSame(mutated, token));
  expect(await readEntryCode(changed!, [inScript], EVENT)).not.toHaveProperty("claims");
});

/** Letters have a case, and some stand for others: the same bytes are the same code. */
const isSame = (one: string, other: string) => {
  const [mine, theirs] = [readTicketToken(one), readTicketToken(other)];
  return mine !== null && JSON.stringify(mine) === JSON.stringify(theirs);
};

/** One change, always the same for the same number: a character replaced, removed, added or swapped, or flipped bits. */
function mutate(text: string, n: number): string {
  const random = (below: number, salt: number) =>
    Number((BigInt(n * 8 + salt + 1) * 0x9e3779b97f4a7c15n) % 0xffffffffn) % below;
  const at = random(text.length, 1);
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
  const letter = letters[random(letters.length, 2)]!;
  switch (n % 5) {
    case 0:
      return text.slice(0, at) + letter + text.slice(at + 1);
    case 1:
      return text.slice(0, at) + text.slice(at + 1);
    case 2:
      return text.slice(0, at) + letter + text.slice(at);
    case 3:
      return text.slice(0, at) + (text[at + 1] ?? "") + text[at]! + text.slice(at + 2);
    default:
      return turnBit(text, random(4 * text.length, 3));
  }
}

/** Of an old code's payload or signature, or of a code's bytes. */
function turnBit(text: string, bit: number): string {
  const change = (bytes: Uint8Array) => {
    bytes[bit % bytes.length]! ^= 1 << (bit % 8);
    return bytes;
  };
  const [payload, signature] = text.split(".");
  if (signature === undefined) return toBase32(change(fromBase32(text)!));
  const changed = (part: string) => Buffer.from(change(Buffer.from(part, "base64url"))).toString("base64url");
  return bit % 2 === 0 ? `${changed(payload!)}.${signature}` : `${payload}.${changed(signature)}`;
}
