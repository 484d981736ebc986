import { useQuery } from "@tanstack/react-query";
import { z } from "zod";
import { parseAnswer, read } from "#lib/lists/back-office-reads.ts";
import { CSV_PAGE } from "#lib/lists/csv.ts";
import { wholeList, type PagePosition } from "#lib/lists/list-pages.ts";
import { TILL_REPORT } from "#lib/lists/till-reads.ts";
import { ask } from "#lib/session/ask.ts";
import { tillPayment, tillReport, type TillPayment } from "./model.ts";

export interface Days {
  /** "2025-06-19", or "" for no bound. */
  from: string;
  to: string;
}

export function useTillReport({ from, to }: Days) {
  return useQuery({
    queryKey: [TILL_REPORT, from, to],
    queryFn: async () =>
      parseAnswer(
        "the tills",
        tillReport,
        await read("the tills", (supabase) =>
          supabase.rpc("get_till_report", { ...(from && { p_from: from }), ...(to && { p_to: to }) }),
        ),
      ),
    refetchInterval: 15_000,
    placeholderData: (before) => before,
  });
}

/** Every movement of the shifts on screen, newest first. */
export async function* paymentsOf(shiftIds: readonly string[]): AsyncGenerator<readonly TillPayment[]> {
  if (shiftIds.length === 0) return;
  const shown = new Set(shiftIds);
  const fetchRows = async (place: PagePosition) => {
    const answer = await read("the tills' payments", (supabase) => {
      let rows = supabase.from("till_payments").select("*, till_shifts(seller_email)");
      if ("after" in place) {
        const { at, id } = place.after;
        rows = rows.lte("created_at", at).or(`created_at.lt."${at}",id.gt.${id}`);
      }
      return rows.order("created_at", { ascending: false }).order("id").limit(CSV_PAGE);
    });
    return parseAnswer("the tills' payments", z.array(tillPayment), answer);
  };
  for await (const rows of wholeList(CSV_PAGE, fetchRows, ({ created_at: at, id }) => ({ at, id }))) {
    yield rows.filter(({ shift_id: shift }) => shown.has(shift));
  }
}

export async function closeTill(id: string, counted: number, note: string): Promise<void> {
  const closing = { p_shift_id: id, p_counted: counted, p_note: note };
  await ask((supabase) => supabase.rpc("close_till", closing));
}
