// The two reads that show tills, each on a separate screen: the seller's till, and the report of all tills.
import type { QueryClient } from "@tanstack/react-query";
import { z } from "zod";

/** A shift at a till, and what it took and gave back, in dollars. */
export const tillShift = z.object({
  id: z.string(),
  opened_at: z.string(),
  float: z.number(),
  sales: z.number(),
  voids: z.number(),
  cash: z.number(),
  card: z.number(),
  cash_back: z.number(),
  card_back: z.number(),
  expected: z.number(),
});

export const TILL = "till";
export const TILL_REPORT = "till-report";

/** After a till was opened or closed: the visible screen refetches, and the other one forgets its old data. */
export async function readTillsAgain(queryClient: QueryClient): Promise<void> {
  const reads = [TILL, TILL_REPORT].map((key) => ({ queryKey: [key] }));
  await Promise.all(reads.map((each) => queryClient.resetQueries({ ...each, type: "inactive" })));
  await Promise.all(reads.map((each) => queryClient.invalidateQueries(each)));
}
