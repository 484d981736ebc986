// A sent message: its text, its progress, and the addresses it did not reach.
import { Badge } from "#ui/basics/badge.tsx";
import { Button } from "#ui/basics/button.tsx";
import { EmailText } from "#ui/basics/email-text.tsx";
import { Spinner } from "#ui/basics/spinner.tsx";
import { type Column, DataTable } from "#ui/lists/data-table.tsx";
import { Dialog } from "#ui/overlays/dialog.tsx";
import { ErrorState } from "#ui/page/screen-states.tsx";
import { audienceText, type Bounce, type Message, progressText, standingOf, standingTones } from "./model.ts";
import { useBounces, useMessageControls } from "./queries.ts";

interface MessageDialogProps {
  message: Message;
  typeNames: ReadonlyMap<string, string> | undefined;
  onClose: () => void;
}

export function MessageDialog({ message, typeNames, onClose }: MessageDialogProps) {
  const standing = standingOf(message);
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={message.subject}
      description={`To ${audienceText(message.audience, typeNames)}.`}
      actions={
        <Button size="small" variant="secondary" onClick={onClose}>
          Close
        </Button>
      }
    >
      <p aria-live="polite" className="mb-4 flex flex-wrap items-center gap-3">
        <Badge tone={standingTones[standing]}>{standing}</Badge>
        <span className="tabular-nums">{progressText(message)}</span>
      </p>
      <Controls message={message} />
      <p className="mt-4 border-l-4 border-ink/20 pl-3 wrap-break-word whitespace-pre-line">{message.body}</p>
      {message.bounced > 0 && <Bounces message={message} />}
    </Dialog>
  );
}

function Controls({ message }: { message: Message }) {
  const { stop, resume, retryBounced, isPending } = useMessageControls();
  const standing = standingOf(message);
  return (
    <div className="flex flex-wrap gap-3 empty:hidden">
      {standing === "Sending" && (
        <Button size="small" variant="danger" disabled={isPending} onClick={() => void stop(message)}>
          Stop Sending
        </Button>
      )}
      {(standing === "Stopped" || standing === "Failed") && (
        <Button size="small" disabled={isPending} onClick={() => void resume(message)}>
          Send the Rest
        </Button>
      )}
      {standing === "Sent" && message.bounced > 0 && (
        <Button
          size="small"
          variant="secondary"
          disabled={isPending}
          onClick={() => void retryBounced(message)}
        >
          Retry Bounced
        </Button>
      )}
    </div>
  );
}

function Bounces({ message }: { message: Message }) {
  const { data, error, isError, refetch } = useBounces(message.id);
  if (isError)
    return (
      <ErrorState
        title="The bounced addresses couldn't be loaded."
        cause={error}
        onRetry={() => void refetch()}
      />
    );
  if (!data) return <Spinner label="Loading the bounced addresses" />;
  return (
    <div className="mt-5">
      <DataTable
        caption="Addresses we couldn't reach"
        rows={data}
        rowKey={({ email }) => email}
        columns={columns}
      />
      {data.length < message.bounced && (
        <p className="mt-2 text-sm text-ink-soft">These are the first {data.length}.</p>
      )}
    </div>
  );
}

const columns: readonly Column<Bounce>[] = [
  {
    key: "address",
    header: "Address",
    cell: ({ name, email }) => (
      <>
        <EmailText className="block">{email}</EmailText>
        <span className="block text-sm text-ink-soft">{name}</span>
      </>
    ),
  },
  {
    key: "why",
    phone: "line",
    header: "Server response",
    cell: ({ problem }) => <span className="wrap-anywhere">{problem}</span>,
  },
];
