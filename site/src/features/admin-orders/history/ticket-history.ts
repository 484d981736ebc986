// What happened to an order's tickets after the sale, in the words of its history: transfers and corrections.
import { isolated } from "#lib/format.ts";
import type { Database } from "contract/database";

type Row<Table extends keyof Database["public"]["Tables"]> = Database["public"]["Tables"][Table]["Row"];

export interface TicketChanges {
  ticket_transfers: Pick<
    Row<"ticket_transfers">,
    | "id"
    | "from_attendee"
    | "to_name"
    | "to_email"
    | "ticket_name"
    | "state"
    | "expired_because"
    | "offered_at"
    | "ended_at"
  >[];
  attendee_corrections: Row<"attendee_corrections">[];
}

/** In PostgREST's syntax. */
export const ticketChangeColumns =
  "ticket_transfers(id, from_attendee, to_name, to_email, ticket_name, state, expired_because, offered_at, ended_at), attendee_corrections(*)";

const expiredWords: Readonly<Record<string, string>> = {
  not_accepted: "was not accepted in time",
  refunded: "ended with the refund",
  scanned: "ended when the ticket was scanned in",
};

/** `actorOf` names an administrator by id. */
export function changesOf(
  { ticket_transfers, attendee_corrections }: TicketChanges,
  actorOf: (id: string | null) => string,
) {
  const events: { key: string; at: string; text: string }[] = [];
  for (const transfer of ticket_transfers) {
    const { id, from_attendee, to_name, to_email, ticket_name, state, offered_at, ended_at } = transfer;
    const what = `${ticket_name} of ${isolated(from_attendee)}`;
    const to = `${isolated(to_name)} (${to_email})`;
    events.push({ key: id, at: offered_at, text: `${what} offered to ${to}` });
    if (ended_at === null) continue;
    const end =
      state === "accepted"
        ? `${what} transferred to ${to}`
        : `The offer to ${to} ${state === "recalled" ? "was canceled" : (expiredWords[transfer.expired_because ?? ""] ?? "ended")}`;
    events.push({ key: `${id} end`, at: ended_at, text: end });
  }
  for (const correction of attendee_corrections) {
    const { id, old_name, old_email, new_name, new_email, reason, corrected_at } = correction;
    const who = correction.by_admin ? actorOf(correction.corrected_by) : "The ticket holder";
    const why = reason === null ? "" : `: ${reason}`;
    events.push({
      key: id,
      at: corrected_at,
      text: `${who} changed ${isolated(old_name)} (${old_email}) to ${isolated(new_name)} (${new_email})${why}`,
    });
  }
  return events;
}
