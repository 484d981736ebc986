// Deletes what has expired, a few hundred rows at a time; the next run deletes the rest. Rows and pictures are deleted
// independently, because storage may be unavailable.
import { removeAbandonedPictures } from "../_shared/abandoned-pictures.ts";
import { concurrently } from "../_shared/concurrently.ts";
import type { FunctionDeps } from "../_shared/deps.ts";
import { serviceFunction } from "../_shared/handler.ts";

const MOST_BATCHES = 20;

export const handler = serviceFunction(async (_request, deps) => {
  const counts = await concurrently([removeRows, removeAbandonedPictures], 1, (remove) => remove(deps));
  return { removed: counts.reduce((sum, count) => sum + count, 0) };
});

async function removeRows({ sql }: FunctionDeps): Promise<number> {
  let removed = 0;
  for (let batch = 0; batch < MOST_BATCHES; batch++) {
    const count = await sql("clean_up", {});
    removed += count;
    if (count === 0) break;
  }
  return removed;
}
