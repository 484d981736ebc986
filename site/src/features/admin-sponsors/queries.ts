import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Database } from "contract/database";
import { read } from "#lib/back-office-reads.ts";
import type { CsvPage } from "#lib/csv.ts";
import { formatStamp } from "#lib/format.ts";
import { ROW_PAGE, rowPages } from "#lib/row-pages.ts";
import { getSupabase } from "#lib/supabase.ts";

export type SponsorInquiry = Database["public"]["Tables"]["sponsor_inquiries"]["Row"];

export const SPONSORS_PAGE = 25;
const WHAT = "sponsor inquiries";

export function useSponsorInquiries(page: number) {
  return useQuery({
    queryKey: ["sponsor-inquiries", page],
    queryFn: async () => {
      const supabase = await getSupabase();
      const from = (page - 1) * SPONSORS_PAGE;
      const { data, count, error } = await supabase
        .from("sponsor_inquiries")
        .select("*", { count: "exact" })
        .order("created_at", { ascending: false })
        .order("id")
        .range(from, from + SPONSORS_PAGE - 1);
      if (error) throw new Error(`Failed to fetch ${WHAT}: ${error.message}`);
      return { inquiries: data, total: count ?? 0 };
    },
    placeholderData: keepPreviousData,
  });
}

export const sponsorCsvHeader = [
  "Company",
  "Contact",
  "Email",
  "Phone",
  "Level",
  "Message",
  "Received",
  "Id",
];

export async function* sponsorCsv(): AsyncGenerator<CsvPage> {
  const pages = rowPages<SponsorInquiry>("created_at", ({ after }) =>
    read(WHAT, (supabase) => {
      const rows = supabase.from("sponsor_inquiries").select("*");
      return (after ? rows.or(after) : rows)
        .order("created_at", { ascending: false })
        .order("id")
        .limit(ROW_PAGE);
    }),
  );
  for await (const rows of pages) {
    yield {
      rows: rows.map((row) => [
        row.company_name,
        row.contact_name,
        row.email,
        row.phone,
        row.sponsorship_level,
        row.message,
        formatStamp(row.created_at),
        row.id,
      ]),
    };
  }
}
