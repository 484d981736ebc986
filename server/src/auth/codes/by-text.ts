// A code by text message instead of a password.
import { randomUUID } from "node:crypto";
import type { Executor } from "../../postgres/executor.ts";
import { findUserByPhone, type UserRow } from "../account/queries.ts";
import { phoneIdentityData } from "../account/user-view.ts";
import { audit } from "../audit.ts";
import { refuse } from "../errors.ts";
import { parsePhone } from "../http/requests.ts";
import { checkTextInterval } from "../limits/send-limits.ts";
import type { AuthParts, AuthCaller } from "../parts.ts";
import { keepCodeSignUp, newCodeAccount } from "./new-account.ts";
import { prepareText } from "../texts/codes.ts";
import { parseChannel, requirePhones } from "../texts/phone.ts";

export interface TextCode {
  readonly phone: string;
  readonly channel: string;
  readonly create_user: boolean;
  readonly data?: Record<string, unknown> | undefined;
}

/** Like mailCode, by text message. */
export async function textCode(parts: AuthParts, caller: AuthCaller, given: TextCode): Promise<void> {
  requirePhones(parts, "Unsupported phone provider");
  const channel = parseChannel(parts, given.channel);
  const phone = parsePhone(given.phone);
  const metadata = given.data ?? {};
  const now = new Date(parts.clock.now());
  await parts.evenly(() =>
    parts.database.transaction(async (tx) => {
      await checkTextInterval(parts, tx, "sms", phone, caller);
      const known = await findUserByPhone(tx, phone, "for update");
      if (!known && !given.create_user) throw refuse("otp_disabled");
      const user = known ?? (await newUser(parts, tx, caller, phone, metadata, now));
      const isSignUp = !user.phone_confirmed_at;
      const action = isSignUp ? "user_confirmation_requested" : "user_recovery_requested";
      await audit(parts, tx, caller, action, user, { channel });
      const options = { kind: "sms", phone, channel } as const;
      const { stored: tokenHash } = await prepareText(parts, tx, user, options);
      if (isSignUp) await keepCodeSignUp(tx, user, { isNew: !known, tokenHash, metadata }, now);
    }),
  );
  parts.outbox.poke();
}

function newUser(
  parts: AuthParts,
  tx: Executor,
  caller: AuthCaller,
  phone: string,
  metadata: Record<string, unknown>,
  now: Date,
): Promise<UserRow> {
  const id = randomUUID();
  const isConfirmed = parts.settings.SMS_AUTOCONFIRM;
  const account = {
    ...{ id, phone, metadata, phoneConfirmedAt: isConfirmed ? now : null },
    provider: "phone",
    identity: phoneIdentityData(id, phone, isConfirmed),
    find: () => findUserByPhone(tx, phone, "for update"),
  } as const;
  return newCodeAccount(parts, tx, caller, account, now);
}
