import { Card } from "#ui/page/card.tsx";
import type { AuthMode } from "../auth-mode.ts";
import { type DeadLink, modeAfter, openedDeadLink } from "./dead-link.ts";

const GONE = "It was already used or has expired. Each link works once, for a limited time.";

const words: Readonly<Record<DeadLink, string>> = {
  recovery: `${GONE} Your password hasn't changed. Request a new link below.`,
  code: `${GONE} Request a new email below.`,
  invite: `${GONE} If your invitation is still open, sign in with a code by email instead.`,
  signup: `${GONE} Sign in with your password. If your address is not confirmed yet, you can then request a new link.`,
  email: `${GONE} Sign in to see your account's address. If it is still the old one, start the change again there.`,
};

/** For visitors whose link no longer works. Stays, also over a reload, until they request another mail or sign in. */
export function DeadLinkNote({ mode }: { mode: AuthMode }) {
  const link = openedDeadLink();
  if (!link || modeAfter[link] !== mode) return null;
  return (
    <Card tone="warning" padding="small" role="status">
      <strong className="display block text-heading">Link Not Accepted</strong>
      <span className="mt-2 block">{words[link]}</span>
    </Card>
  );
}
