// The certificate for the operator's SAML key. SAML trusts the exchanged key, not who vouches for it, so the server signs
// one itself, as GoTrue does, and always produces the same one. Node can read certificates but not create them, hence DER by
// hand.
import { createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";

export interface SamlKey {
  /** PEM. */
  readonly privateKey: string;
  readonly certificate: string;
}

const der = (tag: number, ...contents: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(contents);
  const size = [];
  for (let left = body.length; left > 0; left >>= 8) size.unshift(left & 0xff);
  const length = body.length < 128 ? [body.length] : [0x80 | size.length, ...size];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};

const SEQUENCE = 0x30;
/** sha256WithRSAEncryption, with its null parameters. */
const ALGORITHM = der(SEQUENCE, Buffer.from("06092a864886f70d01010b0500", "hex"));
const COMMON_NAME = Buffer.from("0603550403", "hex");
/** Valid for 200 years from 1970: whoever trusts the key decides when to stop. */
const VALIDITY = der(
  SEQUENCE,
  der(0x17, Buffer.from("700101000000Z")),
  der(0x18, Buffer.from("21700101000000Z")),
);

/**
 * GOTRUE_SAML_PRIVATE_KEY: an RSA key, as base64 of PKCS#1 or PKCS#8, or as PEM.
 * @throws Error that names the problem.
 */
export function readSamlKey(given: string, host: string): SamlKey {
  const key = parseKey(given.trim());
  if (key.asymmetricKeyType !== "rsa") throw new Error("must be an RSA key");
  if ((key.asymmetricKeyDetails?.modulusLength ?? 0) < 2048) throw new Error("must have at least 2048 bits");
  const name = der(SEQUENCE, der(0x31, der(SEQUENCE, COMMON_NAME, der(0x0c, Buffer.from(`SAML ${host}`)))));
  const publicKey = createPublicKey(key).export({ type: "spki", format: "der" });
  const version = der(0xa0, der(0x02, Buffer.from([2])));
  const serial = der(0x02, Buffer.from([1]));
  const body = der(SEQUENCE, version, serial, ALGORITHM, name, VALIDITY, name, publicKey);
  const signature = der(0x03, Buffer.from([0]), sign("sha256", body, key));
  const certificate = der(SEQUENCE, body, ALGORITHM, signature)
    .toString("base64")
    .match(/.{1,64}/g)!;
  return {
    privateKey: key.export({ type: "pkcs8", format: "pem" }) as string,
    certificate: `-----BEGIN CERTIFICATE-----\n${certificate.join("\n")}\n-----END CERTIFICATE-----\n`,
  };
}

function parseKey(given: string): KeyObject {
  if (given.startsWith("-----BEGIN")) return createPrivateKey(given.replaceAll("\\n", "\n"));
  const bytes = Buffer.from(given, "base64");
  for (const type of ["pkcs1", "pkcs8"] as const) {
    try {
      return createPrivateKey({ key: bytes, format: "der", type });
    } catch {
      // Try the other form.
    }
  }
  throw new Error("must be an RSA key in PEM, or the base64 of its PKCS#1 or PKCS#8 form");
}
