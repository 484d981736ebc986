import { forgetKept } from "#features/tickets/kept/store.ts";
import { authAtRest } from "#lib/api/supabase-client.ts";
import { logError } from "#lib/browser/error-log.ts";
import { forgetDrafts } from "#lib/browser/form-draft.ts";

/**
 * On sign-out: removes codes, names and addresses from this browser, releases the hold, and waits for requests in flight, which would
 * be refused afterwards.
 */
export async function forgetBuyer(userId: string): Promise<void> {
  // First and separately: these work without a network, unlike the imports below.
  forgetDrafts();
  await forgetKept();
  try {
    const [{ releaseHoldAtSignOut }, { forgetDetails }] = await Promise.all([
      import("#features/checkout/release-hold.ts"),
      import("#features/checkout/cart/saved-cart.ts"),
    ]);
    const { order } = forgetDetails();
    // Signing out waits a few seconds at most. After that the hold expires by itself.
    await releaseHoldAtSignOut(userId, order);
  } catch (error) {
    logError("forget the buyer", error);
  }
  await authAtRest();
}
