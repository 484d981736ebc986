// For tests that change what is for sale: the test's own ticket types and parking passes. Others buy in the same shop, so
// the seeded items stay unchanged. Whatever happens to the test, its items are hidden afterwards.
import { randomBytes } from "node:crypto";
import { serviceClient } from "./arrival.ts";
import { test as base } from "../fixtures.ts";

export interface OwnItem {
  readonly id: string;
  readonly name: string;
  readonly price: number;
}

interface Wanted {
  /** The beginning of its name; the rest is random. */
  readonly called: string;
  readonly price?: number;
  /** Available units, 20 by default. */
  readonly available?: number;
  /** Total units, by default as many as are available. */
  readonly total?: number;
  readonly hidden?: boolean;
}

export type MakeItem = (wanted: Wanted) => Promise<OwnItem>;

export const test = base.extend<{ readonly makeTicketType: MakeItem; readonly makeParkingPass: MakeItem }>({
  makeTicketType: ({}, use) => withItems("ticket_types", "name", use),
  makeParkingPass: ({}, use) => withItems("parking_passes", "type_name", use),
});

async function withItems(
  table: "ticket_types" | "parking_passes",
  nameColumn: string,
  use: (make: MakeItem) => Promise<void>,
): Promise<void> {
  const made: string[] = [];
  await use(async ({ called, price = 10, available = 20, total = available, hidden = false }) => {
    const name = `${called} ${randomBytes(4).toString("hex")}`;
    const { data, error } = await serviceClient()
      .from(table)
      .insert({
        [nameColumn]: name,
        price,
        current_inventory: available,
        total_inventory: total,
        is_hidden: hidden,
      })
      .select("id")
      .single();
    if (error) throw error;
    made.push(data.id as string);
    return { id: data.id as string, name, price };
  });
  if (made.length === 0) return;
  const { error } = await serviceClient().from(table).update({ is_hidden: true }).in("id", made);
  if (error) throw error;
}
