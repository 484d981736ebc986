// What a promo code would take off a cart. SQL decides, and counts a wrong code in a transaction that its buyer cannot undo.
import { cartLimits, maxLengths } from "contract/limits";
import { z } from "zod";
import { readBody, userFunction } from "../_shared/handler.ts";

const quoteSchema = z.object({
  code: z.string().trim().min(1).max(maxLengths.promoCode),
  items: z
    .array(z.object({ id: z.uuid(), quantity: z.number().int().min(1).max(cartLimits.units) }))
    .max(cartLimits.items),
});

export const handler = userFunction(async (request, deps, caller) => {
  const { code, items } = await readBody(request, quoteSchema);
  return deps.sql("quote_promo_code", {
    p_user_id: caller.userId,
    p_address: deps.address(request),
    p_code: code,
    p_items: items,
  });
});
