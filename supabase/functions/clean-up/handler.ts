// Deletes what has expired, a few hundred rows at a time; the next run deletes the rest.
import { serviceFunction } from "../_shared/handler.ts";
import { rpc } from "../_shared/rpc.ts";
import { removeAbandonedPictures } from "../_shared/abandoned-pictures.ts";

const MOST_BATCHES = 20;

export const handler = serviceFunction(async (_request, deps) => {
  let removed = await removeAbandonedPictures(deps);
  for (let batch = 0; batch < MOST_BATCHES; batch++) {
    const count = await rpc<number>(deps.supabase, "clean_up", {});
    removed += count;
    if (count === 0) break;
  }
  return { removed };
});
