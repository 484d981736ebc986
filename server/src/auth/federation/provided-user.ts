// What a provider says about a person, in GoTrue's shape: the addresses, and the claims that become identity_data and
// user_metadata.
import { MAX_METADATA_BYTES, metadataBytes } from "../account/metadata.ts";
import { refuse } from "../errors.ts";
import { providedEmail } from "../http/requests.ts";

interface ProvidedEmail {
  readonly email: string;
  readonly verified: boolean;
  readonly primary: boolean;
}

/** GoTrue's provider.Claims. Empty members are left out, except for the two flags. */
interface ProvidedClaims {
  readonly iss?: string | undefined;
  readonly sub: string;
  readonly name?: string | undefined;
  readonly family_name?: string | undefined;
  readonly given_name?: string | undefined;
  readonly middle_name?: string | undefined;
  readonly nickname?: string | undefined;
  readonly preferred_username?: string | undefined;
  readonly profile?: string | undefined;
  readonly picture?: string | undefined;
  readonly website?: string | undefined;
  readonly gender?: string | undefined;
  readonly birthdate?: string | undefined;
  readonly zoneinfo?: string | undefined;
  readonly locale?: string | undefined;
  readonly updated_at?: string | undefined;
  readonly email?: string | undefined;
  readonly email_verified?: boolean;
  readonly phone?: string | undefined;
  readonly phone_verified?: boolean;
  readonly custom_claims?: Readonly<Record<string, unknown>> | undefined;
  readonly full_name?: string | undefined;
  readonly avatar_url?: string | undefined;
  readonly slug?: string | undefined;
  readonly provider_id?: string | undefined;
  readonly user_name?: string | undefined;
}

export interface ProvidedUser {
  readonly emails: readonly ProvidedEmail[];
  readonly claims: ProvidedClaims;
}

/** OpenID Connect allows 255 characters, SAML 256. */
const MAX_SUBJECT = 256;

/**
 * The same person with addresses in the stored form. Refuses a person without a subject, since the next one without would be
 * mistaken for them; text that cannot be stored; and an invalid address, since mail to it might go elsewhere.
 */
export function checkedUser({ emails, claims }: ProvidedUser): ProvidedUser {
  const { sub } = claims;
  if (typeof sub !== "string" || sub === "" || sub.length > MAX_SUBJECT)
    throw refuse("validation_failed", "The provider did not identify the user");
  if (!isStorable(claims))
    throw refuse("validation_failed", "Text contains a character that cannot be stored");
  return { claims, emails: emails.map((one) => ({ ...one, email: providedEmail(one.email.trim()) })) };
}

/** PostgreSQL stores neither NUL nor half a surrogate pair. */
function isStorable(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed() && !value.includes("\0");
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([name, member]) => isStorable(name) && isStorable(member));
}

/** Claims that are kept however long the others are. */
const LASTING: ReadonlySet<string> = new Set(["sub", "email", "email_verified", "phone_verified"]);

/** Drops the longest claims until the rest fits into a token. */
function bounded(data: Record<string, unknown>): Record<string, unknown> {
  const kept = Object.entries(data).toSorted(
    ([, one], [, other]) => metadataBytes(one) - metadataBytes(other),
  );
  const size = () => metadataBytes(Object.fromEntries(kept));
  while (size() > MAX_METADATA_BYTES) {
    const longest = kept.findLastIndex(([name]) => !LASTING.has(name));
    if (longest === -1) break;
    kept.splice(longest, 1);
  }
  const names = new Set(kept.map(([name]) => name));
  return Object.fromEntries(Object.entries(data).filter(([name]) => names.has(name)));
}

/** The claims as stored: with the primary address, and without anything empty or too long. */
export function identityDataOf({ emails, claims }: ProvidedUser): Record<string, unknown> {
  const counts = emails.find(({ primary }) => primary) ?? emails.at(-1);
  const all = {
    ...claims,
    email: counts?.email ?? "",
    email_verified: counts?.verified ?? false,
    phone_verified: claims.phone_verified ?? false,
  };
  const said = Object.entries(all).filter(
    ([, value]) => value !== undefined && value !== "" && !isEmptyObject(value),
  );
  return bounded(Object.fromEntries(said));
}

const isEmptyObject = (value: unknown) =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;

/** What a provider says of a person. */
export type Claims = Readonly<Record<string, unknown>>;

/** A provider's JSON may be anything. */
export const isClaims = (answer: unknown): answer is Claims => typeof answer === "object" && answer !== null;

/** A claim that has to be text; anything else counts as missing. */
export const textIn = (claims: Claims, name: string): string | undefined => {
  const value = claims[name];
  return typeof value === "string" && value !== "" ? value : undefined;
};

/** Some providers write their flags as text. */
export const flagIn = (claims: Claims, name: string): boolean =>
  claims[name] === true || claims[name] === "true";
