import { useMutation } from "@tanstack/react-query";
import { logError } from "#lib/browser/error-log.ts";
import { getSupabase } from "#lib/api/supabase.ts";
import { toast } from "#ui/overlays/toast.ts";

/** Refused with a message for people: too often, or not paid. */
class SendingRefused extends Error {}
const REFUSALS = ["PT429", "PT404", "23514"];

/** Mails all tickets of an order again, including the attendees'. SQL limits how often. */
export function useSendAgain(orderId: string) {
  const { isPending: isSending, mutate } = useMutation({
    mutationFn: async () => {
      const supabase = await getSupabase();
      const { error } = await supabase.rpc("mail_order_again", { p_order_id: orderId });
      if (!error) return;
      if (REFUSALS.includes(error.code)) throw new SendingRefused(error.message);
      throw new Error(error.message, { cause: error });
    },
    onSuccess: () =>
      toast.success(
        "Tickets Sent",
        "All tickets of this order are on their way again. Check your spam folder too.",
      ),
    onError: (error) => {
      if (error instanceof SendingRefused) return toast.error("Not Sent", error.message);
      logError("send the tickets again", error);
      toast.error("Not Sent", "The tickets could not be sent. Please check your connection and try again.");
    },
  });
  return { isSending, send: () => mutate() };
}
