import { useFestival } from "#lib/festival/content.ts";
import { Panel } from "#ui/page/panel.tsx";

/** How the mail will read, in the festival's letter. */
export function MessagePreview({ subject, body }: { subject: string; body: string }) {
  const { title } = useFestival();
  const paragraphs = body.split(/\n\s*\n/).filter((text) => text.trim() !== "");
  return (
    <Panel title="Preview" className="lg:sticky lg:top-4">
      <div className="border border-ink/20 bg-paper">
        <p className="border-b-8 border-candy bg-ink px-5 py-4 display text-2xl text-paper">{title}</p>
        <div className="grid gap-4 p-5">
          <p className="display text-2xl wrap-anywhere">{subject.trim() || "Subject"}</p>
          <p>Hello Ana Reyes,</p>
          {paragraphs.length === 0 && <p className="text-ink-soft">Your text stands here.</p>}
          {paragraphs.map((text, index) => (
            <p key={index} className="wrap-anywhere whitespace-pre-line">
              {text.trim()}
            </p>
          ))}
        </div>
      </div>
    </Panel>
  );
}
