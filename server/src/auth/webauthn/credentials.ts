// A public key credential as stored: no secret, only what is needed to check a signature and detect a copied key.
import type { WebAuthnCredential } from "@simplewebauthn/server";

/** With the member names of GoTrue's `web_authn_credential`. Bytes are base64url. */
export interface StoredCredential {
  readonly id: string;
  readonly publicKey: string;
  readonly attestationType: string;
  readonly transport: readonly string[];
  readonly flags: { readonly backupEligible: boolean; readonly backupState: boolean };
  readonly authenticator: { readonly signCount: number };
  readonly aaguid: string | null;
}

export interface UsedCredential {
  readonly signCount: number;
  readonly backedUp: boolean;
}

export const nextCredential = (stored: StoredCredential, used: UsedCredential): StoredCredential => ({
  ...stored,
  flags: { ...stored.flags, backupState: used.backedUp },
  authenticator: { signCount: used.signCount },
});

export const checkable = (stored: StoredCredential): WebAuthnCredential => ({
  id: stored.id,
  publicKey: new Uint8Array(Buffer.from(stored.publicKey, "base64url")),
  counter: stored.authenticator.signCount,
  transports: [...stored.transport],
});
