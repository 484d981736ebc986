// Where a tab is in checkout: the states, and what leads from one to another. Pure; use-checkout.ts does the work of each state.
import type { StockShortage } from "contract/errors";
import type { WaitingRoomAnswer } from "contract/shop/waiting-room";
import type { Order, Paid } from "./cart/record.ts";
import { NOT_OPENED } from "./payment/failure-words.ts";
import { detailsComplete, type CheckoutCart, type CheckoutStep } from "./model.ts";

/** An order whose payment is open in this browser. */
export type OpenOrder = Order & { clientSecret: string };

/** Why the payment cannot be opened. The cart stays, and nothing was charged. */
export type Refusal =
  | { name: "short"; message: string; shortages: readonly StockShortage[] }
  | { name: "price-changed"; message: string }
  | { name: "promo-refused"; message: string }
  | { name: "closed"; message: string }
  | { name: "failed"; message: string };

export type CheckoutState =
  | { name: "attendees" }
  /** The order is being placed, or found again. `isRenewed`: under a new key, since its former order has ended. */
  | { name: "opening"; isRenewed?: true }
  | { name: "waiting"; line: WaitingRoomAnswer }
  | Refusal
  /** The form is shown. `problem`: why the last attempt to pay failed. */
  | { name: "paying"; order: OpenOrder; problem?: string }
  /** The provider decides, and once it has approved, our server. `isEarlier`: over a payment that was under way already. */
  | { name: "deciding"; order: OpenOrder; isApproved: boolean; isEarlier: boolean }
  /** The provider has not decided within the time we wait. */
  | { name: "late" }
  | { name: "hold-ended" }
  /** The order was cancelled elsewhere, mostly by a newer one of the same buyer. */
  | { name: "replaced" }
  | { name: "paid"; paid: Paid };

export type CheckoutEvent =
  | { type: "show-attendees" }
  | { type: "show-payment" }
  /** Opens the payment once more. */
  | { type: "retry" }
  | { type: "wait"; line: WaitingRoomAnswer }
  | { type: "refuse"; refusal: Refusal }
  /** The order of the cart's key had ended, and the key was renewed. */
  | { type: "renew" }
  /** `failure`: why an earlier attempt to pay the order failed, which is then told with "decline". */
  | { type: "placed"; order: OpenOrder; failure?: string }
  | { type: "found-under-way"; order: OpenOrder; isApproved: boolean }
  /** Another order is wanted: this or another tab has changed the cart or its key. */
  | { type: "cart-changed" }
  | { type: "pay" }
  | { type: "decline"; problem: string }
  | { type: "approve"; order: OpenOrder }
  | { type: "give-up-waiting" }
  | { type: "end-hold" }
  | { type: "replace" }
  | { type: "paid"; paid: Paid };

/** From these a changed cart leads to another order at once. In the others, the buyer or the provider decides first. */
const followsCart: readonly CheckoutState["name"][] = [
  "waiting",
  "short",
  "closed",
  "failed",
  "paying",
  "hold-ended",
  "replaced",
];

export function transition(state: CheckoutState, event: CheckoutEvent): CheckoutState {
  // What was paid stays paid, and an approved payment completes without the buyer.
  if (event.type === "paid") return { name: "paid", paid: event.paid };
  if (state.name === "paid") return state;
  if (event.type === "approve") {
    const isEarlier = state.name === "deciding" && state.isEarlier;
    return { name: "deciding", order: event.order, isApproved: true, isEarlier };
  }
  const isOpening = state.name === "opening";
  switch (event.type) {
    case "show-attendees":
      return { name: "attendees" };
    case "show-payment":
      return state.name === "attendees" ? { name: "opening" } : state;
    case "retry":
      return state.name === "attendees" ? state : { name: "opening" };
    case "cart-changed":
      return followsCart.includes(state.name) ? { name: "opening" } : state;
    case "renew":
      if (!isOpening) return state;
      return state.isRenewed ? { name: "failed", message: NOT_OPENED } : { name: "opening", isRenewed: true };
    case "wait":
      return isOpening ? { name: "waiting", line: event.line } : state;
    case "refuse":
      return isOpening ? event.refusal : state;
    case "placed":
      return isOpening ? { name: "paying", order: event.order } : state;
    case "found-under-way":
      return isOpening
        ? { name: "deciding", order: event.order, isApproved: event.isApproved, isEarlier: true }
        : state;
    case "pay":
      return state.name === "paying"
        ? { name: "deciding", order: state.order, isApproved: false, isEarlier: false }
        : state;
    case "decline":
      return state.name === "deciding" || state.name === "paying"
        ? { name: "paying", order: state.order, problem: event.problem }
        : state;
    case "give-up-waiting":
      return state.name === "deciding" ? { name: "late" } : state;
    case "replace":
      return state.name === "deciding" ? { name: "replaced" } : state;
    case "end-hold":
      return state.name === "paying" || state.name === "replaced" ? { name: "hold-ended" } : state;
  }
}

/** Whether the order keeps the total that it was placed with, also after its hold has ended, until the buyer decides. */
export const keepsTotal = ({ name }: CheckoutState): boolean =>
  name === "paying" || name === "deciding" || name === "hold-ended" || name === "replaced";

/** What /checkout's history entry says, so that Back and reload work. */
export interface HistoryEntry {
  step: CheckoutStep;
  /** The paid order of the confirmation. */
  orderId?: string;
}

const steps: readonly CheckoutStep[] = ["attendees", "payment", "confirmation"];

/** Undefined when the entry holds anything else. */
export function historyEntry(state: unknown): HistoryEntry | undefined {
  if (typeof state !== "object" || state === null || !("step" in state)) return undefined;
  const step = steps.find((known) => known === state.step);
  const orderId = "orderId" in state && typeof state.orderId === "string" ? { orderId: state.orderId } : {};
  return step && { step, ...orderId };
}

/** Whether a failed verification is recorded in the history entry of /checkout. */
export function verificationFailed(state: unknown): boolean {
  return typeof state === "object" && state !== null && "verificationFailed" in state;
}

/** Back can reach a former user's confirmation, or an earlier order's: neither is shown. */
export function firstState(entry: HistoryEntry | undefined, paid: Paid | undefined): CheckoutState {
  if (entry?.step === "confirmation" && paid && paid.orderId === entry.orderId) return { name: "paid", paid };
  return { name: entry?.step === "payment" ? "opening" : "attendees" };
}

/**
 * The step that is shown until the order is paid. It only ever falls back on its own: the press of "Continue to Payment" alone leads
 * from the details to the payment. Without a step in the history entry, an open payment of this cart continues.
 */
export function currentStep(
  asked: CheckoutStep | undefined,
  cart: Pick<CheckoutCart, "seats" | "buyerInfo" | "attendees" | "ticketCount" | "agreed" | "key" | "order">,
): "attendees" | "payment" {
  if (asked === "attendees" || !detailsComplete(cart)) return "attendees";
  if (asked === "payment") return "payment";
  const { buyerInfo, attendees, agreed } = cart;
  const isOpen = cart.order?.clientSecret !== undefined && cart.order.key === cart.key;
  const isAgreed = JSON.stringify(agreed) === JSON.stringify({ buyerInfo, attendees });
  return isOpen && isAgreed ? "payment" : "attendees";
}
