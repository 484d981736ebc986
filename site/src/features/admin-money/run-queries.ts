import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { z } from "zod";
import type { Json } from "contract/database";
import { isOpenOutcome } from "#lib/api/open-outcome.ts";
import { parseAnswer, read } from "#lib/lists/back-office-reads.ts";
import { ask } from "#lib/session/ask.ts";
import { toast } from "#ui/overlays/toast.ts";
import { isMoving, parsePreview, parseRun, parseRuns } from "./run-model.ts";

const WHILE_MOVING_MS = 2000;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function useRuns() {
  return useQuery({
    queryKey: ["refund-runs"],
    refetchInterval: ({ state }) => (state.data?.some(isMoving) ? WHILE_MOVING_MS : false),
    queryFn: async () => parseRuns(await read("refund runs", (supabase) => supabase.rpc("list_refund_runs"))),
  });
}

/** Null when the run does not exist. */
export function useRun(id: string) {
  return useQuery({
    queryKey: ["refund-runs", id],
    refetchInterval: ({ state }) => (state.data && isMoving(state.data) ? WHILE_MOVING_MS : false),
    queryFn: async () =>
      uuid.test(id)
        ? parseRun(
            await read("the refund run", (supabase) => supabase.rpc("get_refund_run", { p_run_id: id })),
          )
        : null,
  });
}

const PREVIEW_ROWS = 100;

export function usePreview(filter: Json) {
  return useQuery({
    queryKey: ["refund-run-preview", filter],
    // A run may have changed the result since.
    gcTime: 0,
    refetchOnMount: "always",
    queryFn: async () =>
      parsePreview(
        await read("the matching orders", (supabase) =>
          supabase.rpc("preview_refund_run", { p_filter: filter, page_size: PREVIEW_ROWS }),
        ),
      ),
  });
}

const items = z.array(z.object({ id: z.string(), name: z.string() }));
const tags = z.array(z.object({ tag: z.string() }));

/** The filter's choices: everything that is or was sold, and the tags in use. */
export function useFilterChoices() {
  return useQuery({
    queryKey: ["refund-run-choices"],
    queryFn: async () => {
      const [sold, used] = await Promise.all([
        read("the items on sale", (supabase) =>
          supabase
            .from("products")
            .select("id, name, product_kinds(position)")
            .order("product_kinds(position)")
            .order("name"),
        ),
        read("tags", (supabase) => supabase.rpc("list_order_tags")),
      ]);
      return {
        items: parseAnswer("the items on sale", items, sold).map(({ id, name }) => ({
          value: id,
          label: name,
        })),
        tags: parseAnswer("tags", tags, used).map(({ tag }) => ({ value: tag, label: tag })),
      };
    },
  });
}

interface Start {
  id: string;
  filter: Json;
  reason: string;
  note: string;
  orders: number;
  cents: number;
}

export function useStartRun(onStarted: (id: string) => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({ id, filter, reason, note, orders, cents }: Start) => {
      const asked = { p_id: id, p_filter: filter, p_reason: reason, p_note: note.trim() };
      return ask((supabase) =>
        supabase.rpc("start_refund_run", { ...asked, p_orders: orders, p_cents: cents }),
      );
    },
    onSuccess: onStarted,
    onError: (error) =>
      isOpenOutcome(error)
        ? toast.error(
            "No response",
            "The run may have started. Press the button again: it won't start twice.",
          )
        : toast.error("The run did not start", error.message),
    onSettled: () =>
      Promise.all(
        ["refund-runs", "refund-run-preview"].map((key) =>
          queryClient.invalidateQueries({ queryKey: [key] }),
        ),
      ),
  });
}

export function useSteerRun(id: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (action: "stop" | "resume" | "retry") =>
      ask((supabase) => supabase.rpc("steer_refund_run", { p_run_id: id, p_action: action })),
    onError: (error) => toast.error("The run could not be changed", error.message),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ["refund-runs"] }),
  });
}
