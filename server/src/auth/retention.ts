// What auth forgets: rows that decide nothing any more, some of each kind at a time, so that no run holds many locks.
import type { Executor } from "../postgres/executor.ts";
import { forgetStates } from "./federation/queries.ts";
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
  await tx.query(
    `delete from auth.sessions where id in (select id from auth.sessions
       where coalesce(refreshed_at at time zone 'UTC', created_at) < $1 or created_at < $2 or not_after < $3 limit $4)`,
    [idle === 0 ? null : endedBy(idle), longest === undefined ? null : endedBy(longest), endedBy(0), most],
  );
  // The token before the one in use may still be sent, if the answer to it was lost.
  await tx.query(
    `delete from auth.refresh_tokens where id in (select id from auth.refresh_tokens t
       where revoked and updated_at < $1
         and not exists (select from auth.refresh_tokens n where n.parent = t.token and not n.revoked) limit $2)`,
    [daysAgo(USED_TOKEN_DAYS), most],
  );
  await forgetStates(tx, daysAgo(1), most);
  await tx.query(
    `delete from auth.audit_log_entries
     where id in (select id from auth.audit_log_entries where created_at < $1 limit $2)`,
    [daysAgo(AUDIT_DAYS), most],
  );
  await tx.query(
    `delete from auth.users where id in (select id from auth.users
       where confirmed_at is null and last_sign_in_at is null and not is_anonymous and deleted_at is null
         and greatest(created_at, confirmation_sent_at, invited_at) < $1 limit $2)`,
    [daysAgo(UNCONFIRMED_DAYS), most],
  );
  await tx.query(
    `delete from auth.mfa_challenges where id in (select id from auth.mfa_challenges where created_at < $1 limit $2)`,
    [daysAgo(CHALLENGE_DAYS), most],
  );
  await tx.query(
    `delete from auth.webauthn_challenges
     where id in (select id from auth.webauthn_challenges where expires_at < $1 limit $2)`,
    [daysAgo(CHALLENGE_DAYS), most],
  );
}
