// After the festival was moved or cancelled: a buyer takes the money of an order back, without asking anybody.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { formatCents, toCents } from "contract/money";
import { z } from "zod";
import { readAnswer } from "#lib/api/read-answer.ts";
import { getSupabase } from "#lib/api/supabase.ts";
import { formatMoment, shortId } from "#lib/format.ts";
import { useFestival } from "#lib/festival/content.ts";
import { Button } from "#ui/basics/button.tsx";
import { AlertDialog } from "#ui/overlays/alert-dialog.tsx";
import { toast } from "#ui/overlays/toast.ts";
import type { Order } from "./model.ts";

const offers = z.record(z.string(), z.string());

/** Until when the money may be asked for, by order. Asked only after a change. */
function useRefundOffers() {
  const { status } = useFestival();
  return useQuery({
    queryKey: ["orders", "refund-offers"],
    enabled: status !== "planned",
    queryFn: async () => {
      const supabase = await getSupabase();
      return readAnswer("load refunds", await supabase.rpc("get_refund_offers"), (answer) =>
        offers.parse(answer),
      );
    },
  });
}

export function RefundOffer({ order }: { order: Order }) {
  const until = useRefundOffers().data?.[order.id];
  const [asking, setAsking] = useState(false);
  const queryClient = useQueryClient();
  const refund = useMutation({
    mutationFn: async () => {
      const { error } = await (await getSupabase()).rpc("request_refund", { p_order_id: order.id });
      if (error) throw new Error(error.message);
    },
    onSuccess: () => toast.success("Your money is on its way back", "We mail you when it is done."),
    onError: (error) => toast.error("The refund did not go through", error.message),
    onSettled: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: ["orders"] }),
        queryClient.invalidateQueries({ queryKey: ["tickets"] }),
      ]),
  });
  if (until === undefined) return null;
  const name = `Order #${shortId(order.id)}`;
  return (
    <div className="mt-3 border-l-4 border-candy pl-3 print:hidden">
      <p>The festival has changed. You may have your money back until {formatMoment(until)}.</p>
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
        confirmLabel="Refund it"
        cancelLabel="Keep my tickets"
        destructive
        onConfirm={() => refund.mutate()}
      >
        {formatCents(toCents(order.total_amount))} goes back to the card you paid with, less what was refunded
        before. All of its tickets and parking stop working at once, also those of your guests.
      </AlertDialog>
    </div>
  );
}
