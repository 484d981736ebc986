import type { Festival } from "contract/festival/facts";
import { useFestival } from "#lib/festival/content.ts";
import { ContactLines } from "./contact-lines.tsx";
import { LegalPage } from "./legal-page.tsx";

const price = (
  <>
    <p>
      Prices are in US dollars. The checkout shows all that you pay before you pay it: if there is a fee or
      tax, it is a line of its own, and no others are added.
    </p>
    <p>
      What you choose is held for you while you pay, and the checkout shows for how long. When that time is
      over it may be sold to others. A payment that we cannot turn into tickets is refunded in full.
    </p>
  </>
);

const theDay = (
  <>
    <p>The festival takes place rain or shine. Times and acts may change; the schedule is kept current.</p>
    <p>Large backpacks are not permitted. Alcohol is served only to guests aged 21 and over with valid ID.</p>
  </>
);

const sectionsOf = (festival: Festival) =>
  [
    {
      title: "Your ticket",
      content: (
        <>
          <p>
            A ticket admits one person on {festival.dateText}, {festival.hoursText}. Its QR code is read once
            at the gate; the first person to show it is let in, so do not share it.
          </p>
          <p>
            Children under 10 are free with a ticketed adult. A VIP ticket includes one general parking pass
            for each order.
          </p>
        </>
      ),
    },
    {
      title: "Price and payment",
      content: price,
    },
    {
      title: "Refunds and transfers",
      content: (
        <p>
          Tickets are non-refundable, but they are transferable up to {festival.transferDays} days before the
          festival. Under My Tickets you offer yours to a name and an email; once the other person has
          accepted, they have a new code and yours no longer works. A refund goes to whoever paid.
        </p>
      ),
    },
    {
      title: "At the festival",
      content: theDay,
    },
    {
      title: "Vendors and sponsors",
      content: (
        <p>
          An application or an inquiry binds neither of us. We answer each, and a booth or a package is agreed
          in writing.
        </p>
      ),
    },
    { title: "Who you deal with", content: <ContactLines /> },
  ] as const;

export function TermsScreen() {
  const festival = useFestival();
  return (
    <LegalPage
      title="Terms of Sale"
      lead={`What you and ${festival.organiser} agree on when you buy a ticket to the ${festival.title}.`}
      sections={sectionsOf(festival)}
    />
  );
}
