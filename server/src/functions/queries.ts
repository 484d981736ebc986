// The functions service's only SQL: everything else the functions ask goes through the API, as on the platform.
import type { Cart, Reservation } from "../../../supabase/functions/_shared/reservation.ts";
import type { Database } from "../postgres/database.ts";

/** Decides all carts in one statement and one transaction; answers come in the carts' order. */
export type ReserveBatch = (carts: readonly Cart[]) => Promise<readonly Reservation[]>;

export function reserveBatchIn(database: Database): ReserveBatch {
  const service = database.asSale("carts of many buyers are decided together; each names its own buyer");
  return async (carts) => {
    const { rows } = await service.run<{ answers: Reservation[] }>({
      name: "reserve_orders",
      text: "select public.reserve_orders($1::jsonb) as answers",
      values: [JSON.stringify(carts)],
    });
    return rows[0]!.answers;
  };
}
