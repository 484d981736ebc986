import {
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useState } from "react";
import { z } from "zod";
import { callFunction } from "#lib/api/functions.ts";
import { count } from "#lib/format.ts";
import { parseAnswer, read } from "#lib/lists/back-office-reads.ts";
import { toast } from "#ui/overlays/toast.ts";
import { accountReport, comparison, linePage, soldItems, type AccountLine } from "./accounts-model.ts";

export interface Period {
  /** "2025-06-19", or "" for no bound. */
  from: string;
  to: string;
}

const periodArgs = ({ from, to }: Period) => ({ ...(from && { p_from: from }), ...(to && { p_to: to }) });

export function useReport(period: Period) {
  return useQuery({
    queryKey: ["accounts", "report", period],
    placeholderData: keepPreviousData,
    queryFn: async () =>
      parseAnswer(
        "the accounts",
        accountReport,
        await read("the accounts", (supabase) => supabase.rpc("get_account_report", periodArgs(period))),
      ),
  });
}

/** By item. Separate from the report. */
export function useSoldItems(period: Period) {
  return useQuery({
    queryKey: ["accounts", "items", period],
    queryFn: async () =>
      parseAnswer(
        "items sold",
        soldItems,
        await read("items sold", (supabase) => supabase.rpc("get_account_items", periodArgs(period))),
      ),
  });
}

/** Separate from the report, which is ready before every line of a large festival is compared. */
export function useComparison(period: Period) {
  return useQuery({
    queryKey: ["accounts", "comparison", period],
    queryFn: async () =>
      parseAnswer(
        "the comparison",
        comparison,
        await read("the comparison", (supabase) => supabase.rpc("compare_accounts", periodArgs(period))),
      ),
  });
}

const PAGE = 20;

export function useLines(period: Period, state: string) {
  return useInfiniteQuery({
    queryKey: ["accounts", "lines", period, state],
    placeholderData: keepPreviousData,
    initialPageParam: undefined as AccountLine | undefined,
    queryFn: ({ pageParam }) => fetchLines(period, state, PAGE, pageParam),
    getNextPageParam: ({ rows }) => (rows.length < PAGE ? undefined : rows.at(-1)),
  });
}

/** Each page compares the whole period again, so a file uses few pages. */
const FILE_PAGE = 2000;

export async function* allLines(period: Period): AsyncGenerator<readonly AccountLine[]> {
  let last: AccountLine | undefined;
  for (;;) {
    const { rows } = await fetchLines(period, "", FILE_PAGE, last);
    yield rows;
    last = rows.at(-1);
    if (last === undefined || rows.length < FILE_PAGE) return;
  }
}

async function fetchLines(period: Period, state: string, size: number, after: AccountLine | undefined) {
  const answer = await read("the lines", (supabase) =>
    supabase.rpc("list_account_lines", {
      ...periodArgs(period),
      ...(state && { p_state: state }),
      page_size: size,
      ...(after && { p_after_at: after.at, p_after_key: after.key }),
    }),
  );
  return parseAnswer("the lines", linePage, answer);
}

const fetchedBooks = z.object({ complete: z.boolean(), kept: z.number() });

/** Keeps calling until everything is fetched. `kept`: how many transactions so far. */
export function useFetchBooks() {
  const queryClient = useQueryClient();
  const [kept, setKept] = useState(0);
  const fetching = useMutation({
    mutationFn: async () => {
      setKept(0);
      for (;;) {
        const answer = await callFunction("fetch-provider-books");
        const { complete, kept } = parseAnswer("the provider’s books", fetchedBooks, answer);
        setKept(kept);
        if (complete) return kept;
      }
    },
    onSuccess: (all) =>
      toast.success("The provider’s books are up to date", `${count(all, "new transaction")}.`),
    onError: (error) => toast.error("The provider’s books could not be fetched", error.message),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ["accounts"] }),
  });
  return { kept, isFetching: fetching.isPending, fetchNow: () => fetching.mutate() };
}
