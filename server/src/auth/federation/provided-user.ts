// What a provider says of a person, in GoTrue's shape: the addresses it knows, and the claims that become identity_data and
// user_metadata.

export interface ProvidedEmail {
  readonly email: string;
  readonly verified: boolean;
  readonly primary: boolean;
}

/** GoTrue's provider.Claims. Empty members are left out, but for the two flags. */
export interface ProvidedClaims {
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

/** The claims as they are stored: with the address that counts, and nothing that is empty. */
export function identityDataOf({ emails, claims }: ProvidedUser): Record<string, unknown> {
  const counts = emails.find(({ primary }) => primary) ?? emails.at(-1);
  const all = {
    ...claims,
    email: counts?.email.toLowerCase() ?? "",
    email_verified: counts?.verified ?? false,
    phone_verified: claims.phone_verified ?? false,
  };
  return Object.fromEntries(
    Object.entries(all).filter(([, value]) => value !== undefined && value !== "" && !isEmptyObject(value)),
  );
}

const isEmptyObject = (value: unknown) =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;

/** A claim that has to be text; anything else counts as missing. */
export const textIn = (claims: Readonly<Record<string, unknown>>, name: string): string | undefined => {
  const value = claims[name];
  return typeof value === "string" && value !== "" ? value : undefined;
};

/** Some providers write their flags as text. */
export const flagIn = (claims: Readonly<Record<string, unknown>>, name: string): boolean =>
  claims[name] === true || claims[name] === "true";
