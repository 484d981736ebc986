// The payment provider as far as money is concerned: what it has charged and refunded is the truth that our books must match.

export interface Intent {
  readonly id: string;
  readonly orderId: string;
  readonly cents: number;
  status: "open" | "succeeded" | "canceled";
  /** Cents refunded, by the refund's own id: a repeated request refunds once. */
  readonly refunds: Map<string, number>;
  /** Money that the buyer's bank demands back; it takes it when the dispute is opened. */
  readonly disputes: Map<string, Dispute>;
}

export interface Dispute {
  readonly id: string;
  readonly cents: number;
  status: "needs_response" | "won" | "lost";
}

/** A change of the provider's balance, as its books list it. */
export interface Transaction {
  readonly category: string;
  readonly aboutId: string;
  readonly intentId: string;
  readonly cents: number;
}

export function createProvider() {
  const intents = new Map<string, Intent>();
  const refused = new Set<string>();
  /** Refunds that the buyer's bank sent back, by id. */
  const returned = new Map<string, { intent: Intent; cents: number }>();

  const sum = (amounts: Iterable<number>) => [...amounts].reduce((total, cents) => total + cents, 0);
  const disputed = (intent: Intent, statuses: readonly Dispute["status"][]) =>
    sum(
      [...intent.disputes.values()]
        .filter(({ status }) => statuses.includes(status))
        .map(({ cents }) => cents),
    );
  const kept = (intent: Intent): number =>
    intent.status === "succeeded"
      ? intent.cents - sum(intent.refunds.values()) - disputed(intent, ["lost"])
      : 0;
  /** The part that no refund and no dispute has taken. */
  const available = (intent: Intent): number => kept(intent) - disputed(intent, ["needs_response"]);

  return {
    kept,
    available,
    intents: (status?: Intent["status"]) =>
      [...intents.values()].filter((intent) => status === undefined || intent.status === status),
    intentFor(orderId: string, cents: number): Intent {
      const known = intents.get(orderId);
      if (known) return known;
      const made: Intent = {
        id: `pi_${orderId}`,
        orderId,
        cents,
        status: "open",
        refunds: new Map(),
        disputes: new Map(),
      };
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
    /**
     * The outcome, the same however often it is requested. More than the available amount is refused; such a refund was never
     * made.
     */
    refund(intent: Intent, id: string, cents: number): "succeeded" | "failed" | "refused" {
      if (returned.has(id)) return "failed";
      if (intent.refunds.has(id)) return "succeeded";
      if (cents > available(intent)) refused.add(id);
      if (refused.has(id)) return "refused";
      intent.refunds.set(id, cents);
      return "succeeded";
    },
    /** False when it was already made. */
    refuse(intent: Intent, id: string): boolean {
      if (intent.refunds.has(id) || returned.has(id)) return false;
      refused.add(id);
      return true;
    },
    /** The buyer's account is closed: a refund that was made is returned. */
    sendBack(intent: Intent, id: string): void {
      returned.set(id, { intent, cents: intent.refunds.get(id)! });
      intent.refunds.delete(id);
    },
    returned: (): readonly string[] => [...returned.keys()],
    /** Disputes the full available amount, once. */
    openDispute(intent: Intent): Dispute | undefined {
      const cents = available(intent);
      if (cents <= 0 || intent.disputes.size > 0) return undefined;
      const dispute: Dispute = { id: `dp_${intent.orderId}`, cents, status: "needs_response" };
      intent.disputes.set(dispute.id, dispute);
      return dispute;
    },
    transactions: (): Transaction[] =>
      [...intents.values()].flatMap((intent) => {
        const entry = (category: string, aboutId: string, cents: number): Transaction => ({
          category,
          aboutId,
          intentId: intent.id,
          cents,
        });
        const back = [...returned].filter(([, one]) => one.intent === intent);
        return [
          ...(intent.status === "succeeded" ? [entry("charge", intent.id, intent.cents)] : []),
          ...[...intent.refunds].map(([id, cents]) => entry("refund", providersId(id), -cents)),
          ...back.map(([id, { cents }]) => entry("refund", providersId(id), -cents)),
          ...back.map(([id, { cents }]) => entry("refund_failure", providersId(id), cents)),
          ...[...intent.disputes.values()].map(({ id, cents }) => entry("dispute", id, -cents)),
          ...[...intent.disputes.values()]
            .filter(({ status }) => status === "won")
            .map(({ id, cents }) => entry("dispute_reversal", id, cents)),
        ];
      }),
  };
}

/** The provider's id for a refund that we named. */
export const providersId = (id: string): string => (id.startsWith("re_") ? id : `re_${id}`);

export type Provider = ReturnType<typeof createProvider>;
