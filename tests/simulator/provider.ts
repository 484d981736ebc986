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
  return {
    intents,
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
    refund(intent: Intent, id: string, cents: number): void {
      intent.refunds.set(id, cents);
    },
  };
}

export type Provider = ReturnType<typeof createProvider>;
