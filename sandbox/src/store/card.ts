// A card as the sandbox stores it: never its number, only the behavior the number selects.

export type DeclineName =
  | "generic_decline"
  | "insufficient_funds"
  | "lost_card"
  | "stolen_card"
  | "live_card"
  | "expired_card"
  | "incorrect_cvc"
  | "processing_error";

export interface Scenario {
  /** When the issuer answers: at once, after a 3-D Secure challenge, or some seconds later. */
  readonly answers: "now" | "after_challenge" | "later";
  readonly decline?: DeclineName;
  /** The buyer's bank takes the money back at once, for this reason. */
  readonly dispute?: "fraudulent" | "product_not_received";
}

export interface Card {
  readonly brand: "visa" | "mastercard" | "amex" | "discover";
  readonly last4: string;
  readonly exp_month: number;
  readonly exp_year: number;
  readonly wallet: "apple_pay" | "google_pay" | null;
  readonly billing: { name: string | null; email: string | null; phone: string | null };
  readonly scenario: Scenario;
}
