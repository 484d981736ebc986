// The entry codes of a door sale, for the seller's screen. Creates those that do not exist yet.
import type { DoorCode } from "contract/door";
import { z } from "zod";
import { concurrently } from "../_shared/concurrently.ts";
import { validCodes } from "../_shared/entry-codes.ts";
import { FunctionError } from "../_shared/errors.ts";
import { readBody, userFunction } from "../_shared/handler.ts";
import { ensureQrCode } from "../_shared/qr-code.ts";

const body = z.object({ orderId: z.uuid() });

export const handler = userFunction(async (request, deps, caller) => {
  const { orderId } = await readBody(request, body);
  const args = { p_user_id: caller.userId, p_order_id: orderId, p_aal: caller.aal ?? null };
  if (!(await deps.sql("may_show_door_sale", args))) {
    throw new FunctionError("order_not_found", "We couldn't find this sale among yours.");
  }
  const codes = await concurrently(await validCodes(deps, orderId), 4, async (row): Promise<DoorCode> => ({
    id: row.id,
    admits: row.product_kinds.admits,
    name: row.order_items.name,
    token: (await ensureQrCode(deps, row)).token,
  }));
  return { codes };
});
