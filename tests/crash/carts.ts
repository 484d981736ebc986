// What people buy in a crash run, drawn from the seed: how they pay, when they leave, whether they change their mind.
import { cartOf, type CatalogItem } from "../../shop/testing/cart.ts";
import type { Plan } from "../promise/shopper.ts";
import type { Random } from "../simulator/random.ts";

const CARDS: readonly (readonly string[])[] = [
  ["pm_card_visa"],
  ["pm_card_visa"],
  ["pm_card_mastercard"],
  ["pm_card_chargeDeclined", "pm_card_visa"],
  ["pm_card_chargeDeclined"],
  // In progress at the bank for some seconds.
  ["pm_card_bypassPending"],
];

export function createCarts(random: Random, catalog: readonly Record<string, unknown>[]) {
  const items = catalog as unknown as readonly CatalogItem[];
  const find = (word: RegExp) => items.find(({ name }) => word.test(name))!;
  const [general, vip, parking] = [find(/general admission/i), find(/vip/i), find(/general parking/i)];

  const cart = () =>
    random.chance(0.2)
      ? cartOf([vip, 1])
      : cartOf([general, 1 + random.below(3)], ...(random.chance(0.3) ? [[parking, 1] as const] : []));

  return {
    plan(key: string): Plan {
      const leaves = (["order", "payment", undefined, undefined, undefined] as const)[random.below(5)];
      return {
        key,
        cart: cart(),
        cards: random.pick(CARDS)!,
        ...(leaves && { leaves }),
        ...(random.chance(0.2) && { before: cart() }),
      };
    },
  };
}
