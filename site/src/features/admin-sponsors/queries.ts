import { read } from "#lib/lists/back-office-reads.ts";
import { csvTime, type CsvColumn } from "#lib/lists/csv.ts";
import { parseListPage, positionArgs } from "#lib/lists/list-pages.ts";
import type { ListSource } from "#lib/lists/list.ts";
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

export interface InquiryFilter {
  search: string;
}

export const inquiryList: ListSource<SponsorInquiry, InquiryFilter> = {
  key: "sponsor-inquiries",
  size: 25,
  async read({ search }, size, place) {
    const answer = await read("sponsor inquiries", (supabase) =>
      supabase.rpc("list_sponsor_inquiries", { p_search: search, page_size: size, ...positionArgs(place) }),
    );
    return parseListPage("sponsor inquiries", inquiry, answer);
  },
  startAfter: ({ created_at: at, id }) => ({ at, id }),
};

export const inquiryCsv: readonly CsvColumn<SponsorInquiry>[] = [
  ["Company", (row) => row.company_name],
  ["Contact", (row) => row.contact_name],
  ["Email", (row) => row.email],
  ["Phone", (row) => row.phone],
  ["Level", (row) => row.sponsorship_level],
  ["Message", (row) => row.message],
  ["Received (Central)", (row) => csvTime(row.created_at)],
  ["ID", (row) => row.id],
];
