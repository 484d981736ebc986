// How many tickets one buyer may have, as the server counts it: with what was bought before.
import { useQuery } from "@tanstack/react-query";
import type { TicketAllowance } from "contract/ticket-allowance";
import { logError } from "#lib/browser/error-log.ts";
import { getSupabase } from "#lib/api/supabase.ts";

/** Undefined until it is known, or while it cannot be read: then the order itself says it. */
export function useTicketAllowance(userId: string | undefined): TicketAllowance | undefined {
  return useQuery({
    queryKey: ["ticket_allowance", userId ?? "nobody"],
    queryFn: fetchAllowance,
  }).data;
}

async function fetchAllowance(): Promise<TicketAllowance> {
  const supabase = await getSupabase();
  const { data, error } = await supabase.rpc("get_ticket_allowance");
  const allowance = data as Partial<TicketAllowance> | null;
  if (error || !Number.isInteger(allowance?.remaining) || !Number.isInteger(allowance?.max_tickets)) {
    logError("load the ticket allowance", error?.message ?? "no allowance");
    throw new Error(error?.message ?? "no allowance");
  }
  return allowance as TicketAllowance;
}

/** "20 tickets are the most for one buyer. You have 15 already, so 5 more are possible." */
export function allowanceWords({ max_tickets, bought, remaining }: TicketAllowance): string {
  const most = `${tickets(max_tickets)} ${max_tickets === 1 ? "is" : "are"} the most for one buyer.`;
  if (bought === 0) return most;
  return remaining === 0
    ? `${most} You have ${bought} already.`
    : `${most} You have ${bought} already, so ${remaining} more ${remaining === 1 ? "is" : "are"} possible.`;
}

const tickets = (number: number) => `${number} ${number === 1 ? "ticket" : "tickets"}`;
