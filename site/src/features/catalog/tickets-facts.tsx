// Below the tickets on /tickets: what every ticket includes, and the questions buyers ask first.
import { Beef, Car, CircleDot, Music, Store } from "lucide-react";
import { Link } from "react-router";
import { useSection } from "#lib/festival/content.ts";
import { Button } from "#ui/basics/button.tsx";
import { Reveal } from "#ui/page/reveal.tsx";

const icons = { music: Music, food: Beef, cars: Car, market: Store, dance: CircleDot };

export function TicketsFacts() {
  const { included, questions } = useSection("tickets");
  return (
    <div className="mt-16 grid gap-14 lg:grid-cols-2">
      {included.length > 0 && (
        <section aria-labelledby="included-title">
          <h2 id="included-title" className="display border-b-4 border-ink pb-3 text-title">
            What&apos;s Included
          </h2>
          <Reveal as="ul" stagger className="mt-2 divide-y-2 divide-dotted divide-ink/30">
            {included.map(({ icon, title, text }) => {
              const Icon = icons[icon];
              return (
                <li key={title} className="flex items-start gap-4 py-4">
                  <Icon aria-hidden="true" className="mt-1 size-7 shrink-0 text-candy" strokeWidth={2} />
                  <div>
                    <h3 className="text-lg leading-tight font-bold">{title}</h3>
                    <p className="text-ink-soft">{text}</p>
                  </div>
                </li>
              );
            })}
          </Reveal>
        </section>
      )}
      <section aria-labelledby="questions-title">
        <h2 id="questions-title" className="display border-b-4 border-ink pb-3 text-title">
          Good to Know
        </h2>
        <dl className="mt-2 divide-y-2 divide-dotted divide-ink/30">
          {questions.map(({ question, answer }) => (
            <div key={question} className="py-4">
              <dt className="text-lg leading-tight font-bold">{question}</dt>
              <dd className="mt-1 whitespace-pre-line text-ink-soft">{answer}</dd>
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
