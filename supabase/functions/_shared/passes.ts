// The valid entry codes of an order, as documents and wallets show them. Only their holders and administrators may
// have them.
import { admitted, type ProductKind } from "contract/shop/kinds";
import { codedColumns, type CodedRow } from "./qr-code.ts";
import type { FunctionDeps } from "./deps.ts";
import { rowsOf } from "./database.ts";

export interface Pass {
  readonly row: CodedRow & { readonly order_id: string; readonly position: number };
  readonly kind: ProductKind;
  readonly name: string;
  readonly description: string;
  readonly isVip: boolean;
  /** Who or what it admits. */
  readonly holder: string;
}

type PassRow = Pass["row"] & {
  readonly attendee_name: string | null;
  readonly plate: string | null;
  readonly products: { readonly name: string; readonly description: string; readonly is_vip: boolean };
  readonly product_kinds: ProductKind;
  readonly order_items: { readonly position: number };
};

/** All passes of an order, or a single pass. Without `holderId`, whoever holds them. */
interface Wanted {
  readonly orderId?: string;
  readonly id?: string;
  readonly holderId?: string;
}

/** In the order of their kinds, each in the order of purchase. Void ones admit nobody and are left out. */
export async function readPasses(deps: FunctionDeps, { orderId, id, holderId }: Wanted): Promise<Pass[]> {
  let query = deps.supabase
    .from("entry_codes")
    .select(
      `${codedColumns}, order_id, position, attendee_name, plate, products(name, description, is_vip), product_kinds(*), order_items(position)`,
    )
    .is("voided_at", null);
  if (orderId !== undefined) query = query.eq("order_id", orderId);
  if (id !== undefined) query = query.eq("id", id);
  if (holderId !== undefined) query = query.eq("user_id", holderId);
  const rows = await rowsOf("entry codes", query.overrideTypes<PassRow[], { merge: false }>());
  return rows.sort(inOrder).map(passOf);
}

const inOrder = (one: PassRow, other: PassRow) =>
  one.product_kinds.position - other.product_kinds.position ||
  one.order_items.position - other.order_items.position ||
  one.position - other.position;

const passOf = (row: PassRow): Pass => ({
  row,
  kind: row.product_kinds,
  name: row.products.name,
  description: row.products.description,
  isVip: row.products.is_vip,
  holder: row.attendee_name ?? admitted(row.product_kinds, row.plate),
});
