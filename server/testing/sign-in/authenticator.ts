// An authenticator for tests without a browser: creates keys, signs with them, and answers as navigator.credentials
// would.
import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";
import { isoCBOR } from "@simplewebauthn/server/helpers";

interface Creation {
  readonly challenge: string;
  readonly user: { readonly id: string };
  readonly rp: { readonly id?: string };
}

interface Request {
  readonly challenge: string;
  readonly rpId?: string;
}

export interface Behavior {
  /** The requesting page's origin. */
  readonly origin?: string;
  readonly rpId?: string;
  /** False: somebody touched it, but was not identified. */
  readonly verifiesUser?: boolean;
  /** The signature counter, to simulate a copied key. */
  readonly counter?: number;
  readonly userHandle?: string;
}

const sha256 = (data: string | Buffer) => createHash("sha256").update(data).digest();
const base64url = (data: Buffer | string) => Buffer.from(data).toString("base64url");

export class Authenticator {
  readonly id = randomBytes(32);
  readonly #key: KeyObject;
  readonly #publicKey: KeyObject;
  readonly #origin: string;
  #userHandle = "";
  #counter = 0;

  constructor(origin: string) {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    this.#key = privateKey;
    this.#publicKey = publicKey;
    this.#origin = origin;
  }

  /** The result of navigator.credentials.create. */
  create(options: Creation, behavior: Behavior = {}) {
    this.#userHandle = options.user.id;
    const { x, y } = this.#publicKey.export({ format: "jwk" });
    const cose = new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, new Uint8Array(Buffer.from(x!, "base64url"))],
      [-3, new Uint8Array(Buffer.from(y!, "base64url"))],
    ]);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.id.length);
    const attested = Buffer.concat([Buffer.alloc(16), length, this.id, isoCBOR.encode(cose)]);
    const authData = this.#authData(behavior.rpId ?? options.rp.id ?? "", behavior, attested);
    const attestation = isoCBOR.encode(
      new Map<string, unknown>([
        ["fmt", "none"],
        ["attStmt", new Map()],
        ["authData", new Uint8Array(authData)],
      ]) as never,
    );
    return this.#credential({
      clientDataJSON: this.#clientData("webauthn.create", options.challenge, behavior),
      attestationObject: base64url(Buffer.from(attestation)),
      transports: ["internal"],
    });
  }

  /** The result of navigator.credentials.get. */
  get(options: Request, behavior: Behavior = {}) {
    this.#counter++;
    const authData = this.#authData(behavior.rpId ?? options.rpId ?? "", behavior);
    const clientDataJSON = this.#clientData("webauthn.get", options.challenge, behavior);
    const signed = Buffer.concat([authData, sha256(Buffer.from(clientDataJSON, "base64url"))]);
    return this.#credential({
      clientDataJSON,
      authenticatorData: base64url(authData),
      signature: createSign("sha256").update(signed).sign(this.#key).toString("base64url"),
      userHandle: behavior.userHandle ?? this.#userHandle,
    });
  }

  #authData(rpId: string, { verifiesUser = true, counter }: Behavior, attested?: Buffer): Buffer {
    const flags = 0x01 | (verifiesUser ? 0x04 : 0) | (attested ? 0x40 : 0);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter ?? this.#counter);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), count, ...(attested ? [attested] : [])]);
  }

  #clientData(type: string, challenge: string, { origin = this.#origin }: Behavior): string {
    return base64url(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  }

  #credential<Response>(response: Response) {
    const id = base64url(this.id);
    return {
      id,
      rawId: id,
      type: "public-key",
      authenticatorAttachment: "platform",
      clientExtensionResults: {},
      response,
    };
  }
}
