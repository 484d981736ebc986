// The shop's own secrets, kept beside the server's: what signs entry codes, the sandbox's keys, the first password.
import { generateKeyPairSync, type JsonWebKey } from "node:crypto";
import { keepSecrets, replaceSecrets, secretToken } from "../../server/src/platform/keys/secrets.ts";

export interface ShopSecrets {
  /** Ed25519 private key that signs entry codes. */
  readonly ticketKey: JsonWebKey;
  readonly sandbox: {
    readonly secretKey: string;
    readonly publishableKey: string;
    readonly webhookSecret: string;
  };
  /** The first administrator's, as long as it may be read; see forgetAdminPassword. */
  readonly adminPassword: string | null;
}

export const loadShopSecrets = (dataDir: string): ShopSecrets =>
  keepSecrets<ShopSecrets>(dataDir, {
    ticketKey: newTicketKey,
    sandbox: () => ({
      secretKey: `sk_test_sandbox_${secretToken(24)}`,
      publishableKey: `pk_test_sandbox_${secretToken(24)}`,
      webhookSecret: `whsec_${secretToken(24)}`,
    }),
    adminPassword: () => secretToken(12),
  });

/** Once it has been changed, or the shop sells for real, the generated password is kept nowhere. */
export function forgetAdminPassword(dataDir: string): void {
  if (loadShopSecrets(dataDir).adminPassword !== null) replaceSecrets(dataDir, { adminPassword: null });
}

/** Takes effect at the next start. The old public half is in `entry_keys`, so sold codes stay valid. */
export const rotateTicketKey = (dataDir: string): void =>
  replaceSecrets(dataDir, { ticketKey: newTicketKey() });

function newTicketKey(): JsonWebKey {
  return generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" });
}
