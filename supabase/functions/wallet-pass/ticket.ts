import type { Festival } from "contract/festival/facts";
import type { ProductKind } from "contract/shop/kinds";

/** A ticket, or whatever else has an entry code, as a wallet shows it. */
export interface WalletTicket {
  readonly festival: Festival;
  readonly siteUrl: string;
  readonly id: string;
  /** Of its entry code. */
  readonly issueNumber: number;
  readonly orderId: string;
  readonly kind: ProductKind;
  /** The name of the product. */
  readonly name: string;
  readonly holder: string;
  /** The content of its entry code. */
  readonly token: string;
}
