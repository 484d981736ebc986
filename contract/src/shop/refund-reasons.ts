// Why an administrator refunds money: the reasons that require_refund_reason (supabase/migrations) accepts, with their labels in
// the back office. The buyer's mail has its own wording.

export const refundReasons = {
  requested_by_buyer: "Requested by the buyer",
  event_cancelled: "The festival is canceled",
  event_changed: "The festival was moved or changed",
  duplicate: "Bought twice by mistake",
  fraudulent: "Fraud",
  goodwill: "Goodwill",
  other: "Another reason",
} as const satisfies Record<string, string>;

export type RefundReason = keyof typeof refundReasons;

export const MAX_REFUND_NOTE = 500;

/** The label of any refund's reason, including those that the shop or the provider decided. */
export function refundReasonText(reason: string): string {
  if (Object.hasOwn(refundReasons, reason)) return refundReasons[reason as RefundReason];
  const text = reason.replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}
