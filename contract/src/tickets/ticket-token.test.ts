import { beforeAll, describe, expect, it } from "vitest";
import { fromBase32, toBase32 } from "./base32.ts";
import { signOldToken } from "./testing/old-token.ts";
import {
  importTicketKey,
  isForEvent,
  readTicketToken,
  signTicketToken,
  type TicketClaims,
  type TicketKey,
  verifyTicketToken,
} from "./ticket-token.ts";

/** The code of the seeded festival. */
const EVENT = "hcf-2025";

const claims: TicketClaims = {
  ticketId: "0b1d7f5e-93a4-4c0e-8a55-000102030405",
  ticketTypeId: "fedcba98-7654-4321-8fed-cba987654321",
  issueNumber: 4_000_000_000,
  event: EVENT,
};

async function keyPair() {
  const pair = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]);
  if (!("privateKey" in pair)) throw new Error("Ed25519 keys come in pairs");
  const jwk = async (key: TicketKey) => importTicketKey(await crypto.subtle.exportKey("jwk", key));
  return { privateKey: await jwk(pair.privateKey), publicKey: await jwk(pair.publicKey) };
}

describe.each([
  ["an entry code", signTicketToken],
  ["an old entry code", signOldToken],
])("%s", (_which, sign) => {
  let keys: Awaited<ReturnType<typeof keyPair>>;
  let token: string;
  beforeAll(async () => {
    keys = await keyPair();
    token = await sign(claims, keys.privateKey);
  });

  it("verifies to the claims that were signed", async () => {
    const read = await verifyTicketToken(token, keys.publicKey);
    expect(read).toMatchObject({
      ticketId: claims.ticketId,
      typeMark: claims.ticketTypeId.slice(-8),
      issueNumber: claims.issueNumber,
    });
    expect(await isForEvent(read!, EVENT)).toBe(true);
    expect(await isForEvent(read!, "hcf-2026")).toBe(false);
  });

  it("is refused when any one character differs", async () => {
    const mutations = Array.from(token, (character, index) => {
      const other = character === "A" ? "B" : "A";
      return token.slice(0, index) + other + token.slice(index + 1);
    });
    const accepted = await Promise.all(
      mutations.map((mutation) => verifyTicketToken(mutation, keys.publicKey)),
    );
    expect(accepted.filter((outcome) => outcome !== null)).toEqual([]);
  });

  it.each([
    "",
    ".",
    "a",
    "a.b.c",
    "ü.ü",
    "AAAA.AAAA",
    `${"A".repeat(600)}.A`,
    "0".repeat(149),
    "Ü".repeat(149),
  ])("is refused as %j", async (text) => {
    expect(await verifyTicketToken(text, keys.publicKey)).toBeNull();
  });

  it("is refused under another key", async () => {
    expect(await verifyTicketToken(token, (await keyPair()).publicKey)).toBeNull();
  });
});

describe("an entry code's text", () => {
  let token: string;
  beforeAll(async () => {
    token = await signTicketToken(claims, (await keyPair()).privateKey);
  });

  it("has letters and digits that QR codes pack tightly, as many for every festival", async () => {
    expect(token).toMatch(/^[0-9A-LN-PR-VXZ]{149}$/);
    const other = { ...claims, event: "a-festival-with-a-very-long-code-2026" };
    expect(await signTicketToken(other, (await keyPair()).privateKey)).toHaveLength(149);
  });

  it("reads the same in small letters, and typed on a German or French keyboard", () => {
    const swapped = (pairs: string) =>
      token.replaceAll(/[A-Z]/g, (letter) => {
        const at = pairs.indexOf(letter);
        return at === -1 ? letter : pairs[at ^ 1]!;
      });
    for (const text of [token.toLowerCase(), swapped("YZ"), swapped("AQZW")])
      expect(readTicketToken(text)).toEqual(readTicketToken(token));
  });
});

describe("bytes as letters and digits", () => {
  it("are the same bytes again, whatever their number", () => {
    for (let length = 0; length < 20; length++) {
      const bytes = Uint8Array.from({ length }, (_, index) => (index * 67 + length * 31) % 256);
      expect(fromBase32(toBase32(bytes))).toEqual(bytes);
    }
  });

  it.each(["M0", "0!", "0", "01", "000", "ZZ"])("are not what is written as %j", (text) =>
    expect(fromBase32(text)).toBeNull(),
  );
});
