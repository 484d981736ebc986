// At the bottom of a ticket: transferring it, recalling the offer, and correcting its attendee.
import { useState } from "react";
import { useFestival } from "#lib/festival/content.ts";
import { serverNow } from "#lib/time/server-clock.ts";
import { Button } from "#ui/basics/button.tsx";
import { EmailText } from "#ui/basics/email-text.tsx";
import { AlertDialog } from "#ui/overlays/alert-dialog.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { CorrectDialog } from "./correct-dialog.tsx";
import type { Pass, Transfer } from "./model.ts";
import { useDeadlines, useTicketChange } from "./queries.ts";
import { TransferDialog } from "./transfer-dialog.tsx";

interface TicketChangesProps {
  ticket: Pass;
  /** All tickets of the order that may be offered now. */
  offerable: readonly Pass[];
  /** The ticket's open offer. */
  offer: Transfer | undefined;
  userId: string;
}

export function TicketChanges({ ticket, offerable, offer, userId }: TicketChangesProps) {
  const deadlines = useDeadlines().data;
  const isCancelled = useFestival().status === "cancelled";
  const [asking, setAsking] = useState<"transfer" | "correct">();
  const close = () => setAsking(undefined);
  if (offer) return <Offered offer={offer} userId={userId} />;
  if (isCancelled) return null;
  // While the deadlines are unknown, the server's error explains them.
  const isOpen = (until: string | undefined) => until === undefined || serverNow() < Date.parse(until);
  const [transfers, corrections] = [isOpen(deadlines?.transfers), isOpen(deadlines?.corrections)];
  if (!transfers && !corrections) return null;
  return (
    <div className="col-span-full flex flex-wrap gap-2 border-t-2 border-dotted border-ink/40 p-2.5 sm:px-5 sm:py-3 print:hidden">
      {transfers && (
        <Button
          size="small"
          variant="secondary"
          aria-label={`Transfer the ticket of ${ticket.holder}`}
          onClick={() => setAsking("transfer")}
        >
          Transfer
        </Button>
      )}
      {corrections && (
        <Button
          size="small"
          variant="ghost"
          className="underline underline-offset-4"
          aria-label={`Edit Name or Email for ${ticket.holder}`}
          onClick={() => setAsking("correct")}
        >
          Edit Name or Email
        </Button>
      )}
      {asking === "transfer" && (
        <TransferDialog
          tickets={offerable}
          startId={ticket.id}
          userId={userId}
          closesAt={deadlines?.transfers}
          onClose={close}
        />
      )}
      {asking === "correct" && <CorrectDialog ticket={ticket} userId={userId} onClose={close} />}
    </div>
  );
}

function Offered({ offer, userId }: { offer: Transfer; userId: string }) {
  const recall = useTicketChange(userId);
  const [asking, setAsking] = useState(false);
  return (
    <div className="col-span-full flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-t-2 border-ink bg-brisket p-2.5 text-ink sm:px-5 sm:py-3 print:hidden">
      <p className="min-w-0 leading-snug wrap-anywhere">
        <strong>Offered to {offer.to_name}</strong> (<EmailText>{offer.to_email}</EmailText>), not accepted
        yet
      </p>
      <Button
        size="small"
        variant="secondary"
        busy={recall.isPending}
        aria-label={`Cancel offer to ${offer.to_name}`}
        onClick={() => setAsking(true)}
      >
        Cancel Offer
      </Button>
      <AlertDialog
        open={asking}
        onOpenChange={setAsking}
        title="Cancel the offer?"
        confirmLabel="Cancel Offer"
        cancelLabel="Keep Offer"
        onConfirm={() =>
          recall.mutate((supabase) => supabase.rpc("recall_transfer", { p_offer_id: offer.offer_id }), {
            onSuccess: () =>
              toast.success("Offer Canceled", "The link no longer works, and the ticket stays yours."),
            onError: ({ message }) => toast.error("Offer Not Canceled", message),
          })
        }
      >
        The link we emailed to {offer.to_name} stops working for all the tickets in the offer.
      </AlertDialog>
    </div>
  );
}
