// The entry codes of a door sale, for the seller's screen. Creates those that do not exist yet.
import type { DoorCode } from "contract/door";
import { z } from "zod";
import { concurrently } from "../_shared/concurrently.ts";
import { FunctionError } from "../_shared/errors.ts";
import { readBody, userFunction } from "../_shared/handler.ts";
import { codedColumns, type CodedRow, ensureQrCode } from "../_shared/qr-code.ts";
import { rowsOf } from "../_shared/database.ts";

const body = z.object({ orderId: z.uuid() });

export const handler = userFunction(async (request, deps, caller) => {
  const { orderId } = await readBody(request, body);
  const args = { p_user_id: caller.userId, p_order_id: orderId, p_aal: caller.aal ?? null };
  if (!(await deps.sql("may_show_door_sale", args))) {
    throw new FunctionError("order_not_found", "We couldn't find this sale among yours.");
  }
  const rows = await rowsOf(
    "entry codes",
    deps.supabase
      .from("entry_codes")
      .select(`${codedColumns}, position, product_kinds(position, admits), order_items(name, position)`)
      .eq("order_id", orderId)
      .is("voided_at", null)
      .overrideTypes<DoorRow[], { merge: false }>(),
  );
  rows.sort(
    (a, b) =>
      a.product_kinds.position - b.product_kinds.position ||
      a.order_items.position - b.order_items.position ||
      a.position - b.position,
  );
  const codes = await concurrently(rows, 4, async (row): Promise<DoorCode> => ({
    id: row.id,
    admits: row.product_kinds.admits,
    name: row.order_items.name,
    token: (await ensureQrCode(deps, row)).token,
  }));
  return { codes };
});

interface DoorRow extends CodedRow {
  position: number;
  product_kinds: { position: number; admits: string };
  order_items: { name: string; position: number };
}
