// WebAuthn with @simplewebauthn/server, for security keys and passkeys: the options for the browser, and the checks of its
// answer. Origin and relying party are the site's, whatever a caller claims. The library loads on first use.
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import { z } from "zod";
import type { UserRow } from "../account/queries.ts";
import type { AuthParts } from "../parts.ts";
import { checkable, type StoredCredential, type UsedCredential } from "./credentials.ts";

export interface RelyingParty {
  readonly id: string;
  readonly name: string;
  readonly origins: readonly string[];
}

const library = () => import("@simplewebauthn/server");

/** How the browser reaches the authenticator. This is only its own hint, so an invalid value is dropped, not refused. */
const transports = z.array(z.string().max(32)).max(10).catch([]);

/** As long as the server remembers the challenge. */
const TIMEOUT_MS = 300_000;
/** EdDSA, ES256 and RS256. */
const ALGORITHMS = [-8, -7, -257];

export function relyingParty({
  settings,
  brand,
  siteUrl,
}: Pick<AuthParts, "settings" | "brand" | "siteUrl">): RelyingParty {
  const site = new URL(siteUrl);
  return {
    id: settings.WEBAUTHN_RP_ID || site.hostname,
    name: settings.WEBAUTHN_RP_DISPLAY_NAME || brand.name,
    origins: settings.WEBAUTHN_RP_ORIGINS.length > 0 ? settings.WEBAUTHN_RP_ORIGINS : [site.origin],
  };
}

type Verification = "required" | "preferred";

/** For navigator.credentials.create. The device must find a passkey on its own, without a name typed first. */
export async function creationOptions(
  party: RelyingParty,
  user: UserRow,
  known: readonly { id: string; transports: readonly string[] }[],
  wanted: { userVerification: Verification; isPasskey?: boolean },
) {
  const { generateRegistrationOptions } = await library();
  const name = user.email || user.phone || user.id;
  return generateRegistrationOptions({
    rpName: party.name,
    rpID: party.id,
    userName: name,
    userDisplayName: name,
    userID: new TextEncoder().encode(user.id),
    timeout: TIMEOUT_MS,
    attestationType: "none",
    excludeCredentials: known.map(({ id, transports }) => ({ id, transports: [...transports] })),
    authenticatorSelection: {
      residentKey: wanted.isPasskey ? "required" : "discouraged",
      requireResidentKey: wanted.isPasskey ?? false,
      userVerification: wanted.userVerification,
    },
    supportedAlgorithmIDs: ALGORITHMS,
  });
}

/** For navigator.credentials.get. Without `known`, the user chooses among the passkeys on their device. */
export async function requestOptions(
  party: RelyingParty,
  known: readonly { id: string; transports: readonly string[] }[] | undefined,
  userVerification: Verification,
) {
  const { generateAuthenticationOptions } = await library();
  return generateAuthenticationOptions({
    rpID: party.id,
    timeout: TIMEOUT_MS,
    userVerification,
    ...(known && {
      allowCredentials: known.map(({ id, transports }) => ({ id, transports: [...transports] })),
    }),
  });
}

interface Ceremony {
  readonly challenge: string;
  /** As sent by the browser. */
  readonly response: unknown;
  readonly verifiesUser: boolean;
}

/** The new credential; undefined when the answer does not match the challenge, origin or relying party. */
export async function checkCreation(
  party: RelyingParty,
  ceremony: Ceremony,
): Promise<StoredCredential | undefined> {
  const { verifyRegistrationResponse } = await library();
  const { verified, registrationInfo: made } = await verifyRegistrationResponse({
    response: ceremony.response as RegistrationResponseJSON,
    expectedChallenge: ceremony.challenge,
    expectedOrigin: [...party.origins],
    expectedRPID: party.id,
    requireUserVerification: ceremony.verifiesUser,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(() => ({ verified: false, registrationInfo: undefined }));
  if (!verified || !made) return undefined;
  return {
    id: made.credential.id,
    publicKey: Buffer.from(made.credential.publicKey).toString("base64url"),
    attestationType: made.fmt,
    transport: transports.parse(made.credential.transports),
    flags: {
      backupEligible: made.credentialDeviceType === "multiDevice",
      backupState: made.credentialBackedUp,
    },
    authenticator: { signCount: made.credential.counter },
    aaguid: made.aaguid || null,
  };
}

/** How using the credential changes it; undefined when the answer is wrong, also when its counter went back. */
export async function checkRequest(
  party: RelyingParty,
  stored: StoredCredential,
  ceremony: Ceremony,
): Promise<UsedCredential | undefined> {
  const { verifyAuthenticationResponse } = await library();
  const response = ceremony.response as AuthenticationResponseJSON;
  if (response.id !== stored.id) return undefined;
  const { verified, authenticationInfo: used } = await verifyAuthenticationResponse({
    response,
    expectedChallenge: ceremony.challenge,
    expectedOrigin: [...party.origins],
    expectedRPID: party.id,
    credential: checkable(stored),
    requireUserVerification: ceremony.verifiesUser,
  }).catch(() => ({ verified: false, authenticationInfo: undefined }));
  return verified && used ? { signCount: used.newCounter, backedUp: used.credentialBackedUp } : undefined;
}
