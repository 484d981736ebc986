// One buyer of the shop: orders, pays, requests the tickets, and retries while no answer comes. Owns what the buyer was
// promised, which the shop must keep.

export interface Answer {
  /** 0: the connection broke before an answer arrived. */
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- the wire's own words
  readonly body: any;
}

/** How a buyer's browser reaches the shop and the payment provider. Never rejects. */
export interface ShopClient {
  call(name: string, body: object, idempotencyKey?: string): Promise<Answer>;
  /** Sends a form to the provider's API with the publishable key. */
  provider(path: string, form: Record<string, string>): Promise<Answer>;
}

export interface Plan {
  readonly cart: object;
  /** The previous contents of the cart; its order is placed first, and then replaced. */
  readonly before?: object;
  /** Names of the provider's test cards, tried one after the other until one is accepted. */
  readonly cards: readonly string[];
  /** The buyer leaves after this step; otherwise waits for the tickets. */
  readonly leaves?: "order" | "payment";
  readonly key: string;
}

export interface Promised {
  /** The shop acknowledged that it holds this order. */
  readonly orderId?: string;
  readonly intentId?: string;
  /** The provider reported that the payment succeeded or is processing. */
  readonly paid?: boolean;
  /** The shop reported that the tickets are the buyer's, or that the money is refunded. */
  readonly outcome?: "tickets" | "refund";
  /** The last answer when the buyer gave up. */
  readonly gaveUp?: string;
}

export interface Patience {
  readonly attempts: number;
  readonly pause: () => Promise<unknown>;
}

export async function shop(door: ShopClient, plan: Plan, patience: Patience): Promise<Promised> {
  const ask = async (once: () => Promise<Answer>, wait: (answer: Answer) => boolean): Promise<Answer> => {
    for (let attempt = 1; ; attempt++) {
      const answer = await once();
      if (!wait(answer) || attempt === patience.attempts) return answer;
      await patience.pause();
    }
  };
  const noAnswer = ({ status }: Answer) => status === 0 || status === 429 || status >= 500;
  const said = (step: string, { status, body }: Answer) =>
    `${step}: ${status} ${JSON.stringify(body?.error ?? body)}`;

  const order = (cart: object, key: string) =>
    ask(() => door.call("create-payment-intent", cart, key), noAnswer);
  if (plan.before) await order(plan.before, `${plan.key}-before`);
  const placed = await order(plan.cart, plan.key);
  if (placed.status !== 200) return { gaveUp: said("order", placed) };
  const { orderId, paymentIntentId: intentId, clientSecret } = placed.body;
  if (plan.leaves === "order") return { orderId, intentId };

  let paid = false;
  for (const card of plan.cards) {
    const form = { client_secret: clientSecret, payment_method: card };
    const answer = await ask(() => door.provider(`payment_intents/${intentId}/confirm`, form), noAnswer);
    // On a retry, the provider may report that the intent has already moved on: the first attempt got through.
    const intent = answer.body?.error?.payment_intent ?? answer.body;
    paid = ["succeeded", "processing"].includes(intent?.status);
    if (paid || answer.status !== 402) break;
  }
  if (!paid || plan.leaves === "payment") return { orderId, intentId, paid };

  const confirmed = await ask(
    () => door.call("process-payment", { paymentIntentId: intentId }),
    (answer) => noAnswer(answer) || answer.body?.error?.code === "payment_not_completed",
  );
  if (confirmed.status !== 200) return { orderId, intentId, paid, gaveUp: said("tickets", confirmed) };
  return { orderId, intentId, paid, outcome: confirmed.body.success ? "tickets" : "refund" };
}
