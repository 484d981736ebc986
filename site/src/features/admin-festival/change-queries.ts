import { useQuery } from "@tanstack/react-query";
import type { Json } from "contract/database";
import { z } from "zod";
import { getSupabase } from "#lib/api/supabase.ts";
import { parseAnswer, read } from "#lib/lists/back-office-reads.ts";
import { refusalWords } from "#lib/session/refusal-words.ts";

const number = z.number();
const preview = z.object({
  people: number,
  orders: number,
  cents: number,
  comps: number,
  door_orders: number,
  door_cents: number,
});
export type ChangePreview = z.output<typeof preview>;

/** How many people a change is mailed to, what everybody's money adds up to, and what no refund reaches. */
export function useChangePreview(enabled = true) {
  return useQuery({
    enabled,
    queryKey: ["festival-change"],
    queryFn: async () =>
      parseAnswer(
        "what a change means",
        preview,
        await read("what a change means", (supabase) => supabase.rpc("preview_festival_change")),
      ),
  });
}

interface Announcement {
  /** The browser's own: sent again after a lost answer, nothing happens twice. */
  readonly id: string;
  readonly version: number;
  readonly facts: unknown;
  readonly refunds: "everybody" | "on_request" | "none";
  /** An instant, or null. */
  readonly askUntil: string | null;
  readonly subject: string;
  readonly body: string;
}

/** @throws Error with what is wrong */
export async function announce(change: Announcement): Promise<void> {
  const { error } = await (
    await getSupabase()
  ).rpc("announce_festival_change", {
    p_id: change.id,
    p_version: change.version,
    p_facts: change.facts as Json,
    p_refunds: change.refunds,
    p_ask_until: change.askUntil as string,
    p_subject: change.subject,
    p_body: change.body,
  });
  // With the section as it is now.
  if (error?.code === "PT409" && error.details)
    throw new Error("Somebody else has just changed the facts. Reload, and look at them again.");
  if (error) throw new Error(refusalWords(error));
}
