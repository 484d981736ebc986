import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { read } from "#lib/lists/back-office-reads.ts";
import { CSV_PAGE, type CsvPage } from "#lib/lists/csv.ts";
import { formatStamp } from "#lib/format.ts";
import { startArgs, wholeList, type PageStart } from "#lib/lists/list-pages.ts";
import { getSupabase } from "#lib/api/supabase.ts";
import { toast } from "#ui/overlays/toast.ts";
import {
  parseApplication,
  parseVendorPage,
  statusName,
  VENDORS_PAGE,
  type VendorApplication,
  type VendorStatus,
} from "./model.ts";

export interface VendorFilter {
  search: string;
  status: VendorStatus | undefined;
}

/** One page of applications; `start` is where the page before it ended. */
export function useVendorApplications(filter: VendorFilter, start: PageStart | undefined) {
  return useQuery({
    queryKey: ["vendor-applications", filter, start],
    queryFn: () => fetchApplications(filter, VENDORS_PAGE, start),
    placeholderData: keepPreviousData,
  });
}

export const startAfterApplication = (last: VendorApplication): PageStart => ({
  at: last.submission_date,
  id: last.id,
});

async function fetchApplications(
  { search, status }: VendorFilter,
  size: number,
  start: PageStart | undefined,
) {
  return parseVendorPage(
    await read("vendor applications", (supabase) =>
      supabase.rpc("list_vendor_applications", {
        p_search: search,
        ...(status && { p_status: status }),
        page_size: size,
        ...startArgs(start),
      }),
    ),
  );
}

/** The application of a dialog, which stays open whatever the list beside it shows. */
export function useVendorApplication(id: string | undefined, listed: VendorApplication | undefined) {
  return useQuery({
    queryKey: ["vendor-applications", "one", id],
    queryFn: async () =>
      parseApplication(
        await read("vendor applications", (supabase) =>
          supabase.from("vendor_applications").select("*").eq("id", id!).single(),
        ),
      ),
    enabled: id !== undefined,
    placeholderData: listed,
  });
}

interface Decision {
  seen: Pick<VendorApplication, "id" | "booth_name" | "version"> & { status: string };
  status: string;
  /** It takes back a decision made a moment ago. */
  undoes?: boolean;
}

/** Decides on the application as it was seen: whoever comes second is told, and sees what the first one decided. */
export function useSetVendorStatus() {
  const queryClient = useQueryClient();
  const decide = useMutation({
    mutationFn: async ({ seen, status }: Decision) => {
      const supabase = await getSupabase();
      const { data, error } = await supabase
        .from("vendor_applications")
        .update({ status })
        .match({ id: seen.id, version: seen.version })
        .select("version");
      if (error) throw new Error(error.message);
      const [decided] = data;
      if (!decided) throw new Error("Somebody else changed this application. It is shown as it is now.");
      return decided.version;
    },
    onSuccess: (version, { seen, status, undoes }) =>
      toast.success(
        "Vendor application status updated successfully",
        `${seen.booth_name}: ${statusName(status)}`,
        undoes
          ? undefined
          : {
              label: "Undo",
              run: () =>
                decide.mutate({ seen: { ...seen, status, version }, status: seen.status, undoes: true }),
            },
      ),
    onError: (error) => toast.error("Failed to update vendor status", error.message),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ["vendor-applications"] }),
  });
  return { isPending: decide.isPending, apply: (made: Decision) => decide.mutateAsync(made).catch(() => {}) };
}

export const vendorCsvHeader = [
  "Booth Name",
  "Contact",
  "Email",
  "Phone",
  "Status",
  "Submitted (Central)",
  "Booth Size",
  "Description of Goods",
  "Special Requests",
  "Id",
];

export async function* vendorCsv(filter: VendorFilter): AsyncGenerator<CsvPage> {
  const pages = wholeList(
    CSV_PAGE,
    async (start) => (await fetchApplications(filter, CSV_PAGE, start)).rows,
    startAfterApplication,
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
