// Setting up a second factor. It counts once it is verified; until then nobody is asked for it.
import { randomUUID } from "node:crypto";
import { MAX_CREDENTIAL_NAME } from "contract/credentials";
import type { Executor } from "../../postgres/executor.ts";
import { type Account, requireAgain, requireNamedAccount } from "../account/require-account.ts";
import { audit } from "../audit.ts";
import { refuse } from "../errors.ts";
import { parsePhone } from "../http/requests.ts";
import type { AuthParts, AuthCaller } from "../parts.ts";
import type { FactorType } from "./methods.ts";
import {
  deleteExpiredFactors,
  deleteUnverifiedFactors,
  findFactors,
  insertFactor,
  type StoredFactor,
} from "./queries.ts";
import { newTotp, qrCodeOf } from "./totp.ts";

export interface Enrollment {
  readonly factor_type: string;
  readonly friendly_name: string;
  readonly issuer: string;
  readonly phone: string;
}

const ISSUER_LENGTH = 100;

/** Returns what the owner's app or screen needs to finish. */
export async function enrollFactor(parts: AuthParts, caller: AuthCaller, given: Enrollment) {
  const account = await requireSession(parts, caller);
  const { settings } = parts;
  if (given.friendly_name.length > MAX_CREDENTIAL_NAME) {
    throw refuse("validation_failed", `friendly_name must be ${MAX_CREDENTIAL_NAME} characters or less`);
  }
  switch (given.factor_type) {
    case "phone":
      if (!settings.MFA_PHONE_ENROLL_ENABLED) throw refuse("mfa_phone_enroll_not_enabled");
      return enrollPhone(parts, caller, account, given);
    case "totp":
      if (!settings.MFA_TOTP_ENROLL_ENABLED) throw refuse("mfa_totp_enroll_not_enabled");
      return enrollTotp(parts, caller, account, given);
    case "webauthn":
      if (!settings.MFA_WEB_AUTHN_ENROLL_ENABLED) throw refuse("mfa_webauthn_enroll_not_enabled");
      return { ...(await enroll(parts, caller, account, given, "webauthn")) };
    default:
      throw refuse("validation_failed", "factor_type needs to be totp, phone, or webauthn");
  }
}

/** The caller's account and session. A token signed by hand has no session that could be raised. */
export async function requireSession(
  parts: AuthParts,
  caller: AuthCaller,
): Promise<Account & { session: NonNullable<Account["session"]> }> {
  const { user, session } = await requireNamedAccount(parts, caller);
  if (!session) {
    throw refuse(
      "session_not_found",
      "A valid session and a registered user are required to enroll a factor",
    );
  }
  return { user, session };
}

async function enrollTotp(parts: AuthParts, caller: AuthCaller, account: SessionAccount, given: Enrollment) {
  const issuer = given.issuer.slice(0, ISSUER_LENGTH) || new URL(parts.siteUrl).host;
  const { secret, uri } = newTotp(issuer, account.user.email || account.user.phone || account.user.id);
  const id = randomUUID();
  const sealed = parts.atRest.seal(secret, id);
  const [factor, qr_code] = await Promise.all([
    enroll(parts, caller, account, given, "totp", { id, secret: sealed }),
    qrCodeOf(uri),
  ]);
  return { ...factor, totp: { qr_code, secret, uri } };
}

async function enrollPhone(parts: AuthParts, caller: AuthCaller, account: SessionAccount, given: Enrollment) {
  if (given.phone === "") throw refuse("validation_failed", "Phone number required to enroll Phone factor");
  const phone = parsePhone(given.phone);
  const factor = await enroll(parts, caller, account, given, "phone", { phone });
  return { ...factor, phone: given.phone };
}

export type SessionAccount = Awaited<ReturnType<typeof requireSession>>;

async function enroll(
  parts: AuthParts,
  caller: AuthCaller,
  account: SessionAccount,
  given: Enrollment,
  type: Exclude<FactorType, "recovery_code">,
  own: { id?: string; secret?: string; phone?: string } = {},
) {
  const { user, session } = account;
  const now = new Date(parts.clock.now());
  const id = own.id ?? randomUUID();
  const friendlyName = given.friendly_name;
  await parts.database.transaction(async (tx) => {
    await requireAgain(parts, tx, account);
    if (own.phone !== undefined) await dropUnverifiedPhone(tx, user.id, own.phone);
    await checkRoom(parts, tx, user.id, { friendlyName, isAal2: session.aal === "aal2" });
    await insertFactor(tx, { ...own, id, userId: user.id, type, friendlyName }, now);
    const traits = { factor_id: id, ...(type !== "totp" && { factor_type: type }) };
    await audit(parts, tx, caller, "factor_in_progress", user, traits);
  });
  return { id, type, friendly_name: friendlyName };
}

async function dropUnverifiedPhone(tx: Executor, userId: string, phone: string): Promise<void> {
  const factors = await findFactors(tx, userId);
  if (factors.some((factor) => factor.phone === phone && factor.status === "verified")) {
    throw refuse("mfa_verified_factor_exists");
  }
  await deleteUnverifiedFactors(tx, userId, phone);
}

/** Checks whether another factor of this name may be added. Returns the existing ones. */
export async function checkRoom(
  { settings, clock }: AuthParts,
  tx: Executor,
  userId: string,
  wanted: { friendlyName: string; isAal2: boolean },
): Promise<StoredFactor[]> {
  await deleteExpiredFactors(tx, userId, new Date(clock.now() - settings.MFA_FACTOR_EXPIRY_DURATION * 1000));
  const factors = await findFactors(tx, userId);
  const { friendlyName } = wanted;
  if (factors.some(({ friendly_name }) => (friendly_name ?? "") === friendlyName)) {
    const name = JSON.stringify(friendlyName);
    throw refuse(
      "mfa_factor_name_conflict",
      `A factor with the friendly name ${name} for this user already exists`,
    );
  }
  const verified = factors.filter(({ status }) => status === "verified").length;
  if (factors.length >= settings.MFA_MAX_ENROLLED_FACTORS || verified >= settings.MFA_MAX_VERIFIED_FACTORS) {
    throw refuse("too_many_enrolled_mfa_factors");
  }
  if (verified > 0 && !wanted.isAal2) {
    throw refuse("insufficient_aal", "AAL2 required to enroll a new factor", { status: 403 });
  }
  return factors;
}
