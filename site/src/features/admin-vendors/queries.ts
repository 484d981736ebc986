import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { read } from "#lib/back-office-reads.ts";
import type { CsvPage } from "#lib/csv.ts";
import { formatStamp } from "#lib/format.ts";
import { ROW_PAGE, rowPages } from "#lib/row-pages.ts";
import { getSupabase } from "#lib/supabase.ts";
import { toast } from "#ui/toast.ts";
import { statuses, type VendorApplication, type VendorStatus } from "./model.ts";

const WHAT = "vendor applications";

export function useVendorApplications(status: VendorStatus | undefined) {
  return useQuery({
    queryKey: ["vendor-applications", status ?? "all"],
    queryFn: () =>
      read(WHAT, (supabase) => {
        const all = supabase.from("vendor_applications").select("*");
        return (status ? all.eq("status", status) : all)
          .order("submission_date", { ascending: false })
          .order("id");
      }),
  });
}

/** How many applications stand at each status. */
export function useVendorCounts() {
  return useQuery({
    queryKey: ["vendor-counts"],
    queryFn: async () => {
      const supabase = await getSupabase();
      const counts = await Promise.all(
        statuses.map(async ({ status }) => {
          const { count, error } = await supabase
            .from("vendor_applications")
            .select("id", { count: "exact", head: true })
            .eq("status", status);
          if (error) throw new Error(`Failed to fetch ${WHAT}: ${error.message}`);
          return [status, count ?? 0] as const;
        }),
      );
      return new Map<string, number>(counts);
    },
  });
}

/** Decides on the application as it was seen: whoever comes second is told, and sees what the first one decided. */
export function useSetVendorStatus() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({ seen, status }: { seen: VendorApplication; status: VendorStatus }) => {
      const supabase = await getSupabase();
      const { data, error } = await supabase
        .from("vendor_applications")
        .update({ status })
        .match({ id: seen.id, version: seen.version })
        .select("id");
      if (error) throw new Error(error.message);
      if (data.length === 0)
        throw new Error("Somebody else changed this application. It is shown as it is now.");
    },
    onSuccess: () => toast.success("Vendor application status updated successfully"),
    onError: (error) => toast.error("Failed to update vendor status", error.message),
    onSettled: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: ["vendor-applications"] }),
        queryClient.invalidateQueries({ queryKey: ["vendor-counts"] }),
      ]),
  });
}

export const vendorCsvHeader = [
  "Booth Name",
  "Contact",
  "Email",
  "Phone",
  "Status",
  "Submitted",
  "Booth Size",
  "Description of Goods",
  "Special Requests",
  "Id",
];

export async function* vendorCsv(status: VendorStatus | undefined): AsyncGenerator<CsvPage> {
  const pages = rowPages<VendorApplication>("submission_date", ({ after }) =>
    read(WHAT, (supabase) => {
      let rows = supabase.from("vendor_applications").select("*");
      if (status) rows = rows.eq("status", status);
      if (after) rows = rows.or(after);
      return rows.order("submission_date", { ascending: false }).order("id").limit(ROW_PAGE);
    }),
  );
  for await (const rows of pages) {
    yield {
      rows: rows.map((row) => [
        row.booth_name,
        row.contact_name,
        row.contact_email,
        row.contact_phone,
        row.status,
        formatStamp(row.submission_date),
        row.booth_size_requested,
        row.description_of_goods,
        row.special_requests,
        row.id,
      ]),
    };
  }
}
