import { useQuery } from "@tanstack/react-query";
import { logError } from "#lib/browser/error-log.ts";
import { getSupabase } from "#lib/api/supabase.ts";
import { inOrder, ticketColumns, type Ticket } from "./model.ts";

export const ticketsKey = (userId: string) => ["tickets", userId] as const;

/** The user's own tickets with their types, newest first. */
export function useTickets(userId: string) {
  return useQuery({
    queryKey: ticketsKey(userId),
    queryFn: async (): Promise<Ticket[]> => {
      const supabase = await getSupabase();
      const { data, error } = await supabase
        .from("tickets")
        .select(ticketColumns)
        .eq("user_id", userId)
        .order("created_at", { ascending: false });
      if (error) {
        logError("load tickets", error.message);
        throw new Error(error.message);
      }
      return inOrder(data);
    },
  });
}
