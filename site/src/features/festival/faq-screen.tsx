import { useState } from "react";
import { useFestival, useSection } from "#lib/festival/content.ts";
import { Accordion } from "#ui/page/accordion.tsx";
import { Button } from "#ui/basics/button.tsx";
import { PosterHeader } from "#ui/page/poster-header.tsx";
import { Bull } from "#ui/art/bull.tsx";

export function FaqScreen() {
  const { contact } = useFestival();
  const { lead, groups } = useSection("faq");
  // One open item across all four groups.
  const [open, setOpen] = useState("");
  return (
    <>
      <PosterHeader
        ground="candy"
        title="Frequently Asked Questions"
        art={<Bull className="absolute right-0 -bottom-4 w-[36rem] max-w-none" />}
      >
        <p>{lead}</p>
      </PosterHeader>
      <div className="page-width grid grid-cols-[minmax(0,1fr)] gap-16 py-16 lg:py-24">
        {groups.length === 0 && (
          <p className="display text-heading">Answers are coming soon. Until then, ask us.</p>
        )}
        {groups.map(({ title, questions }, group) => (
          <section
            key={title}
            aria-label={title}
            className="grid grid-cols-[minmax(0,1fr)] gap-x-8 gap-y-5 lg:grid-cols-12"
          >
            <h2 className="display text-[clamp(min(2rem,10.7vw),3.5vw,2.9rem)] leading-none text-bayou-deep lg:col-span-4">
              {title}
            </h2>
            <Accordion
              items={questions.map(({ question, answer }, at) => ({
                id: `${group + 1}-${at + 1}`,
                title: question,
                content: answer,
              }))}
              value={open}
              onValueChange={setOpen}
              className="lg:col-span-8"
            />
          </section>
        ))}
      </div>
      <section aria-labelledby="more-questions" className="bg-brisket">
        <div className="page-width flex flex-wrap items-center justify-between gap-6 py-14">
          <div>
            <h2 id="more-questions" className="display text-title">
              Still have questions?
            </h2>
            <p className="mt-2 text-lead">Write to us. We answer every email.</p>
          </div>
          <Button asChild size="large" printed>
            <a href={`mailto:${contact.email}`}>Contact Us</a>
          </Button>
        </div>
      </section>
    </>
  );
}
