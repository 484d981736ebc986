// Composes a message: its recipients, its text, a preview, and a test to the author before it goes to
// everyone.
import { useId, useState } from "react";
import { Link, useNavigate } from "react-router";
import { maxLengths } from "contract/limits";
import { useFestival } from "#lib/festival/content.ts";
import { count } from "#lib/format.ts";
import { Button } from "#ui/basics/button.tsx";
import { Field } from "#ui/forms/field.tsx";
import { focusFirstInvalid } from "#ui/forms/focus-invalid.ts";
import { Input, Textarea } from "#ui/forms/input.tsx";
import { useIsHere } from "#ui/forms/use-is-here.ts";
import { AlertDialog } from "#ui/overlays/alert-dialog.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { MailPreview } from "#ui/page/mail-preview.tsx";
import { Panel } from "#ui/page/panel.tsx";
import { ScreenHead } from "#ui/page/screen-head.tsx";
import { AudienceFields } from "./audience-fields.tsx";
import { type Draft, problemsOf } from "./model.ts";
import { Refused, SentBefore, useAudiencePreview, useSendMessage } from "./queries.ts";
import { useDraft } from "./use-draft.ts";

export function ComposeScreen() {
  const { title } = useFestival();
  const kept = useDraft();
  const { draft, change } = kept;
  const { sendTest, sendAll, isPending } = useDispatch(kept);
  const reached = useAudiencePreview(draft.audience);
  const [checked, setChecked] = useState(false);
  const form = useId();
  const problems = checked ? problemsOf(draft) : {};
  const recipients = reached.data?.recipients;
  const question = useQuestion(reached);

  /** Runs `next` when the message is complete. */
  function whenComplete(next: () => void) {
    setChecked(true);
    if (isComplete(draft, form)) next();
  }
  return (
    <>
      <Head />
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <form
          id={form}
          noValidate
          className="grid min-w-0 gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            if (!isPending) whenComplete(question.ask);
          }}
        >
          <Panel title="To">
            <AudienceFields
              audience={draft.audience}
              onChange={(audience) => {
                change({ ...draft, audience });
                question.set(false);
              }}
            />
            <Reached {...reached} />
          </Panel>
          <Panel title="Message">
            <TextFields draft={draft} problems={problems} onChange={change} />
          </Panel>
          {kept.unanswered && !isPending && <Unanswered />}
          <SendButtons
            {...{ recipients, isPending }}
            isCounting={question.isAwaited}
            onTest={() => whenComplete(() => void sendTest())}
          />
        </form>
        <MailPreview title={title} subject={draft.subject} body={draft.body} />
      </div>
      <SendDialog
        open={question.isOpen}
        onOpenChange={question.set}
        recipients={recipients ?? 0}
        subject={draft.subject}
        onConfirm={() => void sendAll()}
      />
    </>
  );
}

/** Leads to the first field that is not. */
function isComplete(draft: Draft, form: string): boolean {
  if (Object.keys(problemsOf(draft)).length === 0) return true;
  focusFirstInvalid(document.getElementById(form));
  return false;
}

function Head() {
  return (
    <ScreenHead
      title="Write a Message"
      actions={
        <Button asChild size="small" variant="secondary">
          <Link to="/admin/messages">All Messages</Link>
        </Button>
      }
    />
  );
}

/** The confirmation names the number of recipients, so a press waits until they are counted. */
function useQuestion({ data, isError, refetch }: ReturnType<typeof useAudiencePreview>) {
  const [asked, setAsked] = useState(false);
  return {
    isOpen: asked && Boolean(data?.recipients),
    isAwaited: asked && !data && !isError,
    set: setAsked,
    ask() {
      setAsked(true);
      if (isError) void refetch();
    },
  };
}

/** Sends the message, or a test of it to its author, and reports the result. */
function useDispatch({ id, draft, discard, beginAnew, markUnanswered }: ReturnType<typeof useDraft>) {
  const { send, test, isPending } = useSendMessage(id);
  const navigate = useNavigate();
  const isHere = useIsHere();
  return {
    isPending,
    sendTest: () =>
      test(draft).then(
        () => toast.success("A test is on its way to you"),
        (error: unknown) =>
          error instanceof Refused
            ? toast.error("The test was not sent", error.message)
            : toast.error(
                "No response",
                "The test may be on its way. Check your inbox before sending another.",
              ),
      ),
    sendAll: () =>
      send(draft).then(
        () => {
          discard();
          toast.success("The message is going out");
          return isHere() ? navigate("/admin/messages") : undefined;
        },
        (error: unknown) => {
          if (error instanceof SentBefore) {
            beginAnew();
            toast.error(error.message, "To send this one too, press Send again.");
          } else if (error instanceof Refused) toast.error("The message was not sent", error.message);
          else markUnanswered();
        },
      ),
  };
}

/** The message was sent, but it is unknown whether it arrived. */
function Unanswered() {
  return (
    <p role="alert" className="border-2 border-l-[12px] border-brisket bg-sheet p-4">
      <strong className="block">No response. Check whether the message was sent.</strong>
      Press Send again: it won't go out twice. If you change it first and it already went out, we'll tell you.
    </p>
  );
}

interface SendButtonsProps {
  /** Undefined until they are counted. */
  recipients: number | undefined;
  isCounting: boolean;
  isPending: boolean;
  onTest: () => void;
}

function SendButtons({ recipients, isCounting, isPending, onTest }: SendButtonsProps) {
  return (
    <div className="flex flex-wrap justify-end gap-3 max-sm:*:grow">
      <Button variant="secondary" disabled={isPending} onClick={onTest}>
        Send Me a Test
      </Button>
      <Button type="submit" busy={isCounting} disabled={isPending || recipients === 0}>
        {recipients ? `Send to ${count(recipients, "Person", "People")}` : "Send"}
      </Button>
    </div>
  );
}

interface SendDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  recipients: number;
  subject: string;
  onConfirm: () => void;
}

function SendDialog({ open, onOpenChange, recipients, subject, onConfirm }: SendDialogProps) {
  return (
    <AlertDialog
      open={open}
      onOpenChange={onOpenChange}
      title={`Send to ${count(recipients, "person", "people")}?`}
      confirmLabel="Send it"
      cancelLabel="Not yet"
      onConfirm={onConfirm}
    >
      “{subject.trim()}” goes out right away. Emails already sent can't be recalled. You can stop the rest.
    </AlertDialog>
  );
}

interface TextFieldsProps {
  draft: Draft;
  problems: ReturnType<typeof problemsOf>;
  onChange: (draft: Draft) => void;
}

function TextFields({ draft, problems, onChange }: TextFieldsProps) {
  return (
    <div className="grid gap-4">
      <Field label="Subject" limit={maxLengths.messageSubject} required error={problems.subject}>
        <Input
          dense
          value={draft.subject}
          onChange={({ target }) => onChange({ ...draft, subject: target.value })}
        />
      </Field>
      <Field
        label="Text"
        limit={maxLengths.longText}
        required
        error={problems.body}
        hint="Starts with “Hello” and the person's name. Separate paragraphs with a blank line. Everything else is sent as typed; words in {braces} aren't replaced."
      >
        <Textarea
          rows={10}
          value={draft.body}
          onChange={({ target }) => onChange({ ...draft, body: target.value })}
        />
      </Field>
    </div>
  );
}

function Reached({ data, isError, refetch }: ReturnType<typeof useAudiencePreview>) {
  if (isError) {
    return (
      <p role="alert" className="mt-4 font-semibold text-candy-deep">
        The number of recipients couldn't be loaded.{" "}
        <button type="button" className="underline underline-offset-2" onClick={() => void refetch()}>
          Try again
        </button>
      </p>
    );
  }
  return (
    <p aria-live="polite" className="mt-4">
      {data === undefined ? (
        "Counting…"
      ) : (
        <>
          Reaches <strong className="tabular-nums">{count(data.recipients, "person", "people")}</strong>
          {data.recipients > 0 && (
            <span className="text-sm wrap-anywhere text-ink-soft">
              , {data.examples.join(", ")}
              {data.recipients > data.examples.length && " …"}
            </span>
          )}
          {data.opted_out > 0 && (
            <span className="mt-1 block text-sm text-ink-soft">
              {count(data.opted_out, "more person", "more people")} unsubscribed and won't get it. Only the
              announcement of a canceled or rescheduled festival goes to everyone.
            </span>
          )}
        </>
      )}
    </p>
  );
}
