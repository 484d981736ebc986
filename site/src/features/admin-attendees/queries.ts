import { useQuery } from "@tanstack/react-query";
import { parseAnswer, read } from "#lib/lists/back-office-reads.ts";
import { csvTime, type CsvColumn } from "#lib/lists/csv.ts";
import { parseListPage, positionArgs } from "#lib/lists/list-pages.ts";
import type { ListSource } from "#lib/lists/list.ts";
import { z } from "zod";
import { attendee, attendeeStates, type Attendee, type AttendeeFilter, type AttendeePage } from "./model.ts";

const voids = z.object({ void_count: z.number().nullable() });

export const attendeeList: ListSource<Attendee, AttendeeFilter, AttendeePage> = {
  key: "attendees",
  size: 25,
  async read({ search, type, channel, state }, size, place) {
    const answer = await read("attendees", (supabase) =>
      supabase.rpc("list_attendees", {
        ...(search && { p_search: search }),
        ...(type && { p_type: type }),
        ...(channel && { p_channel: channel }),
        ...(state && { p_state: state }),
        page_size: size,
        ...positionArgs(place),
      }),
    );
    const { void_count: voided } = parseAnswer("attendees", voids, answer);
    return { ...parseListPage("attendees", attendee, answer), voided };
  },
  startAfter: ({ ordered_at: at, id }) => ({ at, id }),
};

export const attendeeCsv: readonly CsvColumn<Attendee>[] = [
  ["Attendee", (row) => row.name],
  ["Email", (row) => row.email],
  ["Type", (row) => row.type],
  ["Status", (row) => attendeeStates.find(({ value }) => value === row.state)?.label ?? row.state],
  ["Checked in (Central)", (row) => csvTime(row.checked_in_at)],
  ["Channel", (row) => row.channel],
  ["Buyer", (row) => row.buyer],
  ["Ordered (Central)", (row) => csvTime(row.ordered_at)],
  ["Order", (row) => row.order_id],
  ["Ticket", (row) => row.id],
];

const types = z.object({ tickets: z.array(z.object({ id: z.string(), name: z.string() })) });

/** Hidden types too, because some of their tickets are sold. */
export function useTicketTypes() {
  return useQuery({
    queryKey: ["inventory-status", "names"],
    queryFn: async () =>
      parseAnswer(
        "ticket types",
        types,
        await read("ticket types", (supabase) => supabase.rpc("get_inventory_status")),
      ).tickets,
  });
}
