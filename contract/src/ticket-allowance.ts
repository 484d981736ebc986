// The answer of `get_ticket_allowance`: how many tickets a buyer may have.
import { z } from "zod";

const tickets = z.number().int().min(0);

export const ticketAllowanceSchema = z.object({
  max_tickets: tickets,
  bought: tickets,
  /** By an unpaid order. A new order takes its place, so these are not taken off what remains. */
  held: tickets,
  remaining: tickets,
});

export type TicketAllowance = z.infer<typeof ticketAllowanceSchema>;
