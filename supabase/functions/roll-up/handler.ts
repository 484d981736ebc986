// Adds the visits and orders of the last seconds to the totals that the back office reads.
import { serviceFunction } from "../_shared/handler.ts";

export const handler = serviceFunction(async (_request, deps) => ({
  visits: await deps.sql("roll_up", {}),
}));
