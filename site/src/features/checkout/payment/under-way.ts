// Parts of a payment under way in this page: the order being placed, the card being confirmed. Whatever would undo them
// waits until they have ended, however they end.
const works = new Set<Promise<unknown>>();

export function underWay<T>(work: Promise<T>): Promise<T> {
  works.add(work);
  const ended = () => works.delete(work);
  work.then(ended, ended);
  return work;
}

export async function nothingUnderWay(): Promise<void> {
  while (works.size > 0) await Promise.allSettled(works);
}
