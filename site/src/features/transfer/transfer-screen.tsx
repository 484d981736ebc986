// /transfer#…: a ticket that its holder passes on. The token is in the fragment, which no server and no log sees. It stays in the
// address, so that the page can be reloaded.
import type { ReactNode } from "react";
import { Link, useLocation } from "react-router";
import { useHydrated } from "#lib/browser/hydrated.ts";
import { useSession, type SessionUser } from "#lib/session/session.tsx";
import { Button } from "#ui/basics/button.tsx";
import { PageHeader } from "#ui/page/page-header.tsx";
import { ErrorState } from "#ui/page/screen-states.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";
import type { TransferAnswer } from "contract/tickets/transfers";
import { Accepted } from "./accepted.tsx";
import { Kept } from "./kept.tsx";
import { Offer } from "./offer.tsx";
import { useTransferLink } from "./queries.ts";
import { WhenAndWhere } from "./when-and-where.tsx";
import { wordsOf } from "./words.ts";

const TOKEN = /^#([\w-]{1,200})$/;

export function TransferScreen() {
  const { hash } = useLocation();
  const hydrated = useHydrated();
  const { status, user } = useSession();
  if (!hydrated || status === "loading") return <Loading />;
  const token = TOKEN.exec(hash)?.[1];
  if (token === undefined) return <Ended answer={{ state: "unknown" }} state="unknown" />;
  return <Transfer key={`${token} ${user?.id}`} token={token} user={user ?? undefined} />;
}

function Transfer({ token, user }: { token: string; user: SessionUser | undefined }) {
  const { data, error, isPending, isFetching, refetch } = useTransferLink(token, user?.id);
  if (isPending) return <Loading />;
  if (!data) {
    return (
      <>
        <PageHeader title="A Ticket for You" />
        <ErrorState
          className="mt-8"
          title={error?.message ?? "Error loading the transfer."}
          onRetry={() => void refetch()}
        />
        {isFetching && <span className="sr-only">Loading</span>}
      </>
    );
  }
  const { state } = data;
  if (state === "offered") return <Offer token={token} user={user} offer={data} />;
  if (state === "accepted") return <Accepted answer={data} user={user} />;
  return (
    <Ended answer={data} state={state}>
      {(state === "kept" || state === "yours") && <WhenAndWhere className="mt-8" />}
      {state === "kept" && <Kept token={token} user={user} answer={data} />}
    </Ended>
  );
}

interface EndedProps {
  answer: TransferAnswer;
  state: Parameters<typeof wordsOf>[1];
  children?: ReactNode;
}

function Ended({ answer, state, children }: EndedProps) {
  const { title, text } = wordsOf(answer, state);
  const hasTickets = state === "own" || state === "yours" || state === "taken";
  return (
    <>
      <PageHeader title={title}>
        <span className="wrap-anywhere">{text}</span>
      </PageHeader>
      {children}
      <div className="mt-8 flex flex-wrap gap-4">
        {hasTickets && (
          <Button asChild size="large">
            <Link to="/my-tickets">My Tickets</Link>
          </Button>
        )}
        <Button asChild variant="secondary" size="large">
          <Link to="/">Go to the Home Page</Link>
        </Button>
      </div>
    </>
  );
}

function Loading() {
  return (
    <div role="status" data-needs-script="">
      <span className="sr-only">Loading the transfer</span>
      <Skeleton className="h-20 max-w-xl" />
      <Skeleton className="mt-10 h-72" />
    </div>
  );
}
