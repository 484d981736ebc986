// The entry codes of a door sale, for the seller's screen. Creates those that do not exist yet.
import type { DoorCode } from "contract/door";
import { z } from "zod";
import { validCodes } from "../_shared/entry-codes.ts";
import { FunctionError } from "../_shared/errors.ts";
import { readBody, userFunction } from "../_shared/handler.ts";
import { ensureQrCodes } from "../_shared/qr-code.ts";

const body = z.object({ orderId: z.uuid() });

export const handler = userFunction(async (request, deps, caller) => {
  const { orderId } = await readBody(request, body);
  const args = { p_user_id: caller.userId, p_order_id: orderId, p_aal: caller.aal ?? null };
  if (!(await deps.sql("may_show_door_sale", args))) {
    throw new FunctionError("order_not_found", "We couldn't find this sale among yours.");
  }
  const rows = await validCodes(deps, orderId);
  const issued = await ensureQrCodes(deps, rows);
  const codes = rows.map((row, index): DoorCode => ({
    id: row.id,
    admits: row.product_kinds.admits,
    name: row.order_items.name,
    token: issued[index]!.token,
  }));
  return { codes };
});
