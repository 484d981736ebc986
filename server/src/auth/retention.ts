// What auth forgets: rows that decide nothing any more, some of each kind at a time, so that no run holds many locks.
import type { Executor } from "../postgres/executor.ts";
import { forgetAuditEntries, forgetUnconfirmed } from "./account/queries.ts";
import { forgetChallenges } from "./factors/queries.ts";
import { forgetStates } from "./federation/queries.ts";
import { forgetCeremonies } from "./passkeys/queries.ts";
import { forgetSessions, forgetUsedTokens } from "./sessions/queries.ts";
import type { AuthSettings } from "./settings/settings.ts";

export const FORGETS_EVERY_MS = 600_000;
const MOST_ROWS = 5_000;
const DAY_MS = 86_400_000;
/** Until then a refresh says why its session ended. */
const ENDED_SESSION_DAYS = 7;
/** Until then a used token that is sent again ends its session: it may be stolen. */
const USED_TOKEN_DAYS = 30;
const UNCONFIRMED_DAYS = 30;
const AUDIT_DAYS = 365;
/** Far longer than one may be answered. */
const CHALLENGE_DAYS = 1;

type Limits = Pick<AuthSettings, "SESSIONS_INACTIVITY_TIMEOUT" | "SESSIONS_TIMEBOX">;

export async function forgetOldRows(tx: Executor, settings: Limits, now: number, most = MOST_ROWS) {
  const daysAgo = (days: number) => new Date(now - days * DAY_MS);
  const endedBy = (seconds: number) => new Date(now - seconds * 1000 - ENDED_SESSION_DAYS * DAY_MS);
  const { SESSIONS_INACTIVITY_TIMEOUT: idle, SESSIONS_TIMEBOX: longest } = settings;
  const ends = {
    idleBefore: idle === 0 ? null : endedBy(idle),
    begunBefore: longest === undefined ? null : endedBy(longest),
    overBefore: endedBy(0),
  };
  await forgetSessions(tx, ends, most);
  await forgetUsedTokens(tx, daysAgo(USED_TOKEN_DAYS), most);
  await forgetStates(tx, daysAgo(1), most);
  await forgetAuditEntries(tx, daysAgo(AUDIT_DAYS), most);
  await forgetUnconfirmed(tx, daysAgo(UNCONFIRMED_DAYS), most);
  await forgetChallenges(tx, daysAgo(CHALLENGE_DAYS), most);
  await forgetCeremonies(tx, daysAgo(CHALLENGE_DAYS), most);
}
