// A limit on what many holders have together, such as all sockets of an address.

export interface Share {
  /** Returns a function that gives it back; undefined when there is no room. */
  hold(weight: number): (() => void) | undefined;
}

/** A share for each address, forgotten once none of it is held. */
export function createShares(most: number) {
  const held = new Map<string, number>();
  return {
    of: (address: string): Share => ({
      hold(weight) {
        const now = (held.get(address) ?? 0) + weight;
        if (now > most) return undefined;
        held.set(address, now);
        let isHeld = true;
        return () => {
          if (!isHeld) return;
          isHeld = false;
          const left = held.get(address)! - weight;
          if (left > 0) held.set(address, left);
          else held.delete(address);
        };
      },
    }),
  };
}
