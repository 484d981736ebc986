import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { read } from "#lib/lists/back-office-reads.ts";
import { csvTime, type CsvColumn } from "#lib/lists/csv.ts";
import { positionArgs } from "#lib/lists/list-pages.ts";
import type { ListSource } from "#lib/lists/list.ts";
import { getSupabase } from "#lib/api/supabase.ts";
import { ask } from "#lib/session/ask.ts";
import { toast } from "#ui/overlays/toast.ts";
import {
  decidedText,
  isBeingSent,
  parseApplication,
  parseDecisionMails,
  parseVendorPage,
  VENDORS,
  type VendorApplication,
  type VendorFilter,
  type VendorPage,
} from "./model.ts";

const ADDRESS_SECONDS = 3600;
const WHILE_SENDING_MS = 5000;

export const vendorList: ListSource<VendorApplication, VendorFilter, VendorPage> = {
  key: "vendor-applications",
  size: 25,
  async read({ search, status }, size, place) {
    const answer = await read(VENDORS, (supabase) =>
      supabase.rpc("list_vendor_applications", {
        p_search: search,
        ...(status && { p_status: status }),
        page_size: size,
        ...positionArgs(place),
      }),
    );
    return parseVendorPage(answer);
  },
  startAfter: ({ submission_date: at, id }) => ({ at, id }),
};

export const vendorCsv: readonly CsvColumn<VendorApplication>[] = [
  ["Booth Name", (row) => row.booth_name],
  ["Contact", (row) => row.contact_name],
  ["Email", (row) => row.contact_email],
  ["Phone", (row) => row.contact_phone],
  ["Status", (row) => row.status],
  ["Submitted (Central)", (row) => csvTime(row.submission_date)],
  ["Booth Size", (row) => row.booth_size_requested],
  ["Description of Goods", (row) => row.description_of_goods],
  ["Special Requests", (row) => row.special_requests],
  ["ID", (row) => row.id],
];

/** The dialog's application. The dialog stays open whatever the list behind it shows. */
export function useVendorApplication(id: string | undefined, listed: VendorApplication | undefined) {
  return useQuery({
    queryKey: ["vendor-applications", "one", id],
    queryFn: async () =>
      parseApplication(
        await read(VENDORS, (supabase) =>
          supabase.from("vendor_applications").select("*").eq("id", id!).single(),
        ),
      ),
    enabled: id !== undefined,
    placeholderData: listed,
  });
}

/** The latest mail about a decision, null if there was none in the last 30 days. */
export function useDecisionMail(id: string) {
  return useQuery({
    queryKey: ["vendor-applications", "mail", id],
    queryFn: async () => {
      const mails = await read(VENDORS, (supabase) =>
        supabase
          .from("outbox")
          .select("payload, done_at, dead_at")
          .match({ kind: "vendor_decision_mail", "payload->>application_id": id })
          .order("id", { ascending: false })
          .limit(1),
      );
      return parseDecisionMails(mails)[0] ?? null;
    },
    refetchInterval: ({ state }) => (state.data && isBeingSent(state.data) ? WHILE_SENDING_MS : false),
  });
}

/** URLs of an application's pictures, valid for an hour: as a thumbnail, and in full. */
export function useVendorPictures(paths: readonly string[]) {
  return useQuery({
    queryKey: ["vendor-pictures", paths],
    queryFn: async () => {
      const bucket = (await getSupabase()).storage.from("vendor-pictures");
      const transform = { width: 320, height: 240, resize: "cover" } as const;
      return Promise.all(
        paths.map(async (path) => {
          const [small, whole] = await Promise.all([
            bucket.createSignedUrl(path, ADDRESS_SECONDS, { transform }),
            bucket.createSignedUrl(path, ADDRESS_SECONDS),
          ]);
          const failure = small.error ?? whole.error;
          if (failure) throw new Error(failure.message);
          return { path, thumbnail: small.data!.signedUrl, address: whole.data!.signedUrl };
        }),
      );
    },
    enabled: paths.length > 0,
    staleTime: (ADDRESS_SECONDS / 2) * 1000,
  });
}

interface Decision {
  seen: Pick<VendorApplication, "id" | "booth_name" | "version"> & { status: string };
  status: string;
  /** Reverts a decision made a moment ago. */
  undoes?: boolean;
}

/**
 * Decides only if the application is still as it was read: the second of two editors receives an error and sees the first
 * one's decision.
 */
export function useSetVendorStatus() {
  const queryClient = useQueryClient();
  const decide = useMutation({
    mutationFn: async ({ seen, status }: Decision) => {
      const { id, version } = seen;
      const [decided] = await ask((supabase) =>
        supabase.from("vendor_applications").update({ status }).match({ id, version }).select("version"),
      );
      if (!decided)
        throw new Error("Someone else changed this application. You're seeing the current version.");
      return decided.version;
    },
    onSuccess: (version, { seen, status, undoes }) =>
      toast.success(
        "Vendor application status updated successfully",
        decidedText(seen.booth_name, status),
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
