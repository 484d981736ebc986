// A user as clients see it: GoTrue's JSON, which leaves out unset members. Never contains the password hash or a token.
import { randomUUID } from "node:crypto";
import type { AuthSettings } from "../settings/settings.ts";
import type { FactorRow, IdentityRow, UserRow } from "./queries.ts";

export interface UserView {
  readonly id: string;
  readonly email: string;
  readonly [member: string]: unknown;
}

export function userView(user: UserRow): UserView {
  return {
    id: user.id,
    aud: user.aud,
    role: user.role,
    email: user.email ?? "",
    ...given("email_confirmed_at", user.email_confirmed_at),
    ...given("invited_at", user.invited_at),
    phone: user.phone ?? "",
    ...given("phone_confirmed_at", user.phone_confirmed_at),
    ...given("confirmation_sent_at", user.confirmation_sent_at),
    ...given("confirmed_at", user.confirmed_at),
    ...given("recovery_sent_at", user.recovery_sent_at),
    ...given("new_email", user.email_change === "" ? null : user.email_change),
    ...given("email_change_sent_at", user.email_change_sent_at),
    ...given("new_phone", user.phone_change === "" ? null : user.phone_change),
    ...given("phone_change_sent_at", user.phone_change_sent_at),
    ...given("reauthentication_sent_at", user.reauthentication_sent_at),
    ...given("last_sign_in_at", user.last_sign_in_at),
    app_metadata: user.raw_app_meta_data ?? {},
    user_metadata: user.raw_user_meta_data ?? {},
    ...(user.factors.length > 0 && { factors: user.factors.map(factorView) }),
    identities: user.identities.map(identityView),
    created_at: user.created_at,
    updated_at: user.updated_at,
    ...given("banned_until", user.banned_until),
    ...given("deleted_at", user.deleted_at),
    is_anonymous: user.is_anonymous,
  };
}

const given = (name: string, value: unknown) => (value === null ? {} : { [name]: value });

const identityView = (identity: IdentityRow) => ({
  identity_id: identity.id,
  id: identity.provider_id,
  user_id: identity.user_id,
  identity_data: identity.identity_data,
  provider: identity.provider,
  ...given("last_sign_in_at", identity.last_sign_in_at && isoTime(identity.last_sign_in_at)),
  created_at: isoTime(identity.created_at),
  updated_at: isoTime(identity.updated_at),
  ...given("email", identity.email),
});

/** As GoTrue shows a factor to its owner and to administrators. */
export const factorView = (factor: FactorRow) => ({
  id: factor.id,
  created_at: isoTime(factor.created_at),
  updated_at: isoTime(factor.updated_at),
  status: factor.status,
  ...given("friendly_name", factor.friendly_name === "" ? null : factor.friendly_name),
  factor_type: factor.factor_type,
  ...given("phone", factor.phone),
  ...given("last_challenged_at", factor.last_challenged_at && isoTime(factor.last_challenged_at)),
});

/** PostgreSQL's JSON writes `+00:00`, everything else here `Z`. */
const isoTime = (time: string) => new Date(time).toISOString();

/** What user metadata and the email identity say about the address. */
export const identityData = (id: string, email: string, verified: boolean) => ({
  sub: id,
  email,
  email_verified: verified,
  phone_verified: false,
});

export const phoneIdentityData = (id: string, phone: string, verified: boolean) => ({
  sub: id,
  phone,
  phone_verified: verified,
  email_verified: false,
});

/** The answer to every sign-up, built only from what was sent, so that it cannot reveal whether the user existed before. */
export function signedUpUser(
  id: string,
  { provider, address }: { readonly provider: "email" | "phone"; readonly address: string },
  metadata: Record<string, unknown>,
  { JWT_AUD: aud, JWT_DEFAULT_GROUP_NAME: role }: AuthSettings,
  now: Date,
): UserView {
  const isMail = provider === "email";
  const email = isMail ? address : null;
  const data = isMail ? identityData(id, address, false) : phoneIdentityData(id, address, false);
  const at = now.toISOString();
  const identity = { provider_id: id, user_id: id, identity_data: data, provider, email };
  const times = { last_sign_in_at: at, created_at: at, updated_at: at };
  return {
    id,
    aud,
    role,
    email: email ?? "",
    phone: isMail ? "" : address,
    confirmation_sent_at: now,
    app_metadata: { provider, providers: [provider] },
    user_metadata: { ...metadata, ...data },
    identities: [identityView({ id: randomUUID(), ...identity, ...times })],
    created_at: now,
    updated_at: now,
    is_anonymous: false,
  };
}
