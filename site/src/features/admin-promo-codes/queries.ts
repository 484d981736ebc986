import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answerOf } from "#lib/api/answer-of.ts";
import { parseAnswer, read } from "#lib/lists/back-office-reads.ts";
import { csvMoney, csvTime, type CsvColumn } from "#lib/lists/csv.ts";
import { parseListPage, positionArgs } from "#lib/lists/list-pages.ts";
import { allRows, type ListSource } from "#lib/lists/list.ts";
import { ask } from "#lib/session/ask.ts";
import { toast } from "#ui/overlays/toast.ts";
import { toCents } from "contract/shop/money";
import { z } from "zod";
import { promoCode, stateOf, type PromoCode, type PromoFields, type PromoState } from "./model.ts";

const KEY = "promo-codes";

export interface PromoFilter {
  search: string;
  state: PromoState | undefined;
}

export const promoList: ListSource<PromoCode, PromoFilter> = {
  key: KEY,
  size: 25,
  async read({ search, state }, size, place) {
    const answer = await read("promo codes", (supabase) =>
      supabase.rpc("list_promo_codes", {
        p_search: search,
        ...(state && { p_state: state }),
        page_size: size,
        ...positionArgs(place),
      }),
    );
    return parseListPage("promo codes", promoCode, answer);
  },
  startAfter: ({ created_at: at, id }) => ({ at, id }),
};

/** With the names of its ticket types. */
type FileRow = PromoCode & { types: string };

export const promoCsv: readonly CsvColumn<FileRow>[] = [
  ["Code", (row) => row.code],
  ["Note", (row) => row.note],
  ["Amount off", (row) => (row.amount_off === null ? null : csvMoney(toCents(row.amount_off)))],
  ["Percent off", (row) => row.percent_off],
  ["Ticket types", (row) => row.types],
  ["Used", (row) => row.used],
  ["Held", (row) => row.held],
  ["Limit", (row) => row.max_uses],
  ["Limit per buyer", (row) => row.max_uses_per_buyer],
  ["Status", (row) => stateOf(row).name],
  ["From (Central)", (row) => csvTime(row.opens_at)],
  ["To (Central)", (row) => csvTime(row.closes_at)],
  ["Created (Central)", (row) => csvTime(row.created_at)],
  ["ID", (row) => row.id],
];

/** Every row that matches the filter, once the names are loaded. */
export async function* promoFileRows(
  filter: PromoFilter,
  types: ReturnType<typeof useTicketTypeNames>,
): AsyncGenerator<readonly FileRow[]> {
  const names = await answerOf(types);
  const typesOf = (row: PromoCode) =>
    row.ticket_type_ids.map((id) => names.get(id) ?? id).join("; ") || "All";
  for await (const rows of allRows(promoList, filter))
    yield rows.map((row) => ({ ...row, types: typesOf(row) }));
}

const ticketTypes = z.array(z.object({ id: z.string(), name: z.string() }));

/** The ticket types a code may apply to, by id, including hidden ones. */
export function useTicketTypeNames() {
  return useQuery({
    queryKey: [KEY, "ticket-types"],
    queryFn: async (): Promise<ReadonlyMap<string, string>> => {
      const types = await read("ticket types", (supabase) =>
        supabase.from("products").select("id, name").eq("kind", "ticket").order("price"),
      );
      return new Map(parseAnswer("ticket types", ticketTypes, types).map(({ id, name }) => [id, name]));
    },
  });
}

/**
 * Updates the code at the version that was read, or creates one without `seen`. @throws Error with the
 * database's message
 */
export async function savePromoCode(
  fields: Partial<PromoFields & Pick<PromoCode, "is_paused">>,
  seen: Pick<PromoCode, "id" | "version"> | undefined,
): Promise<void> {
  if (!seen) {
    await ask((supabase) => supabase.from("promo_codes").insert(fields as PromoFields));
    return;
  }
  const { id, version } = seen;
  const saved = await ask((supabase) =>
    supabase.from("promo_codes").update(fields).match({ id, version }).select("id"),
  );
  if (saved.length === 0) {
    throw new Error("Someone else changed this code. Close this to see the current version.");
  }
}

export function useRefreshCodes() {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: [KEY] });
}

/** Pauses a code at once, or resumes it. */
export function usePause() {
  const refresh = useRefreshCodes();
  return useMutation({
    mutationFn: (row: PromoCode) => savePromoCode({ is_paused: !row.is_paused }, row),
    onSuccess: (_saved, row) =>
      toast.success(row.is_paused ? "Promo code resumed" : "Promo code paused", row.code),
    onError: (error) => toast.error("Failed to change the promo code", error.message),
    onSettled: refresh,
  });
}
