import { useQuery, useQueryClient } from "@tanstack/react-query";
import { parseAnswer, read } from "#lib/lists/back-office-reads.ts";
import { csvTime, type CsvColumn } from "#lib/lists/csv.ts";
import { parseListPage, positionArgs, type ListPage } from "#lib/lists/list-pages.ts";
import type { ListSource } from "#lib/lists/list.ts";
import { isRefused, type Failure } from "#lib/api/refusal.ts";
import { readJson, writeJson } from "#lib/browser/stored-json.ts";
import { ask } from "#lib/session/ask.ts";
import { hasHint } from "contract/errors";
import { z } from "zod";
import {
  comp,
  compStates,
  unansweredIssue,
  type Comp,
  type CompFilter,
  type UnansweredIssue,
} from "./model.ts";
import type { Guest } from "./guest-list.ts";

const given = z.object({
  by_state: z.object({ valid: z.number(), in: z.number(), revoked: z.number() }),
  parking_given: z.number(),
});
export interface CompPage extends ListPage<Comp> {
  byState: z.infer<typeof given>["by_state"];
  /** Passes that came with tickets, and are still valid. */
  parkingGiven: number;
}

export const compList: ListSource<Comp, CompFilter, CompPage> = {
  key: "comps",
  size: 25,
  async read({ search, state }, size, place) {
    const answer = await read("comps", (supabase) =>
      supabase.rpc("list_comps", {
        ...(search && { p_search: search }),
        ...(state && { p_state: state }),
        page_size: size,
        ...positionArgs(place),
      }),
    );
    const { by_state: byState, parking_given: parkingGiven } = parseAnswer("comps", given, answer);
    return { ...parseListPage("comps", comp, answer), byState, parkingGiven };
  },
  startAfter: ({ created_at: at, id }) => ({ at, id }),
};

export const compCsv: readonly CsvColumn<Comp>[] = [
  ["Guest", (row) => row.name],
  ["Email", (row) => row.email],
  ["Type", (row) => row.type],
  ["Includes parking", (row) => (row.includes_parking ? "yes" : "no")],
  ["Reason", (row) => row.reason],
  ["Status", (row) => compStates.find(({ value }) => value === row.state)?.label ?? row.state],
  ["Issued by", (row) => row.issued_by],
  ["Issued (Central)", (row) => csvTime(row.created_at)],
  ["Reason revoked", (row) => row.revoke_reason],
  ["Order", (row) => row.id],
];

const type = z.object({
  id: z.string(),
  name: z.string(),
  current_inventory: z.number(),
  is_hidden: z.boolean(),
  /** The parking pass that each guest gets with it. */
  included_parking: z.string().nullable(),
});
export type TicketType = z.infer<typeof type>;

/** Hidden types too: a comp need not be for sale. */
export function useTicketTypes() {
  return useQuery({
    queryKey: ["inventory-status", "types"],
    queryFn: async () =>
      parseAnswer(
        "ticket types",
        z.object({ tickets: z.array(type) }),
        await read("ticket types", (supabase) => supabase.rpc("get_inventory_status")),
      ).tickets,
  });
}

export interface Issue {
  /** A retry under the same key issues once. */
  key: string;
  reason: string;
  typeId: string;
  guests: readonly Guest[];
}

/** Nothing was issued, with the reason. */
export class Refused extends Error {}

/** Comps were already issued under this key, before the form was changed. The response was lost. */
export class IssuedBefore extends Error {}

/** @throws Refused or IssuedBefore; any other error when it is unknown whether they were issued */
export async function issueComps({ key, reason, typeId, guests }: Issue): Promise<void> {
  try {
    await ask((supabase) =>
      supabase.rpc("issue_comps", {
        p_key: key,
        p_reason: reason,
        p_ticket_type_id: typeId,
        p_guests: guests.map(({ name, email }) => ({ name, email })),
      }),
    );
  } catch (error) {
    const { message, cause } = error as Error & { cause: Failure };
    if (hasHint(cause, "issued_before")) throw new IssuedBefore(message);
    throw isRefused(cause) ? new Refused(message) : error;
  }
}

/** An unanswered issue outlives dialog and reload. The next press finds out what happened. */
const UNANSWERED = "houston-culture-festival:comps";

export function keptIssue(userId: string): UnansweredIssue | undefined {
  const kept = unansweredIssue.safeParse(readJson("session", UNANSWERED));
  return kept.data?.userId === userId ? kept.data : undefined;
}

export const keepIssue = (issue: UnansweredIssue | undefined): void =>
  writeJson("session", UNANSWERED, issue);

export async function revokeComp(orderId: string, reason: string): Promise<void> {
  await ask((supabase) => supabase.rpc("revoke_comp", { p_order_id: orderId, p_reason: reason }));
}

export function useReadAgain() {
  const queryClient = useQueryClient();
  return () =>
    Promise.all(
      ["comps", "inventory-status", "sales-overview"].map((key) =>
        queryClient.invalidateQueries({ queryKey: [key] }),
      ),
    );
}
