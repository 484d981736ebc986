// Below the tickets on /tickets: what every ticket includes, and the questions buyers ask first.
import { Beef, Car, CircleDot, Music, Store } from "lucide-react";
import { Link } from "react-router";
import { Button } from "#ui/basics/button.tsx";
import { Reveal } from "#ui/page/reveal.tsx";

const included = [
  {
    Icon: Music,
    title: "Over 20 acts",
    text: "Live music and DJs on the Main Stage and in the Purple Room.",
  },
  {
    Icon: Beef,
    title: "BBQ Cook-Off",
    text: "Entry to the cook-off and the Food Court. Plates are sold by the pitmasters.",
  },
  { Icon: Car, title: "Slab Car Show", text: "Candy paint, swangas and the Slab Parade up close." },
  { Icon: Store, title: "Vendor Marketplace", text: "Houston makers, fashion, records and art." },
  {
    Icon: CircleDot,
    title: "Dance floor and bull",
    text: "Line dancing lessons and the mechanical bull competition.",
  },
] as const;

const questions = [
  {
    question: "Do children need a ticket?",
    answer: "Children under 10 are free with a ticketed adult. Ages 10 to 17 need a Youth ticket.",
  },
  {
    question: "Can I get a refund or pass my ticket on?",
    answer: "Tickets are non-refundable but transferable up to 14 days before the festival.",
  },
  { question: "What if it rains?", answer: "The festival goes on rain or shine." },
] as const;

export function TicketsFacts() {
  return (
    <div className="mt-16 grid gap-14 lg:grid-cols-2">
      <section aria-labelledby="included-title">
        <h2 id="included-title" className="display border-b-4 border-ink pb-3 text-title">
          What&apos;s Included
        </h2>
        <Reveal as="ul" stagger className="mt-2 divide-y-2 divide-dotted divide-ink/30">
          {included.map(({ Icon, title, text }) => (
            <li key={title} className="flex items-start gap-4 py-4">
              <Icon aria-hidden="true" className="mt-1 size-7 shrink-0 text-candy" strokeWidth={2} />
              <div>
                <h3 className="text-lg leading-tight font-bold">{title}</h3>
                <p className="text-ink-soft">{text}</p>
              </div>
            </li>
          ))}
        </Reveal>
      </section>
      <section aria-labelledby="questions-title">
        <h2 id="questions-title" className="display border-b-4 border-ink pb-3 text-title">
          Good to Know
        </h2>
        <dl className="mt-2 divide-y-2 divide-dotted divide-ink/30">
          {questions.map(({ question, answer }) => (
            <div key={question} className="py-4">
              <dt className="text-lg leading-tight font-bold">{question}</dt>
              <dd className="mt-1 text-ink-soft">{answer}</dd>
            </div>
          ))}
        </dl>
        <Button asChild variant="secondary" className="mt-4">
          <Link to="/faq">View All FAQs</Link>
        </Button>
      </section>
    </div>
  );
}
