// Adds the visits and orders of the last seconds to the totals that the back office reads.
import { serviceFunction } from "../_shared/handler.ts";
import { rpc } from "../_shared/rpc.ts";

export const handler = serviceFunction(async (_request, deps) => ({
  visits: await rpc<number>(deps.supabase, "roll_up", {}),
}));
