import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { read } from "#lib/lists/back-office-reads.ts";
import { CSV_PAGE, type CsvPage } from "#lib/lists/csv.ts";
import { formatStamp } from "#lib/format.ts";
import { parseListPage, startArgs, wholeList, type PageStart } from "#lib/lists/list-pages.ts";
import { z } from "zod";

const inquiry = z.object({
  id: z.string(),
  company_name: z.string(),
  contact_name: z.string(),
  email: z.string(),
  phone: z.string(),
  sponsorship_level: z.string().nullable(),
  message: z.string().nullable(),
  created_at: z.string(),
});
export type SponsorInquiry = z.output<typeof inquiry>;

export const SPONSORS_PAGE = 25;

/** One page of inquiries; `start` is where the page before it ended. */
export function useSponsorInquiries(search: string, start: PageStart | undefined) {
  return useQuery({
    queryKey: ["sponsor-inquiries", search, start],
    queryFn: () => fetchInquiries(search, SPONSORS_PAGE, start),
    placeholderData: keepPreviousData,
  });
}

export const startAfterInquiry = (last: SponsorInquiry): PageStart => ({ at: last.created_at, id: last.id });

async function fetchInquiries(search: string, size: number, start: PageStart | undefined) {
  return parseListPage(
    inquiry,
    await read("sponsor inquiries", (supabase) =>
      supabase.rpc("list_sponsor_inquiries", { p_search: search, page_size: size, ...startArgs(start) }),
    ),
  );
}

export const sponsorCsvHeader = [
  "Company",
  "Contact",
  "Email",
  "Phone",
  "Level",
  "Message",
  "Received (Central)",
  "Id",
];

export async function* sponsorCsv(search: string): AsyncGenerator<CsvPage> {
  const pages = wholeList(
    CSV_PAGE,
    async (start) => (await fetchInquiries(search, CSV_PAGE, start)).rows,
    startAfterInquiry,
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
