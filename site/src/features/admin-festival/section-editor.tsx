// One section: its state, the form, and a preview of its page.
import { useDeferredValue, useRef, useState, type ReactNode } from "react";
import { Link } from "react-router";
import { festivalShapes, factNames, type Sections } from "contract/festival/sections";
import { Preview } from "#lib/festival/content.ts";
import { count, formatZonedMoment } from "#lib/format.ts";
import { Badge } from "#ui/basics/badge.tsx";
import { Button } from "#ui/basics/button.tsx";
import { focusFirstInvalid } from "#ui/forms/focus-invalid.ts";
import { AlertDialog } from "#ui/overlays/alert-dialog.tsx";
import { useBarRoom } from "#ui/page/bar-room.ts";
import { changeIn, type Facts, letInWords, RESTORED } from "./change-model.ts";
import { type ChangePreview, useChangePreview } from "./change-queries.ts";
import { ConflictPanel } from "./conflict-panel.tsx";
import { previewOf, type Section, sectionNames } from "./model.ts";
import { PreviewFrame } from "./preview-frame.tsx";
import { ShapeField } from "./shape-field.tsx";
import { type SectionEdit, type Typed, type TypedChange, useSectionEdit } from "./use-section-edit.ts";

interface SectionEditorProps {
  section: Section;
  published: Partial<Sections>;
  typed: Typed | undefined;
  onTyped: (change: TypedChange) => void;
  /** The page that shows it. */
  page: ReactNode;
}

export function SectionEditor({ section, published, typed, onTyped, page }: SectionEditorProps) {
  const sold = useChangePreview(section.id === "facts").data;
  const edit = useSectionEdit(section, typed, onTyped, sold?.code_is_fixed === true);
  const form = useRef<HTMLFormElement>(null);
  const { problems, conflict, failure } = edit;
  const { ask, dialog } = useChangeQuestion(section, edit, sold);

  function publish() {
    if (!edit.check()) focusFirstInvalid(form.current);
    else if (!ask()) edit.publish();
  }

  return (
    <div className="grid gap-x-8 gap-y-6 xl:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
      <form
        ref={form}
        noValidate
        aria-label={sectionNames[section.id].name}
        onSubmit={(event) => {
          event.preventDefault();
          publish();
        }}
        className="min-w-0"
      >
        <Toolbar section={section} isTyped={typed !== undefined} edit={edit} />
        {conflict && (
          <ConflictPanel
            mine={edit.content}
            theirs={conflict}
            onKeepMine={edit.keepMine}
            onTakeTheirs={edit.takeTheirs}
          />
        )}
        <Problems failure={failure} count={problems.length} />
        <ShapeField
          name={section.id}
          path=""
          shape={festivalShapes[section.id]}
          value={edit.value}
          problems={problems}
          onChange={edit.change}
        />
        {section.id !== "facts" && (
          <p className="mt-5 text-sm text-ink-soft">
            Use these placeholders to insert facts automatically:{" "}
            {factNames.map((name) => `{${name}}`).join(" ")}
          </p>
        )}
      </form>
      <LivePreview section={section} published={published} content={edit.content} page={page} />
      {dialog}
    </div>
  );
}

/**
 * Ticket holders are not notified of a day that is merely published as moved or cancelled. `ask` opens the question, if there is one
 * to ask.
 */
function useChangeQuestion({ id, content }: Section, edit: SectionEdit, sold: ChangePreview | undefined) {
  const [asks, setAsks] = useState(false);
  const [before, after] = [content as Facts, edit.content as Facts];
  const kind = id === "facts" ? changeIn(before, after) : undefined;
  const isToAsk = kind !== undefined && (kind !== "moved" || sold?.people !== 0);
  return {
    ask: () => {
      setAsks(isToAsk);
      return isToAsk;
    },
    dialog: (
      <ChangeDialog
        open={asks}
        onOpenChange={setAsks}
        kind={kind}
        orders={sold?.orders}
        letIn={kind !== undefined && sold ? letInWords(sold, before, after.starts_at) : undefined}
        onConfirm={edit.publish}
      />
    ),
  };
}

type Kind = NonNullable<ReturnType<typeof changeIn>>;

interface ChangeDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  kind: Kind | undefined;
  /** Undefined while unknown. */
  orders: number | undefined;
  /** What it does to people who were let in. */
  letIn: string | undefined;
  onConfirm: () => void;
}

const questions: Record<Kind, string> = {
  cancelled: "Cancel the festival without notifying anyone?",
  moved: "Change the date without notifying anyone?",
  restored: "Bring the festival back without notifying anyone?",
};

function ChangeDialog({ kind = "moved", orders, letIn, ...dialog }: ChangeDialogProps) {
  return (
    <AlertDialog
      {...dialog}
      title={questions[kind]}
      confirmLabel="Publish Anyway"
      cancelLabel="Keep Editing"
      destructive
    >
      <p>
        {kind === "restored" ? `${RESTORED} ` : soldText(orders)}Publishing changes the website but sends no
        emails.
        {kind === "cancelled" && " Sales stop, and tickets are no longer valid at the gate."}
        {letIn && ` ${letIn}`}
      </p>
      <p className="mt-3">
        {kind === "restored"
          ? "To email everyone with a ticket, use "
          : "To email everyone with a ticket and offer refunds, use "}
        <Link
          to={kind === "restored" ? "/admin/messages" : "/admin/festival/change"}
          className="font-semibold underline underline-offset-4"
        >
          {kind === "restored" ? "Messages" : "Cancel or Reschedule"}
        </Link>
        .
      </p>
    </AlertDialog>
  );
}

function soldText(orders: number | undefined): string {
  if (orders === 0) return "";
  const sold =
    orders === undefined
      ? "Tickets may have been sold"
      : `${count(orders, "order")} ${orders === 1 ? "is" : "are"} paid`;
  return `${sold} for the current date. `;
}

function Problems({ failure, count: wrong }: { failure: string | undefined; count: number }) {
  return (
    <>
      {failure && <Problem>Not saved: {failure}</Problem>}
      {wrong > 0 && (
        <Problem>Fix {count(wrong, "field")} before publishing. You can still save the draft.</Problem>
      )}
    </>
  );
}

function Problem({ children }: { children: ReactNode }) {
  return (
    <p role="alert" className="mb-4 border-l-8 border-candy bg-paper-deep p-3 font-semibold wrap-anywhere">
      {children}
    </p>
  );
}

interface ToolbarProps {
  section: Section;
  isTyped: boolean;
  edit: SectionEdit;
}

function Toolbar({ section, isTyped, edit: { busy, save, discard } }: ToolbarProps) {
  const [asks, setAsks] = useState(false);
  const { name, says } = sectionNames[section.id];
  const hasDraft = section.draft !== null;
  const bar = useBarRoom("top");
  return (
    <div
      ref={bar}
      className="sticky top-14 z-10 -mx-1 mb-5 border-b-2 border-ink bg-paper px-1 pt-1 pb-3 max-sm:static"
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 className="text-xl font-bold">{name}</h2>
        {isTyped ? <Badge>Not saved</Badge> : hasDraft ? <Badge>Draft</Badge> : <Badge>Published</Badge>}
      </div>
      <p className="text-sm text-ink-soft">{says}</p>
      <p className="text-sm text-ink-soft wrap-anywhere">
        {section.published_by
          ? `Last published ${formatZonedMoment(section.published_at)} by ${section.published_by}`
          : "Default text, never edited"}
        {hasDraft &&
          `. Draft saved ${formatZonedMoment(section.updated_at)} by ${section.updated_by ?? "a deleted account"}`}
      </p>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button type="submit" size="small" disabled={!isTyped && !hasDraft} busy={busy === "publishing"}>
          Publish
        </Button>
        <Button
          size="small"
          variant="secondary"
          disabled={!isTyped}
          busy={busy === "saving"}
          onClick={() => void save()}
        >
          Save Draft
        </Button>
        {(isTyped || hasDraft) && (
          <Button size="small" variant="danger" busy={busy === "discarding"} onClick={() => setAsks(true)}>
            Discard
          </Button>
        )}
      </div>
      <AlertDialog
        open={asks}
        onOpenChange={setAsks}
        title="Discard unpublished changes?"
        confirmLabel="Discard"
        cancelLabel="Keep Editing"
        destructive
        onConfirm={() => void discard()}
      >
        The website stays as it is. All drafts of {name} will be deleted.
      </AlertDialog>
    </div>
  );
}

function LivePreview({
  section,
  published,
  content,
  page,
}: Pick<SectionEditorProps, "section" | "published" | "page"> & { content: unknown }) {
  const [last, setLast] = useState(() => previewOf(published, section.id, section.content));
  // Keeps typing fast: the preview renders when there is time.
  const typed = useDeferredValue(content);
  const now = previewOf(published, section.id, typed);
  if (now && JSON.stringify(now) !== JSON.stringify(last)) setLast(now);
  return (
    <section aria-label="Preview" className="min-w-0 xl:sticky xl:top-18 xl:self-start">
      <p className="mb-2 min-h-6 text-sm text-ink-soft" role="status">
        {now ? "" : "Fix the errors to update the preview."}
      </p>
      {last && (
        <PreviewFrame>
          <Preview value={last}>{page}</Preview>
        </PreviewFrame>
      )}
    </section>
  );
}
