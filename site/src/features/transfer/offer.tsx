import { Link } from "react-router";
import type { TransferAnswer } from "contract/tickets/transfers";
import { count, formatZonedMoment } from "#lib/format.ts";
import type { SessionUser } from "#lib/session/session.tsx";
import { Button } from "#ui/basics/button.tsx";
import { EmailText } from "#ui/basics/email-text.tsx";
import { Card } from "#ui/page/card.tsx";
import { PageHeader } from "#ui/page/page-header.tsx";
import { ErrorState } from "#ui/page/screen-states.tsx";
import { useAcceptTransfer } from "./queries.ts";
import { WhenAndWhere } from "./when-and-where.tsx";

interface OfferProps {
  token: string;
  user: SessionUser | undefined;
  offer: TransferAnswer;
}

/** What is offered, by whom and until when, and both ways to accept. */
export function Offer({ token, user, offer }: OfferProps) {
  const accept = useAcceptTransfer(token, user?.id);
  const tickets = offer.tickets ?? [];
  const what = tickets.length === 1 ? "Ticket" : "Tickets";
  return (
    <>
      <PageHeader title={tickets.length === 1 ? "A Ticket for You" : "Tickets for You"}>
        <bdi className="font-semibold wrap-anywhere">{offer.from_name}</bdi> would like to transfer{" "}
        {count(tickets.length, "ticket")} to you.
      </PageHeader>
      <Card className="mt-8 max-w-2xl">
        <ul className="divide-y-2 divide-dotted divide-ink/30">
          {tickets.map(({ id, name }) => (
            <li key={id} className="flex flex-wrap items-baseline justify-between gap-x-4 py-2.5">
              <span className="display text-heading wrap-anywhere">{name}</span>
              <span className="wrap-anywhere">for {offer.to_name}</span>
            </li>
          ))}
        </ul>
        <WhenAndWhere className="mt-3 border-t-2 border-ink pt-3" />
        <p className="mt-4">
          Please accept by {formatZonedMoment(offer.closes_at)}. Your entry code will be emailed to{" "}
          <EmailText>{offer.to_email ?? ""}</EmailText>
          {user ? " and will appear under My Tickets." : "."}
        </p>
        {accept.isError && (
          <ErrorState className="mt-5 p-4!" title={`The ${what.toLowerCase()} could not be accepted.`}>
            {accept.error.message}
          </ErrorState>
        )}
        <div className="mt-6 flex flex-wrap gap-4">
          <Button size="large" busy={accept.isPending} onClick={() => accept.mutate(user !== undefined)}>
            Accept the {what}
          </Button>
          {!user && (
            <Button asChild variant="secondary" size="large">
              <Link to="/auth" state={{ from: `/transfer#${token}` }}>
                Sign In First
              </Link>
            </Button>
          )}
        </div>
        <p className="mt-4 text-sm text-ink-soft wrap-anywhere">
          {user
            ? `It becomes a ticket of ${user.email}.`
            : "You don't need an account. With one, you'll find the ticket under My Tickets and can transfer it."}
        </p>
      </Card>
    </>
  );
}
