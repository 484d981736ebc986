// Releases the held tickets when the buyer leaves for another page of the site, empties the cart or signs out. Never with a payment
// in progress or made. A reload, a closed tab and a redirect to a bank release nothing: the buyer may come back, and otherwise the
// hold expires.
import { logError } from "#lib/browser/error-log.ts";
import type { CartAccess } from "./cart/cart-provider.tsx";
import type { Order } from "./cart/record.ts";
import { isOpenOrder } from "./open-payment.ts";
import { loadPaymentProvider } from "./payment/load-payment-provider.ts";
import { type PaymentProvider, stateOfPayment } from "./payment/payment-provider.ts";
import { releaseOrder } from "./queries.ts";

type Load = () => Promise<Pick<PaymentProvider, "retrieve">>;

/**
 * SQL cannot know that another tab is at checkout with the same hold. All such tabs share this lock, and a tab that
 * gets it exclusively knows that there is none. Plain http has no locks except on localhost; there, holds simply expire.
 */
const AT_CHECKOUT = "houston-culture-festival:checkout";

/** Returns a function that leaves. */
export function enterCheckout(): () => void {
  let leave = () => {};
  const stay = new Promise<void>((done) => (leave = done));
  void navigator.locks?.request(AT_CHECKOUT, { mode: "shared" }, () => stay);
  return leave;
}

/** Unless a tab is at checkout. Resolves to whether stock went back on sale. Never throws: a hold that stays will expire. */
export async function releaseHold(
  userId: string,
  cart: Pick<CartAccess, "current" | "change">,
  load?: Load,
): Promise<boolean> {
  const { order } = cart.current();
  return ifUnpaid(order, load, async ({ orderId }) => {
    if (!navigator.locks) return false;
    return navigator.locks.request(AT_CHECKOUT, { ifAvailable: true }, async (lock) => {
      if (!lock || cart.current().order?.orderId !== orderId) return false;
      // Release it first: a buyer who comes back from now on gets a new hold.
      cart.change({ type: "release-order" });
      return releaseOrder(userId, orderId);
    });
  });
}

/** For signing out, which has removed the order from the record: also if tabs are at checkout. */
export async function releaseHoldAtSignOut(
  userId: string,
  order: Order | undefined,
  load?: Load,
): Promise<void> {
  await ifUnpaid(order, load, ({ orderId }) => releaseOrder(userId, orderId));
}

async function ifUnpaid(
  order: Order | undefined,
  load: Load = loadPaymentProvider,
  release: (order: Order) => Promise<boolean>,
): Promise<boolean> {
  try {
    if (!isOpenOrder(order)) return false;
    const { status } = await stateOfPayment(await load(), order);
    return status === "open" && (await release(order));
  } catch (error) {
    logError("release the held tickets", error);
    return false;
  }
}
