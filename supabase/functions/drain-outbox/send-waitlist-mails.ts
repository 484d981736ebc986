// Collects the content of the mail that offers a place to a person on the waitlist.
import type { FunctionDeps } from "../_shared/deps.ts";
import { readFestival } from "../_shared/festival.ts";
import { waitlistOfferMail } from "../_shared/mail/waitlist-mails.ts";

/** A place that was given up, used or expired by the time the mail goes out is not mailed. */
export async function sendWaitlistOffer(
  deps: FunctionDeps,
  { entry_id }: { entry_id: string },
): Promise<void> {
  const offer = await deps.sql("read_offer", { p_entry_id: entry_id });
  if (offer) await deps.sendMail(await waitlistOfferMail(await readFestival(deps), offer, deps.siteUrl));
}
