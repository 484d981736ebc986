import { formatMoment } from "#lib/format.ts";
import { getSupabase } from "#lib/api/supabase.ts";
import { Badge } from "#ui/basics/badge.tsx";
import { Button } from "#ui/basics/button.tsx";
import { deviceName } from "./device-name.ts";
import { Panel, Row, WhenRead } from "./panel.tsx";
import { type OpenSession, useChange, useSessions } from "./queries.ts";

export function SessionsPanel({ userId }: { userId: string }) {
  const read = useSessions(userId);
  const endOthers = useChange(
    userId,
    { done: "Signed out everywhere else", failed: "The other sessions were not ended" },
    async () => (await getSupabase()).auth.signOut({ scope: "others" }),
  );
  return (
    <Panel
      title="Where You Are Signed In"
      lead="If you don't recognize one of these, sign it out and change your password."
    >
      <WhenRead read={read} what="sessions">
        {(sessions) => (
          <>
            <ul>
              {sessions.map((session) => (
                <SessionRow key={session.id} userId={userId} session={session} />
              ))}
            </ul>
            {sessions.length > 1 && (
              <Button
                className="mt-4"
                variant="secondary"
                busy={endOthers.isPending}
                onClick={() => endOthers.mutate()}
              >
                Sign Out Everywhere Else
              </Button>
            )}
          </>
        )}
      </WhenRead>
    </Panel>
  );
}

/** A session in use is renewed about once an hour. The server has no finer record of its use. */
function timesOf({ is_this, created_at, last_seen_at }: OpenSession): string {
  const signedIn = `Signed in ${formatMoment(created_at)}`;
  if (is_this) return `${signedIn} · active now`;
  const isRenewed = Date.parse(last_seen_at) > Date.parse(created_at);
  return isRenewed ? `${signedIn} · last active ${formatMoment(last_seen_at)} or later` : signedIn;
}

function SessionRow({ userId, session }: { userId: string; session: OpenSession }) {
  const name = deviceName(session.user_agent);
  const end = useChange(userId, { done: "Signed out", failed: "The session was not ended" }, async () =>
    (await getSupabase()).rpc("end_my_session", { p_session_id: session.id }),
  );
  const from = session.address ? ` · from ${session.address}` : "";
  return (
    <Row
      title={
        <>
          {name} {session.is_this && <Badge tone="success">This device</Badge>}
        </>
      }
      detail={`${timesOf(session)}${from}`}
    >
      {!session.is_this && (
        <Button
          size="small"
          variant="secondary"
          busy={end.isPending}
          onClick={() => end.mutate()}
          aria-label={`Sign Out: ${name}`}
        >
          Sign Out
        </Button>
      )}
    </Row>
  );
}
