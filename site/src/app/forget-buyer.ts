import { forgetKept } from "#features/tickets/kept/store.ts";
import { logError } from "#lib/browser/error-log.ts";

/** How long signing out waits for the release of the hold. After that the hold expires by itself. */
const PATIENCE_MS = 3000;

/** On sign-out: removes codes, names and addresses from this browser and releases the hold. */
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
    await Promise.race([giveUpHold(userId), new Promise((done) => setTimeout(done, PATIENCE_MS))]);
  } catch (error) {
    logError("forget the buyer", error);
  }
}
