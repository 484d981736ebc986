// An organizer's wallet keys, generated for a test, and what the wallets do with them: Apple's checks a pass's zip, hashes and signature,
// Google's a link's token.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash, generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { importSPKI, type JWTPayload, jwtVerify } from "jose";

const GOOGLE_ACCOUNT = "wallet@festival.test";

export interface WalletKeys {
  /** Variables as the organizer sets them. */
  readonly settings: Readonly<Record<string, string>>;
  /**
   * The files of a pass by name. Throws unless all are complete, listed with their hashes, and the list signed with the organizer's key.
   */
  openPass(file: Buffer): Map<string, Buffer>;
  /** The content of a link to Google. Rejects unless the organizer's account signed it for Google. */
  openLink(address: string): Promise<JWTPayload>;
  close(): void;
}

export function makeWalletKeys(): WalletKeys {
  const folder = mkdtempSync(join(tmpdir(), "wallets-"));
  const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
  const google = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  return {
    settings: {
      ...appleSettings(folder, openssl),
      GOOGLE_WALLET_ISSUER: "3388000000012345678",
      GOOGLE_WALLET_ACCOUNT: JSON.stringify({
        client_email: GOOGLE_ACCOUNT,
        private_key: google.privateKey,
      }),
    },
    openPass(file) {
      const files = unzipped(file);
      const listed = [...files].filter(([name]) => !["manifest.json", "signature"].includes(name));
      assert.deepEqual(
        JSON.parse(files.get("manifest.json")!.toString()),
        Object.fromEntries(
          listed.map(([name, bytes]) => [name, createHash("sha1").update(bytes).digest("hex")]),
        ),
      );
      for (const name of ["manifest.json", "signature"]) writeFileSync(join(folder, name), files.get(name)!);
      const verify = ["smime", "-verify", "-inform", "DER", "-in", "signature", "-content", "manifest.json"];
      const trust = ["-CAfile", "wwdr.pem", "-purpose", "any", "-out", "verified"];
      openssl(...verify, ...trust);
      writeFileSync(join(folder, "manifest.json"), "{}");
      assert.throws(() => openssl(...verify, ...trust), "any list would pass");
      return files;
    },
    async openLink(address) {
      const [, token] = /^https:\/\/pay\.google\.com\/gp\/v\/save\/(.+)$/.exec(address) ?? [];
      assert(token, address);
      const key = await importSPKI(google.publicKey, "RS256");
      return (await jwtVerify(token, key, { issuer: GOOGLE_ACCOUNT, audience: "google" })).payload;
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function appleSettings(folder: string, openssl: (...args: string[]) => void): Record<string, string> {
  const key = (name: string) => ["-newkey", "rsa:2048", "-nodes", "-keyout", `${name}.key`];
  openssl(
    "req",
    ...key("wwdr"),
    "-x509",
    "-days",
    "30",
    "-out",
    "wwdr.pem",
    "-subj",
    "/CN=Stand-in for Apple",
  );
  openssl("req", ...key("pass"), "-out", "pass.csr", "-subj", "/UID=pass.test/OU=TEAM123456/CN=Pass");
  const above = ["-CA", "wwdr.pem", "-CAkey", "wwdr.key", "-CAcreateserial"];
  openssl("x509", "-req", "-in", "pass.csr", ...above, "-days", "30", "-out", "pass.pem");
  return {
    APPLE_WALLET_PASS_TYPE: "pass.test",
    APPLE_WALLET_TEAM: "TEAM123456",
    APPLE_WALLET_CERTIFICATE: readFileSync(join(folder, "pass.pem"), "base64"),
    APPLE_WALLET_KEY: readFileSync(join(folder, "pass.key"), "utf8").replaceAll("\n", "\\n"),
    APPLE_WALLET_WWDR: readFileSync(join(folder, "wwdr.pem"), "utf8"),
  };
}

/** A zip without compression, as passes have it: the files by name. */
function unzipped(zip: Buffer): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (let from = 0; zip.readUInt32LE(from) === 0x04034b50;) {
    assert.equal(zip.readUInt16LE(from + 8), 0, "stored");
    const size = zip.readUInt32LE(from + 18);
    const nameEnd = from + 30 + zip.readUInt16LE(from + 26);
    const begin = nameEnd + zip.readUInt16LE(from + 28);
    const name = zip.toString("utf8", from + 30, nameEnd);
    const bytes = zip.subarray(begin, begin + size);
    assert.equal(crc32(bytes), zip.readUInt32LE(from + 14), `${name} is whole`);
    files.set(name, bytes);
    from = begin + size;
  }
  return files;
}
