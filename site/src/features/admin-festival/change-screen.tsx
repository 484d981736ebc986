// Cancels or moves the day in one step: the site, the mails, the sale and the money.
import { useState } from "react";
import { flushSync } from "react-dom";
import { Link, useNavigate } from "react-router";
import { useQueryClient } from "@tanstack/react-query";
import { isOpenOutcome } from "#lib/api/open-outcome.ts";
import { useUnsaved } from "#lib/browser/unsaved.ts";
import { Button } from "#ui/basics/button.tsx";
import { focusFirstInvalid } from "#ui/forms/focus-invalid.ts";
import { useIsHere } from "#ui/forms/use-is-here.ts";
import { AlertDialog } from "#ui/overlays/alert-dialog.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { ScreenHead } from "#ui/page/screen-head.tsx";
import { ErrorState } from "#ui/page/screen-states.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";
import { ChangeFields } from "./change-fields.tsx";
import {
  blankChange,
  type Change,
  changedFacts,
  confirmWords,
  consequences,
  endOfDay,
  type Facts,
  problemsOf,
  startedWords,
} from "./change-model.ts";
import { announce, type ChangePreview, FactsChanged, useChangePreview } from "./change-queries.ts";
import type { Section } from "./model.ts";
import { FESTIVAL_KEY, useFestivalSections } from "./queries.ts";

export function ChangeScreen() {
  const sections = useFestivalSections();
  const preview = useChangePreview();
  const facts = sections.data?.find(({ id }) => id === "facts");
  return (
    <>
      <ScreenHead
        title="Cancel or Reschedule"
        actions={
          <Button asChild size="small" variant="secondary">
            <Link to="/admin/festival">Back to Festival</Link>
          </Button>
        }
      />
      {facts && preview.data ? (
        <ChangeForm section={facts} preview={preview.data} />
      ) : sections.isError || preview.isError ? (
        <ErrorState
          title="The effects of a change couldn't be loaded. Please check your connection and try again."
          cause={sections.error ?? preview.error}
          onRetry={() => void Promise.all([sections.refetch(), preview.refetch()])}
        />
      ) : (
        <div role="status">
          <span className="sr-only">Loading the festival</span>
          <Skeleton className="h-96" />
        </div>
      )}
    </>
  );
}

function ChangeForm({ section, preview }: { section: Section; preview: ChangePreview }) {
  const [begun] = useState(() => blankChange(section.content as Facts, preview));
  const [change, setChange] = useState(begun);
  const [checked, setChecked] = useState(false);
  const [asking, setAsking] = useState(false);

  const { run, busy, facts, isAnnounced } = useAnnouncement(section, change, preview);
  const problems = problemsOf(change, facts);
  useUnsaved(!isAnnounced && JSON.stringify(change) !== JSON.stringify(begun));
  return (
    <form
      noValidate
      className="grid max-w-3xl gap-5"
      onSubmit={(event) => {
        event.preventDefault();
        setChecked(true);
        if (!busy && Object.keys(problems).length === 0) setAsking(true);
        focusFirstInvalid(event.currentTarget);
      }}
    >
      <ChangeFields
        change={change}
        facts={facts}
        problems={checked ? problems : {}}
        onChange={setChange}
        preview={preview}
      />
      <Button type="submit" variant="danger" busy={busy} className="justify-self-start">
        {change.kind === "cancelled" ? "Cancel the Festival" : "Reschedule the Festival"}
      </Button>
      <AlertDialog
        open={asking}
        onOpenChange={setAsking}
        title={change.kind === "cancelled" ? "Cancel the festival?" : "Reschedule the festival?"}
        confirmLabel={confirmWords(change, preview)}
        cancelLabel="Not yet"
        destructive
        onConfirm={() => void run()}
      >
        {consequences(change, facts, preview)}
      </AlertDialog>
    </form>
  );
}

/** Announces the change only once, however often the button is pressed, and leads to its mails. */
function useAnnouncement(section: Section, change: Change, preview: ChangePreview) {
  const [id] = useState(() => crypto.randomUUID());
  const [busy, setBusy] = useState(false);
  const [isAnnounced, setAnnounced] = useState(false);
  // If an attempt that got no answer was carried out, the section read since is already the changed one. The same attempt again has to
  // begin where the first did.
  const [unanswered, setUnanswered] = useState<Section>();
  const { version, content } = unanswered ?? section;
  const facts = content as Facts;
  const isHere = useIsHere();
  const queryClient = useQueryClient();
  const navigate = useNavigate();

  async function run() {
    setBusy(true);
    try {
      const { refunds, askUntil, subject, body } = change;
      const until = refunds === "on_request" ? endOfDay(askUntil) : null;
      const started = startedWords(change, preview);
      const announced = { refunds, askUntil: until, subject, body };
      await announce({ id, version, facts: changedFacts(facts, change), ...announced });
      // First, so that leaving does not ask.
      flushSync(() => setAnnounced(true));
      await queryClient.invalidateQueries({ queryKey: FESTIVAL_KEY });
      toast.success("Announced", started);
      if (isHere()) await navigate("/admin/messages");
    } catch (error) {
      if (error instanceof FactsChanged) setUnanswered(undefined);
      if (isOpenOutcome(error)) {
        setUnanswered(unanswered ?? section);
        toast.error(
          "No response",
          "The change may have been announced. Press the button again: it won't be announced twice.",
        );
      } else {
        const title = unanswered ? "Nothing new was announced" : "Nothing was announced";
        toast.error(title, error instanceof Error ? error.message : String(error));
      }
      setBusy(false);
    }
  }
  return { run, busy, facts, isAnnounced };
}
