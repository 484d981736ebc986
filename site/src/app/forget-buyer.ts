import { forgetKept } from "#features/tickets/kept/store.ts";
import { authAtRest } from "#lib/api/supabase-client.ts";
import { logError } from "#lib/browser/error-log.ts";

/**
 * On sign-out: removes codes, names and addresses from this browser, releases the hold, and waits for requests in flight, which would
 * be refused afterwards.
 */
export async function forgetBuyer(userId: string): Promise<void> {
  // First and separately: it works without a network, unlike the imports below.
  await forgetKept();
  try {
    const [{ giveUpHold }, { forgetDetails }, { forgetHalves }, vendors, sponsors] = await Promise.all([
      import("#features/checkout/hold/release-hold.ts"),
      import("#features/cart/saved-cart.ts"),
      import("#features/checkout/attendees/half-filled.ts"),
      import("#features/vendors/draft.ts"),
      import("#features/sponsors/draft.ts"),
    ]);
    forgetDetails();
    forgetHalves();
    vendors.applicationDraft.forget();
    sponsors.inquiryDraft.forget();
    // Signing out waits a few seconds at most. After that the hold expires by itself.
    await giveUpHold(userId);
  } catch (error) {
    logError("forget the buyer", error);
  }
  await authAtRest();
}
