import { useQuery } from "@tanstack/react-query";
import { callFunction } from "#lib/api/functions.ts";
import { readAnswer, rowsWith } from "#lib/api/read-answer.ts";
import { getSupabase } from "#lib/api/supabase.ts";
import { permitColumns, ticketColumns, type Permit, type Ticket } from "./model.ts";

const fields = ["id", "order_id", "order_item_id", "attendee_name", "created_at", "position"] as const;
const permitFields = ["id", "order_id", "order_item_id", "created_at", "position"] as const;

export const ticketsKey = (userId: string) => ["tickets", userId] as const;

/** The user's own tickets with their types, newest first. */
export function useTickets(userId: string) {
  return useQuery({
    queryKey: ticketsKey(userId),
    queryFn: async (): Promise<Ticket[]> => {
      const supabase = await getSupabase();
      const query = supabase.from("tickets").select(ticketColumns).eq("user_id", userId);
      const answer = await query.order("created_at", { ascending: false });
      return readAnswer("load tickets", answer, rowsWith<Ticket>(...fields));
    },
  });
}

/** Read again whenever the tickets are: their keys begin alike. */
export const permitsKey = (userId: string) => [...ticketsKey(userId), "permits"] as const;

/** The user's own parking permits. */
export function usePermits(userId: string) {
  return useQuery({
    queryKey: permitsKey(userId),
    queryFn: async (): Promise<Permit[]> => {
      const supabase = await getSupabase();
      const query = supabase.from("parking_permits").select(permitColumns).eq("user_id", userId);
      const answer = await query.order("created_at", { ascending: false });
      return readAnswer("load parking permits", answer, rowsWith<Permit>(...permitFields));
    },
  });
}

/** Has the server draw the QR code of a ticket or permit; returns the picture's address. @throws Error */
export async function generateQrCode(ticketId: string): Promise<string> {
  const answer = await callFunction<{ success: boolean; qrCodeUrl: string }>("generate-qr-code", {
    ticketId,
  });
  if (answer.success !== true || !answer.qrCodeUrl) throw new Error("Failed to generate QR code");
  return answer.qrCodeUrl;
}
