// Refund runs: their orders, their effect, and their progress.
import { z } from "zod";
import type { BadgeTone } from "#ui/basics/badge.tsx";
import { parseAnswer } from "#lib/lists/back-office-reads.ts";

/** Selects a run's orders; "" leaves a condition out. */
export interface RunFilter {
  status: string;
  item: string;
  tag: string;
  from: string;
  to: string;
}

export const everybody: RunFilter = { status: "", item: "", tag: "", from: "", to: "" };

/** In SQL's format (run_orders). Orders selected replace the filter. */
export function filterArgs({ status, item, tag, from, to }: RunFilter, chosen: readonly string[]) {
  if (chosen.length > 0) return { order_ids: [...chosen] };
  return {
    ...(status && { status }),
    ...(item && { item_id: item }),
    ...(tag && { tag }),
    ...(from && { placed_from: from }),
    ...(to && { placed_to: to }),
  };
}

const previewed = z.object({
  id: z.string(),
  buyer_full_name: z.string(),
  buyer_email: z.string(),
  status: z.string(),
  created_at: z.string(),
  cents: z.number(),
  items: z.string(),
  is_disputed: z.boolean(),
});
export type PreviewedOrder = z.infer<typeof previewed>;
const preview = z.object({
  orders: z.number(),
  cents: z.number(),
  /** Orders whose payment is in an open dispute. */
  disputed: z.number(),
  /** Guests who were let in. */
  inside: z.number(),
  rows: z.array(previewed),
});
export type RunPreview = z.infer<typeof preview>;

export const parsePreview = (answer: unknown): RunPreview =>
  parseAnswer("the matching orders", preview, answer);

const progress = z.object({
  id: z.string(),
  state: z.enum(["running", "stopped", "done"]),
  filter: z.record(z.string(), z.unknown()),
  reason: z.string(),
  note: z.string().nullable(),
  started_at: z.string(),
  finished_at: z.string().nullable(),
  started_by_email: z.string().nullable(),
  retry_before: z.string().nullable(),
  orders_found: z.number(),
  cents_found: z.number(),
  orders_refunded: z.number(),
  cents_refunded: z.number(),
  orders_skipped: z.number(),
  returned: z.number(),
  returned_cents: z.number(),
  under_way: z.number(),
  refused: z.number(),
  refused_cents: z.number(),
});
export type RunProgress = z.infer<typeof progress>;

const problem = z.object({
  order_id: z.string(),
  buyer_full_name: z.string(),
  cents: z.number().nullable(),
  at: z.string(),
  refused: z.boolean(),
  message: z.string(),
});
export type RunProblem = z.infer<typeof problem>;
const run = progress.extend({ problems: z.array(problem) });
export type Run = z.infer<typeof run>;

export const parseRuns = (answer: unknown): RunProgress[] =>
  parseAnswer("refund runs", z.array(progress), answer);
export const parseRun = (answer: unknown): Run | null =>
  parseAnswer("the refund run", run.nullable(), answer);

/** It still progresses without further action. */
export const isMoving = ({ state, under_way }: RunProgress): boolean => state === "running" || under_way > 0;

type StateFacts = Pick<RunProgress, "state" | "retry_before" | "under_way" | "refused">;

export function stateOf({ state, retry_before, under_way, refused }: StateFacts): {
  words: string;
  tone: BadgeTone;
} {
  if (state === "stopped") return { words: "Stopped", tone: "warning" };
  if (state === "running") {
    return { words: retry_before === null ? "Running" : "Retrying", tone: "default" };
  }
  if (under_way > 0) return { words: "Waiting for the provider", tone: "default" };
  return refused > 0
    ? { words: `Done, ${refused} refused`, tone: "warning" }
    : { words: "Done", tone: "success" };
}
