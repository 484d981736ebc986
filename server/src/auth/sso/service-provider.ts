// This server as SAML's service provider: its own metadata, its requests, and the validation of responses. node-saml verifies
// signatures and returns what was signed; the checks it leaves out are in assertion.ts.
import { generateServiceProviderMetadata, SAML } from "@node-saml/node-saml";
import type { AuthParts, AuthCaller } from "../parts.ts";
import type { IdpMetadata } from "./idp-metadata.ts";
import { readSamlKey, type SamlKey } from "./certificate.ts";

/** The clock skew allowed, and how long an assertion may take to arrive: crewjam/saml's numbers, which GoTrue uses. */
export const CLOCK_SKEW_MS = 180_000;
const LONGEST_DELAY_MS = 90_000;

export const EMAIL_FORMAT = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress";
export const PERSISTENT_FORMAT = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent";
export const TRANSIENT_FORMAT = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient";
export const UNSPECIFIED_FORMAT = "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified";

export interface ServiceProvider {
  /** The entity id is the address of its metadata. */
  readonly entityId: string;
  readonly acsUrl: string;
  readonly key: SamlKey;
}

let known: { for: string; provider: ServiceProvider } | undefined;

/** Addresses and key; the key is parsed once. */
export function serviceProvider({ settings }: AuthParts, { apiUrl }: AuthCaller): ServiceProvider {
  const base = (settings.SAML_EXTERNAL_URL || `${apiUrl}/auth/v1`).replace(/\/+$/, "");
  const description = `${base} ${settings.SAML_PRIVATE_KEY}`;
  if (known?.for === description) return known.provider;
  const provider = {
    entityId: `${base}/sso/saml/metadata`,
    acsUrl: `${base}/sso/saml/acs`,
    key: readSamlKey(settings.SAML_PRIVATE_KEY, new URL(base).host),
  };
  known = { for: description, provider };
  return provider;
}

export function ownMetadata(provider: ServiceProvider, takesEncrypted: boolean): string {
  return generateServiceProviderMetadata({
    issuer: provider.entityId,
    callbackUrl: provider.acsUrl,
    publicCerts: provider.key.certificate,
    privateKey: provider.key.privateKey,
    signatureAlgorithm: "sha256",
    identifierFormat: PERSISTENT_FORMAT,
    wantAssertionsSigned: true,
    // Always the same, so that the metadata can be compared and cached.
    generateUniqueId: () => "_server",
    ...(takesEncrypted && {
      decryptionPvk: provider.key.privateKey,
      decryptionCert: provider.key.certificate,
    }),
  });
}

export interface SamlRequest {
  readonly requestId: string;
  readonly nameIdFormat: string;
  readonly forceAuthn?: boolean;
}

/** The library, set up for one identity provider. */
export function samlWith(
  { settings }: AuthParts,
  own: ServiceProvider,
  idp: IdpMetadata,
  request?: SamlRequest,
): SAML {
  return new SAML({
    issuer: own.entityId,
    audience: own.entityId,
    callbackUrl: own.acsUrl,
    entryPoint: idp.signInUrl,
    idpCert: [...idp.certificates],
    idpIssuer: idp.entityId,
    privateKey: own.key.privateKey,
    signatureAlgorithm: "sha256",
    digestAlgorithm: "sha256",
    // One of the two signatures is always required; the identity provider chooses which.
    wantAssertionsSigned: false,
    wantAuthnResponseSigned: false,
    acceptedClockSkewMs: CLOCK_SKEW_MS,
    maxAssertionAgeMs: LONGEST_DELAY_MS,
    disableRequestedAuthnContext: true,
    identifierFormat: request?.nameIdFormat ?? PERSISTENT_FORMAT,
    ...(settings.SAML_ALLOW_ENCRYPTED_ASSERTIONS && { decryptionPvk: own.key.privateKey }),
    ...(request && { generateUniqueId: () => request.requestId }),
  });
}
