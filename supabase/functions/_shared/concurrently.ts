// Runs work on many items, a few at a time.

/** Works on every item even when others fail, then throws the first failure. Results keep the items' order. */
export async function concurrently<T, R>(
  items: readonly T[],
  lanes: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: PromiseSettledResult<R>[] = Array.from({ length: items.length });
  // One iterator for all lanes: each item is handed out once.
  const waiting = items.entries();
  const lane = async () => {
    for (const [index, item] of waiting) [results[index]] = await Promise.allSettled([work(item)]);
  };
  await Promise.all(Array.from({ length: Math.min(lanes, items.length) }, lane));
  return results.map((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value;
  });
}
