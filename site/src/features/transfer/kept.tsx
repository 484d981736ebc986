import { Link } from "react-router";
import type { TransferAnswer } from "contract/tickets/transfers";
import type { SessionUser } from "#lib/session/session.tsx";
import { Button } from "#ui/basics/button.tsx";
import { ErrorState } from "#ui/page/screen-states.tsx";
import { useAcceptTransfer, useSendCodesAgain } from "./queries.ts";

interface KeptProps {
  token: string;
  user: SessionUser | undefined;
  answer: TransferAnswer;
}

/**
 * Accepted without an account: a button that resends the mail, and a way to move the ticket into an account
 * with the same address.
 */
export function Kept({ token, user, answer }: KeptProps) {
  const again = useSendCodesAgain(token);
  const accept = useAcceptTransfer(token, user?.id);
  const failure = again.error ?? accept.error;
  return (
    <div className="mt-6 max-w-prose">
      <div className="flex flex-wrap gap-4">
        <Button busy={again.isPending} onClick={() => again.mutate()}>
          Send the Code Again
        </Button>
        {user && answer.is_own_mail && (
          <Button variant="secondary" busy={accept.isPending} onClick={() => accept.mutate(true)}>
            Add to My Account
          </Button>
        )}
      </div>
      <p role="status" className="mt-4 font-semibold">
        {again.isSuccess &&
          (again.data
            ? "It is on its way. Please check your email."
            : "It was sent several times. Please check your email, and try again in an hour.")}
      </p>
      {failure && (
        <ErrorState className="mt-4 p-4!" title="That did not work.">
          {failure.message}
        </ErrorState>
      )}
      {!answer.is_own_mail && (
        <p className="mt-4 text-ink-soft">
          {user ? (
            "Sign in"
          ) : (
            <Link
              to="/auth"
              state={{ from: `/transfer#${token}` }}
              className="font-semibold text-ink underline underline-offset-4"
            >
              Sign in
            </Link>
          )}{" "}
          with that address to see it under My Tickets.
        </p>
      )}
    </div>
  );
}
