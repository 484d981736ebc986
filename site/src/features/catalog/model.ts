// What is for sale, and the rules for choosing it (PRODUCT 4.8, 5), pure.
import type { Database } from "contract/database";
import type { Festival } from "contract/festival/facts";
import type { TicketAllowance } from "contract/shop/ticket-allowance";
import { offeredOf, type ProductKind } from "contract/shop/kinds";
import { offerState, saleState, type Shop, type Stock } from "contract/shop/sale";

export type Product = Database["public"]["Tables"]["products"]["Row"] & { product_kinds: ProductKind };

/** The shop's own state, with the server's clock. */
export interface ShopSale extends Shop {
  /** Milliseconds since the epoch. */
  now: number;
  festival_status: Festival["status"];
  vip_includes_parking: boolean;
}

export interface Catalog {
  products: readonly Product[];
  sale: ShopSale;
}

/** What is offered of each kind, in the order of the page. */
export function sectionsOf({ products }: Pick<Catalog, "products">) {
  const sections: { kind: ProductKind; products: Product[] }[] = [];
  for (const product of offeredOf(products)) {
    const section = sections.find(({ kind }) => kind.kind === product.kind);
    if (section) section.products.push(product);
    else sections.push({ kind: product.product_kinds, products: [product] });
  }
  return sections;
}

/**
 * What this buyer can buy: stock that others wait for is excluded, and the places offered to them are
 * included.
 */
export function forBuyer(
  catalog: Catalog,
  places: readonly { ticket_type_id: string; state: string; offered: number }[],
): Catalog {
  const heldOf = ({ id }: Product) =>
    places.find(({ ticket_type_id, state }) => ticket_type_id === id && state === "offered")?.offered ?? 0;
  const products = catalog.products.map((product) => {
    const left = Math.max(product.current_inventory - (product.waiting ?? 0), 0) + heldOf(product);
    return { ...product, current_inventory: left, waiting: 0 };
  });
  const { sale } = catalog;
  // Parking is held with a place of VIP.
  const hasParking =
    sale.vip_parking_left === 0 && products.some((product) => product.is_vip && heldOf(product));
  return { ...catalog, products, sale: hasParking ? { ...sale, vip_parking_left: 1 } : sale };
}

/**
 * What a card shows instead of its stepper, or with it. `from` and `until` belong to the item, not the shop.
 */
export type Offer =
  | { kind: "open"; until: string | null }
  | { kind: "upcoming"; from?: string }
  | { kind: "sold-out" | "paused" | "ended" | "no-parking" };

/** The whole shop's state: "open" even while individual types are not for sale. */
export function shopOffer(sale: ShopSale): Offer {
  const state = saleState(sale, sale.now);
  if (state === "upcoming") return { kind: "upcoming", from: sale.sale_opens_at! };
  return state === "open" ? { kind: "open", until: sale.sale_closes_at } : { kind: state };
}

export function stockOffer(row: Stock, sale: ShopSale): Offer {
  const kind = offerState(row, sale, sale.now);
  if (kind === "open") return { kind, until: row.sale_closes_at };
  return kind === "upcoming" && shopOffer(sale).kind === "open"
    ? { kind, from: row.sale_opens_at! }
    : { kind };
}

/** @throws Error when get_sale returns something else */
export function parseSale(answer: unknown): ShopSale {
  const sale = (answer ?? {}) as Omit<ShopSale, "now"> & { now: string };
  const now = Date.parse(sale.now);
  const whole =
    !Number.isNaN(now) &&
    typeof sale.on_sale === "boolean" &&
    typeof sale.festival_status === "string" &&
    typeof sale.vip_includes_parking === "boolean" &&
    [sale.sale_opens_at, sale.sale_closes_at].every((at) => at === null || typeof at === "string") &&
    (sale.vip_parking_left === null || Number.isInteger(sale.vip_parking_left)) &&
    (sale.fee === null || typeof sale.fee?.percent === "number");
  if (!whole) throw new Error("The answer is not the state of the sale");
  return { ...sale, now };
}

/** @throws Error when get_ticket_allowance returns something else */
export function parseAllowance(answer: unknown): TicketAllowance {
  const allowance = (answer ?? {}) as TicketAllowance;
  const { max_tickets, bought, remaining } = allowance;
  if (![max_tickets, bought, remaining].every(Number.isInteger)) {
    throw new Error("The answer is not a ticket allowance");
  }
  return allowance;
}

/** "The limit is 20 tickets per buyer. You already have 15, so you can buy 5 more." */
export function allowanceWords({ max_tickets, bought, remaining }: TicketAllowance): string {
  const most = `The limit is ${tickets(max_tickets)} per buyer.`;
  if (bought === 0) return most;
  return remaining === 0
    ? `${most} You already have ${bought}.`
    : `${most} You already have ${bought}, so you can buy ${remaining} more.`;
}

const tickets = (number: number) => `${number} ${number === 1 ? "ticket" : "tickets"}`;

/** How many an order may have. The parking that comes with VIP is not counted. */
export const mostOf = ({ product_kinds, current_inventory: left }: Product): number =>
  product_kinds.one_per_order ? Math.min(1, left) : left;

/** Whether a quantity may be chosen. */
export function isChoosable(quantity: number, inventory: number): boolean {
  return Number.isInteger(quantity) && quantity >= 0 && quantity <= inventory;
}

interface PricedItem {
  id: string;
  name: string;
  price: number;
  /** The catalog's record, as the cart saved it. */
  itemData: unknown;
}

/**
 * The items whose name or price has changed, with the catalog's new values. An item that another tab took from a newer catalog
 * is not outdated: two tabs would undo each other's writes without end.
 */
export function outdated<Item extends PricedItem>(
  items: readonly Item[],
  { products }: Pick<Catalog, "products">,
): readonly Item[] {
  return items.flatMap((item) => {
    const now = products.find(({ id }) => id === item.id);
    if (!now || (now.price === item.price && now.name === item.name)) return [];
    const { version } = (item.itemData ?? {}) as { version?: unknown };
    return Number(version) > now.version
      ? []
      : [{ ...item, name: now.name, price: now.price, itemData: now }];
  });
}
