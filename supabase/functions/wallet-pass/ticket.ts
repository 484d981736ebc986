import type { Festival } from "contract/festival";

/** What a wallet shows of a ticket or parking permit. */
export interface WalletTicket {
  readonly festival: Festival;
  readonly siteUrl: string;
  readonly id: string;
  readonly orderId: string;
  readonly kind: "ticket" | "parking";
  /** The ticket type's or parking pass's. */
  readonly name: string;
  readonly holder: string;
  /** What its code says. */
  readonly token: string;
}
