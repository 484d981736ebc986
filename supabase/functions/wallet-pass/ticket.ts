import type { Festival } from "contract/festival/facts";

/** A ticket or parking permit as a wallet shows it. */
export interface WalletTicket {
  readonly festival: Festival;
  readonly siteUrl: string;
  readonly id: string;
  /** Of its entry code. */
  readonly issueNumber: number;
  readonly orderId: string;
  readonly kind: "ticket" | "parking";
  /** Name of the ticket type or parking pass. */
  readonly name: string;
  readonly holder: string;
  /** The content of its entry code. */
  readonly token: string;
}
