// A page of plain text under headings, laid out for careful reading.
import type { ReactNode } from "react";
import { PageHeader } from "#ui/page/page-header.tsx";

interface LegalPageProps {
  title: string;
  lead: ReactNode;
  sections: readonly { title: string; content: ReactNode }[];
}

export function LegalPage({ title, lead, sections }: LegalPageProps) {
  return (
    <div className="page-width pt-28 pb-20 print:pt-0">
      <PageHeader title={title}>{lead}</PageHeader>
      {sections.map(({ title: heading, content }) => (
        <section
          key={heading}
          aria-label={heading}
          className="grid grid-cols-[minmax(0,1fr)] gap-x-8 gap-y-3 border-b-2 border-ink/30 py-8 last:border-b-0 lg:grid-cols-12"
        >
          <h2 className="display text-heading text-bayou-deep lg:col-span-4">{heading}</h2>
          <div className="grid max-w-prose grid-cols-[minmax(0,1fr)] gap-3 lg:col-span-8">{content}</div>
        </section>
      ))}
    </div>
  );
}
