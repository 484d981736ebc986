// What is for sale, and the rules for choosing it (PRODUCT 4.8, 5), pure.
import type { Database } from "contract/database";
import type { Festival } from "contract/festival/facts";
import type { TicketAllowance } from "contract/shop/ticket-allowance";
import { offerState, saleState, type Shop, type Stock } from "contract/shop/sale";

type Product = Database["public"]["Tables"]["products"]["Row"];
// The generated rows of views say that every column may be null.
export type TicketType = Omit<Product, "kind" | "is_general">;
export type ParkingPass = Omit<Product, "kind" | "name" | "is_vip" | "waiting" | "offered"> & {
  type_name: string;
};

/** The shop's own state, with the server's clock. */
export interface ShopSale extends Shop {
  /** Milliseconds since the epoch. */
  now: number;
  festival_status: Festival["status"];
  vip_includes_parking: boolean;
}

export interface Catalogue {
  ticketTypes: readonly TicketType[];
  parkingPasses: readonly ParkingPass[];
  sale: ShopSale;
}

/**
 * What this buyer can buy: stock that others wait for is excluded, and the places offered to them are
 * included.
 */
export function forBuyer(
  catalogue: Catalogue,
  places: readonly { ticket_type_id: string; state: string; offered: number }[],
): Catalogue {
  const ticketTypes = catalogue.ticketTypes.map((type) => {
    const own = places.find(({ ticket_type_id, state }) => ticket_type_id === type.id && state === "offered");
    const left = Math.max(type.current_inventory - (type.waiting ?? 0), 0) + (own?.offered ?? 0);
    return { ...type, current_inventory: left, waiting: 0 };
  });
  return { ...catalogue, ticketTypes };
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

/** The most parking passes that an order buys. VIP's own is not bought. */
export const PARKING_LIMIT = 1;

/** The pass that VIP includes, if there is one. Without it, no parking is offered. */
export function generalParking(passes: readonly ParkingPass[]): ParkingPass | undefined {
  return passes.find((pass) => pass.is_general);
}

/** Whether a quantity may be chosen. */
export function isChoosable(quantity: number, inventory: number): boolean {
  return Number.isInteger(quantity) && quantity >= 0 && quantity <= inventory;
}

interface PricedItem {
  id: string;
  name: string;
  price: number;
  /** The catalogue's record, as the cart saved it. */
  itemData: unknown;
}

/**
 * The items whose name or price has changed, with the catalogue's new values. An item that another tab took from a newer catalogue
 * is not outdated: two tabs would undo each other's writes without end.
 */
export function outdated<Item extends PricedItem>(
  items: readonly Item[],
  catalogue: Omit<Catalogue, "sale">,
): readonly Item[] {
  return items.flatMap((item) => {
    const now = catalogueEntry(catalogue, item.id);
    if (!now || (now.price === item.price && now.name === item.name)) return [];
    const { version } = (item.itemData ?? {}) as { version?: unknown };
    return Number(version) > now.itemData.version ? [] : [{ ...item, ...now }];
  });
}

function catalogueEntry({ ticketTypes, parkingPasses }: Omit<Catalogue, "sale">, id: string) {
  const type = ticketTypes.find((entry) => entry.id === id);
  if (type) return { name: type.name, price: type.price, itemData: type };
  const pass = parkingPasses.find((entry) => entry.id === id);
  return pass && { name: pass.type_name, price: pass.price, itemData: pass };
}
