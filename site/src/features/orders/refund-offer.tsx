// After the festival was moved or cancelled: a buyer refunds an order without contacting anyone.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Fragment, useState } from "react";
import { formatCents } from "contract/shop/money";
import { z } from "zod";
import { isOpenOutcome } from "#lib/api/open-outcome.ts";
import { readAnswer } from "#lib/api/read-answer.ts";
import { getSupabase } from "#lib/api/supabase.ts";
import { formatZonedMoment, shortId } from "#lib/format.ts";
import { useFestival } from "#lib/festival/content.ts";
import { ask } from "#lib/session/ask.ts";
import { Button } from "#ui/basics/button.tsx";
import { AlertDialog } from "#ui/overlays/alert-dialog.tsx";
import { toast } from "#ui/overlays/toast.ts";
import type { Order } from "./model.ts";

const offerSchema = z.object({
  until: z.string(),
  cents: z.number(),
  passed_on: z.array(z.object({ ticket: z.string(), to: z.string() })),
});
type Offer = z.infer<typeof offerSchema>;
const offersSchema = z.record(z.string(), offerSchema);

/** The orders that can be refunded. Read only after a change. */
function useRefundOffers() {
  const { status } = useFestival();
  return useQuery({
    queryKey: ["orders", "refund-offers"],
    enabled: status !== "planned",
    queryFn: async () => {
      const supabase = await getSupabase();
      return readAnswer("load refunds", await supabase.rpc("get_refund_offers"), (answer) =>
        offersSchema.parse(answer),
      );
    },
  });
}

export function RefundOffer({ order }: { order: Order }) {
  const offers = useRefundOffers();
  const offer = offers.data?.[order.id];
  const isCancelled = useFestival().status === "cancelled";
  const [asking, setAsking] = useState(false);
  const queryClient = useQueryClient();
  const refund = useMutation({
    mutationFn: () => ask((supabase) => supabase.rpc("request_refund", { p_order_id: order.id })),
    onSuccess: () => toast.success("Your money is on its way back", "We'll email you when it's done."),
    onError: (error) =>
      isOpenOutcome(error)
        ? toast.error(
            "No response",
            "The refund may have started. You are refunded only once, even if you try again.",
          )
        : toast.error("The refund did not go through", error.message),
    onSettled: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: ["orders"] }),
        queryClient.invalidateQueries({ queryKey: ["tickets"] }),
      ]),
  });
  if (offers.isError && !offers.data) return <Unread onRetry={() => void offers.refetch()} />;
  if (offer === undefined) return null;
  const name = `Order #${shortId(order.id)}`;
  return (
    <div className="mt-3 border-l-4 border-candy pl-3 print:hidden">
      <p>
        {isCancelled ? "The festival is canceled." : "The festival has a new date."} You can get your money
        back until {formatZonedMoment(offer.until)}.
      </p>
      <Button
        size="small"
        variant="danger"
        className="mt-2"
        busy={refund.isPending}
        aria-label={`Refund ${name}`}
        onClick={() => setAsking(true)}
      >
        Refund Order
      </Button>
      <AlertDialog
        open={asking}
        onOpenChange={setAsking}
        title={`Refund ${name}?`}
        confirmLabel="Refund Order"
        cancelLabel="Keep My Tickets"
        destructive
        onConfirm={() => refund.mutate()}
      >
        {formatCents(offer.cents)} goes back to the card you paid with. All of the order's tickets and parking
        stop working at once, including those of your guests.
        <PassedOn offer={offer} />
      </AlertDialog>
    </div>
  );
}

function Unread({ onRetry }: { onRetry: () => void }) {
  return (
    <p className="mt-3 border-l-4 border-candy pl-3 print:hidden">
      We could not check whether you can get your money back.{" "}
      <button type="button" className="min-h-6 font-semibold underline underline-offset-4" onClick={onRetry}>
        Try Again
      </button>
    </p>
  );
}

/** Someone else relies on these tickets, so the buyer sees who before they become void. */
function PassedOn({ offer: { passed_on: gone } }: { offer: Offer }) {
  if (gone.length === 0) return null;
  return (
    <>
      {" "}
      That includes tickets you have transferred:{" "}
      {gone.map(({ ticket, to }, index) => (
        <Fragment key={index}>
          {index > 0 && ", "}
          {ticket} to <bdi className="font-semibold">{to}</bdi>
        </Fragment>
      ))}
      .
    </>
  );
}
