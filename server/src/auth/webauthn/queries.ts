// The SQL of public key credentials. Factors and passkeys share the browser's credentials, so one that is known to either may
// not be registered again.
import type { Executor } from "../../postgres/executor.ts";
import type { StoredCredential } from "./credentials.ts";

export interface KnownCredential {
  readonly id: string;
  readonly transports: readonly string[];
}

/** The security keys that are a user's second factors. */
export async function findFactorCredentials(tx: Executor, userId: string): Promise<KnownCredential[]> {
  const { rows } = await tx.query<KnownCredential>(
    `select web_authn_credential ->> 'id' as id, web_authn_credential -> 'transport' as transports
     from auth.mfa_factors where user_id = $1 and web_authn_credential is not null and status = 'verified'`,
    [userId],
  );
  return rows;
}

/** Whether the credential is already registered, as a factor or as a passkey. */
export async function isCredentialKnown(
  tx: Executor,
  { id }: Pick<StoredCredential, "id">,
): Promise<boolean> {
  const { rows } = await tx.query<{ known: boolean }>(
    `select exists (select from auth.webauthn_credentials where credential_id = $1)
       or exists (select from auth.mfa_factors where web_authn_credential ->> 'id' = $2) as known`,
    [Buffer.from(id, "base64url"), id],
  );
  return rows[0]!.known;
}
