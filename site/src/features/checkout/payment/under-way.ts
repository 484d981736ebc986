// Payment work in progress on this page: the order being placed, the card being confirmed. Anything that would undo it
// waits until it has settled.
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
