// What is for sale, and the rules of choosing from it (specification 000, section 4), pure.
import type { Database } from "contract/database";

export type TicketType = Database["public"]["Tables"]["ticket_types"]["Row"];
export type ParkingPass = Database["public"]["Tables"]["parking_passes"]["Row"];

export interface Catalogue {
  ticketTypes: readonly TicketType[];
  parkingPasses: readonly ParkingPass[];
}

/** At most so many general parking passes in an order. */
export const PARKING_LIMIT = 1;

export function isSoldOut({ current_inventory }: { current_inventory: number }): boolean {
  return current_inventory <= 0;
}

export function isVip({ name }: { name: string }): boolean {
  return name.toLowerCase().includes("vip");
}

/** The pass that is offered beside the tickets, if there is one. */
export function generalParking(passes: readonly ParkingPass[]): ParkingPass | undefined {
  return passes.find((pass) => pass.type_name.toLowerCase().includes("general"));
}

/** A quantity that may be chosen; anything else is ignored. */
export function isChoosable(quantity: number, inventory: number): boolean {
  return Number.isInteger(quantity) && quantity >= 0 && quantity <= inventory;
}

interface PricedItem {
  id: string;
  name: string;
  price: number;
}

/** The items whose name or price in the catalogue is another now, as the catalogue says it. */
export function outdated<Item extends PricedItem>(
  items: readonly Item[],
  catalogue: Catalogue,
): readonly Item[] {
  return items.flatMap((item) => {
    const now = catalogueEntry(catalogue, item.id);
    return now && (now.price !== item.price || now.name !== item.name) ? [{ ...item, ...now }] : [];
  });
}

function catalogueEntry({ ticketTypes, parkingPasses }: Catalogue, id: string) {
  const type = ticketTypes.find((entry) => entry.id === id);
  if (type) return { name: type.name, price: type.price, itemData: type };
  const pass = parkingPasses.find((entry) => entry.id === id);
  return pass && { name: pass.type_name, price: pass.price, itemData: pass };
}
