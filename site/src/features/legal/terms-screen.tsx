import type { Festival } from "contract/festival/facts";
import { useFestival } from "#lib/festival/content.ts";
import { ContactLines } from "./contact-lines.tsx";
import { LegalPage } from "./legal-page.tsx";

const price = (
  <>
    <p>
      Prices are in US dollars. The checkout shows everything you pay before you pay it. Any fee or tax is
      listed separately. Nothing else is added.
    </p>
    <p>
      Your tickets are held while you pay, and the checkout shows for how long. After that, they may be sold
      to other buyers. If we can't turn a payment into tickets, we refund it in full.
    </p>
  </>
);

const theDay = (
  <>
    <p>
      The festival takes place rain or shine. Times and acts may change. Check the schedule for the latest.
    </p>
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
            A ticket admits one person on {festival.dateText}, {festival.hoursText}. Its QR code works once at
            the gate. Whoever shows it first gets in, so don't share it.
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
          festival. Under My Tickets, you can offer yours to another person by name and email. Once they
          accept, they get a new code and yours no longer works. Refunds go to the buyer who paid.
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
          An application or inquiry is not binding on either of us. We answer each one, and any booth or
          package is agreed on in writing.
        </p>
      ),
    },
    { title: "Who we are", content: <ContactLines /> },
  ] as const;

export function TermsScreen() {
  const festival = useFestival();
  return (
    <LegalPage
      title="Terms of Sale"
      lead={`What you and ${festival.organizer} agree on when you buy a ticket to the ${festival.title}.`}
      sections={sectionsOf(festival)}
    />
  );
}
