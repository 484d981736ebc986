// The response of `get_ticket_allowance`: how many tickets a buyer may have.
import { z } from "zod";

const tickets = z.number().int().min(0);

export const ticketAllowanceSchema = z.object({
  max_tickets: tickets,
  bought: tickets,
  /** Held by an unpaid order. A new order replaces it, so these do not reduce `remaining`. */
  held: tickets,
  remaining: tickets,
});

export type TicketAllowance = z.infer<typeof ticketAllowanceSchema>;
