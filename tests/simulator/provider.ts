// The payment provider as far as the money goes: what it has taken and given back is the truth that our books must meet.

export interface Intent {
  readonly id: string;
  readonly orderId: string;
  readonly cents: number;
  status: "open" | "succeeded" | "canceled";
  /** Cents given back, by the refund's own id: asking twice gives back once. */
  readonly refunds: Map<string, number>;
}

export function createProvider() {
  const intents = new Map<string, Intent>();
  const refused = new Set<string>();
  return {
    intents: (status?: Intent["status"]) =>
      [...intents.values()].filter((intent) => status === undefined || intent.status === status),
    intentFor(orderId: string, cents: number): Intent {
      const known = intents.get(orderId);
      if (known) return known;
      const made: Intent = { id: `pi_${orderId}`, orderId, cents, status: "open", refunds: new Map() };
      intents.set(orderId, made);
      return made;
    },
    pay(intent: Intent): void {
      if (intent.status === "open") intent.status = "succeeded";
    },
    close(intent: Intent): Intent["status"] {
      if (intent.status === "open") intent.status = "canceled";
      return intent.status;
    },
    /** False when it was refused, and then it always is. */
    refund(intent: Intent, id: string, cents: number): boolean {
      if (refused.has(id)) return false;
      intent.refunds.set(id, cents);
      return true;
    },
    /** False when it has been given already. */
    refuse(intent: Intent, id: string): boolean {
      if (intent.refunds.has(id)) return false;
      refused.add(id);
      return true;
    },
    kept: (intent: Intent): number =>
      intent.status === "succeeded"
        ? intent.cents - [...intent.refunds.values()].reduce((sum, cents) => sum + cents, 0)
        : 0,
  };
}

export type Provider = ReturnType<typeof createProvider>;
