import { useEffect, useRef } from "react";
import { Link } from "react-router";
import type { TransferAnswer } from "contract/tickets/transfers";
import { shortId } from "#lib/format.ts";
import type { SessionUser } from "#lib/session/session.tsx";
import { Button } from "#ui/basics/button.tsx";
import { EmailText } from "#ui/basics/email-text.tsx";
import { Card } from "#ui/page/card.tsx";
import { PageHeader } from "#ui/page/page-header.tsx";
import { WhenAndWhere } from "./when-and-where.tsx";

/** The code itself for a recipient without an account; a link to it for one with an account. */
export function Accepted({ answer, user }: { answer: TransferAnswer; user: SessionUser | undefined }) {
  const tickets = answer.tickets ?? [];
  const one = tickets.length === 1;
  // The pressed button is gone, so the outcome receives focus and is announced.
  const head = useRef<HTMLDivElement>(null);
  useEffect(() => head.current?.focus({ preventScroll: true }), []);
  return (
    <>
      <div ref={head} tabIndex={-1} role="status" className="outline-none">
        <PageHeader title={one ? "The Ticket Is Yours" : "The Tickets Are Yours"}>
          <span className="wrap-anywhere">
            {one ? "Its code is" : "Their codes are"} on the way to{" "}
            <EmailText>{answer.to_email ?? ""}</EmailText> as well
            {user ? ", and under My Tickets." : ". Keep that email, or save the code from here."}
          </span>
        </PageHeader>
      </div>
      <WhenAndWhere className="mt-8" />
      {!user && (
        <ul className="mt-8 grid gap-6 sm:grid-cols-2 lg:grid-cols-3">
          {tickets.map(({ id, name, qrCodeUrl }) => (
            <li key={id} className="min-w-0">
              <Card className="text-center" padding="small">
                <h2 className="display text-heading wrap-anywhere">{name}</h2>
                <p className="font-semibold wrap-anywhere">{answer.to_name}</p>
                {qrCodeUrl ? (
                  <img
                    src={qrCodeUrl}
                    alt={`Entry code of the ${name} ticket`}
                    width={264}
                    height={264}
                    className="mx-auto my-3 aspect-square w-full max-w-72 bg-white [image-rendering:pixelated]"
                  />
                ) : (
                  <p className="my-6">The code comes with the email.</p>
                )}
                <p className="font-mono text-sm text-ink-soft">#{shortId(id)}</p>
              </Card>
            </li>
          ))}
        </ul>
      )}
      <div className="mt-8 flex flex-wrap gap-4 print:hidden">
        {user ? (
          <Button asChild size="large">
            <Link to="/my-tickets">My Tickets</Link>
          </Button>
        ) : (
          <Button size="large" onClick={() => print()}>
            Print
          </Button>
        )}
        <Button asChild variant="secondary" size="large">
          <Link to="/">Go to the Home Page</Link>
        </Button>
      </div>
    </>
  );
}
