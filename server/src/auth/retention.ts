// What auth deletes: rows that no longer matter, a limited number of each kind at a time, so that no run holds many locks.
import type { Executor } from "../postgres/executor.ts";
import { forgetAuditEntries, forgetUnconfirmed } from "./account/queries.ts";
import { forgetChallenges } from "./factors/queries.ts";
import { forgetStates } from "./federation/queries.ts";
import { FORGOTTEN_AFTER_MS } from "./limits/back-off.ts";
import { forgetCounters } from "./limits/queries.ts";
import { forgetCeremonies } from "./passkeys/queries.ts";
import { forgetSessions, forgetUsedTokens } from "./sessions/queries.ts";
import type { AuthSettings } from "./settings/settings.ts";

export const FORGETS_EVERY_MS = 600_000;
const MOST_ROWS = 5_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Until then a refresh reports why its session ended. */
const ENDED_SESSION_DAYS = 7;
/** Until then, reusing a used token ends its session, since it may be stolen. */
const USED_TOKEN_DAYS = 30;
const UNCONFIRMED_DAYS = 30;
const AUDIT_DAYS = 365;
/** Far longer than a challenge may be answered. */
const CHALLENGE_DAYS = 1;

/** Returns whether there may be more to delete. */
export async function forgetOldRows(
  tx: Executor,
  settings: AuthSettings,
  now: number,
  most = MOST_ROWS,
): Promise<boolean> {
  const daysAgo = (days: number) => new Date(now - days * DAY_MS);
  const endedBy = (seconds: number) => new Date(now - seconds * 1000 - ENDED_SESSION_DAYS * DAY_MS);
  const { SESSIONS_INACTIVITY_TIMEOUT: idle, SESSIONS_TIMEBOX: longest } = settings;
  const ends = {
    idleBefore: idle === 0 ? null : endedBy(idle),
    begunBefore: longest === 0 ? null : endedBy(longest),
    overBefore: endedBy(0),
  };
  const longAgo = (least: number, ...seconds: readonly number[]) =>
    new Date(now - Math.max(least, ...seconds.map((each) => each * 1000)));
  // A sign-in's state, then its code; a link, then its code.
  const { EXTERNAL_FLOW_STATE_EXPIRY_DURATION: flow, MAILER_OTP_EXP } = settings;
  const states = { signIns: longAgo(DAY_MS, 2 * flow), links: longAgo(DAY_MS, MAILER_OTP_EXP + flow) };
  const { SMTP_MAX_FREQUENCY, SMS_MAX_FREQUENCY, MFA_PHONE_MAX_FREQUENCY } = settings;
  const counters = {
    failures: longAgo(FORGOTTEN_AFTER_MS),
    requests: longAgo(HOUR_MS, SMTP_MAX_FREQUENCY, SMS_MAX_FREQUENCY, MFA_PHONE_MAX_FREQUENCY),
  };
  const forgotten = [
    await forgetSessions(tx, ends, most),
    await forgetUsedTokens(tx, daysAgo(USED_TOKEN_DAYS), most),
    await forgetStates(tx, states, most),
    await forgetAuditEntries(tx, daysAgo(AUDIT_DAYS), most),
    await forgetUnconfirmed(tx, daysAgo(UNCONFIRMED_DAYS), most),
    await forgetChallenges(tx, daysAgo(CHALLENGE_DAYS), most),
    await forgetCeremonies(tx, daysAgo(CHALLENGE_DAYS), most),
    await forgetCounters(tx, counters, most),
  ];
  return forgotten.includes(most);
}
