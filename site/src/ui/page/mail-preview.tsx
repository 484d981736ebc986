import type { ReactNode } from "react";
import { Panel } from "./panel.tsx";

interface MailPreviewProps {
  /** The mail's header: the festival's title. */
  title: string;
  subject: string;
  /** An empty line separates paragraphs. */
  body: string;
  /** What the mail adds to the text. */
  children?: ReactNode;
}

/** A preview of a typed mail. */
export function MailPreview({ title, subject, body, children }: MailPreviewProps) {
  const paragraphs = body.split(/\n\s*\n/).filter((text) => text.trim() !== "");
  return (
    <Panel title="Preview" className="lg:sticky lg:top-4">
      <div className="border border-ink/20 bg-paper">
        <p className="border-b-8 border-candy bg-ink px-5 py-4 display text-2xl text-paper">{title}</p>
        <div className="grid gap-4 p-5">
          <p className="display text-2xl wrap-anywhere">{subject.trim() || "Subject"}</p>
          <p>Hello Ana Reyes,</p>
          {paragraphs.length === 0 && <p className="text-ink-soft">Your message appears here.</p>}
          {paragraphs.map((text, index) => (
            <p key={index} className="wrap-anywhere whitespace-pre-line">
              {text.trim()}
            </p>
          ))}
          {children}
        </div>
      </div>
    </Panel>
  );
}
