// What administrators do to one order and to the shop's settings.
import type { Work } from "./lanes.ts";
import type { Intent } from "./provider.ts";
import type { Random } from "./random.ts";
import type { SimulatedShop } from "./shop.ts";
import { asUser, statement } from "./statement.ts";

export function createAdministrators(random: Random, shop: SimulatedShop) {
  /** Applies to orders placed from then on. */
  const turnFee = (): Work => ({
    name: "change whether the fee is refunded",
    statements: [statement("update public.shop_settings set fee_is_refunded = not fee_is_refunded")],
  });
  const cancel = ({ orderId }: Intent): Work => ({
    name: `cancel ${orderId}`,
    statements: [asUser(shop.admin), statement("select public.cancel_order($1)", orderId)],
    refusal: /Only pending orders/,
  });
  const refund = ({ orderId }: Intent): Work => ({
    name: `refund ${orderId}`,
    statements: [asUser(shop.admin), statement("select public.refund_order($1)", orderId)],
    refusal: /Only a paid order/,
  });
  const refundSome = ({ orderId }: Intent): Work => ({
    name: `refund tickets and parking of ${orderId}`,
    statements: [
      asUser(shop.admin),
      statement(
        `select public.refund_order($1,
          array(select id from public.tickets where order_id = $1 and voided_at is null order by order_item_id, position limit $2),
          array(select id from public.order_items where order_id = $1 and kind <> 'ticket' and not included
            and refunded = 0 limit $3))`,
        orderId,
        random.below(3),
        random.below(2),
      ),
    ],
    refusal: /Only a paid order|Choose tickets|is left to refund/,
  });

  const refundAmount = ({ orderId }: Intent): Work => ({
    name: `refund an amount of ${orderId}`,
    statements: [
      asUser(shop.admin),
      statement(
        "select public.refund_amount(gen_random_uuid(), $1, $2, 'goodwill')",
        orderId,
        1 + random.below(5000),
      ),
    ],
    refusal: /Only a paid order|of this payment is left to refund/,
  });
  const retryRefunds = ({ orderId }: Intent): Work => ({
    name: `retry the refunds of ${orderId}`,
    statements: [
      asUser(shop.admin),
      statement(
        "select public.retry_refund(id) from public.refunds where order_id = $1 and status = 'failed'",
        orderId,
      ),
    ],
    refusal: /already been refunded|is left to refund|still in progress/,
  });

  return { cancel, refund, refundSome, refundAmount, retryRefunds, turnFee };
}
