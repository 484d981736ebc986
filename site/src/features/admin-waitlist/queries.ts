import { useMutation, useQueryClient } from "@tanstack/react-query";
import { parseAnswer, read } from "#lib/lists/back-office-reads.ts";
import { csvTime, type CsvColumn } from "#lib/lists/csv.ts";
import { parseListPage, positionArgs, type ListPage } from "#lib/lists/list-pages.ts";
import type { ListSource } from "#lib/lists/list.ts";
import { ask } from "#lib/session/ask.ts";
import type { BadgeTone } from "#ui/basics/badge.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { z } from "zod";

const KEY = "admin-waitlist";

export const states = [
  { state: "waiting", name: "Waiting", tone: "default" },
  { state: "offered", name: "Offered", tone: "warning" },
  { state: "claimed", name: "In checkout", tone: "warning" },
  { state: "bought", name: "Bought", tone: "success" },
  { state: "expired", name: "Expired", tone: "danger" },
  { state: "left", name: "Left", tone: "default" },
] as const satisfies readonly { state: string; name: string; tone: BadgeTone }[];

type State = (typeof states)[number]["state"];

export function isState(value: string): value is State {
  return states.some(({ state }) => state === value);
}

const entry = z.object({
  id: z.string(),
  email: z.string(),
  ticket_type: z.string(),
  quantity: z.number(),
  state: z.enum(states.map(({ state }) => state)),
  offered: z.number(),
  offer_expires_at: z.string().nullable(),
  order_id: z.string().nullable(),
  created_at: z.string(),
  /** Its position in the line; null unless it is waiting. */
  position: z.number().nullable(),
});
export type Entry = z.output<typeof entry>;

const line = z.object({
  name: z.string(),
  people: z.number(),
  waiting: z.number(),
  offered: z.number(),
  available: z.number(),
});
export type Line = z.output<typeof line>;

export interface WaitlistFilter {
  search: string;
  state: State | undefined;
}

export interface WaitlistPage extends ListPage<Entry> {
  /** The state of each ticket type's line. */
  lines: readonly Line[];
}

export const waitlistList: ListSource<Entry, WaitlistFilter, WaitlistPage> = {
  key: KEY,
  size: 25,
  async read({ search, state }, size, place) {
    const answer = await read("waitlist", (supabase) =>
      supabase.rpc("list_waitlist", {
        p_search: search,
        ...(state && { p_state: state }),
        page_size: size,
        ...positionArgs(place),
      }),
    );
    const { lines } = parseAnswer("waitlist", z.object({ lines: z.array(line) }), answer);
    return { ...parseListPage("waitlist", entry, answer), lines };
  },
  startAfter: ({ created_at: at, id }) => ({ at, id }),
};

export const stateOf = (row: Entry) => states.find(({ state }) => state === row.state)!;

export const waitlistCsv: readonly CsvColumn<Entry>[] = [
  ["Email", (row) => row.email],
  ["Ticket Type", (row) => row.ticket_type],
  ["Tickets", (row) => row.quantity],
  ["Status", (row) => stateOf(row).name],
  ["Position", (row) => row.position],
  ["Offered", (row) => row.offered],
  ["Held until (Central)", (row) => csvTime(row.offer_expires_at)],
  ["Order", (row) => row.order_id],
  ["Joined (Central)", (row) => csvTime(row.created_at)],
  ["ID", (row) => row.id],
];

/** Offers a place out of turn. */
export function useOffer() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (row: Entry) => ask((supabase) => supabase.rpc("offer_place", { p_entry_id: row.id })),
    onSuccess: (_offered, row) => toast.success("Place offered", `We'll email ${row.email}.`),
    onError: (error) => toast.error("Failed to offer a place", error.message),
    onSettled: () => queryClient.invalidateQueries({ queryKey: [KEY] }),
  });
}
