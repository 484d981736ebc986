import { beforeAll, describe, expect, it } from "vitest";
import {
  importTicketKey,
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

describe("an entry code", () => {
  let keys: Awaited<ReturnType<typeof keyPair>>;
  let token: string;
  beforeAll(async () => {
    keys = await keyPair();
    token = await signTicketToken(claims, keys.privateKey);
  });

  it("verifies to the claims that were signed", async () => {
    expect(await verifyTicketToken(token, keys.publicKey)).toEqual(claims);
  });

  it("is short enough for a QR code that scans well from a phone", () => {
    expect(token.length).toBeLessThan(160);
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

  it.each(["", ".", "a", "a.b.c", "ü.ü", "AAAA.AAAA", `${"A".repeat(600)}.A`])(
    "is refused as %j",
    async (text) => {
      expect(await verifyTicketToken(text, keys.publicKey)).toBeNull();
    },
  );

  it("is refused under another key", async () => {
    expect(await verifyTicketToken(token, (await keyPair()).publicKey)).toBeNull();
  });
});
