// An entry code as documents and wallets show it.
import { admitted, type ProductKind } from "contract/shop/kinds";
import type { EntryCode } from "./answers.ts";

export interface Pass {
  readonly row: EntryCode;
  readonly kind: ProductKind;
  readonly name: string;
  readonly description: string;
  readonly isVip: boolean;
  /** Who or what it admits. */
  readonly holder: string;
}

export const passOf = (row: EntryCode): Pass => ({
  row,
  kind: row.product_kinds,
  name: row.products.name,
  description: row.products.description,
  isVip: row.products.is_vip,
  holder: row.attendee_name ?? admitted(row.product_kinds, row.plate),
});
