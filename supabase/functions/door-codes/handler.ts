// The entry codes of a door sale, for the seller's screen. Creates those that do not exist yet.
import type { DoorCode } from "contract/door";
import { z } from "zod";
import { concurrently } from "../_shared/concurrently.ts";
import type { FunctionDeps } from "../_shared/deps.ts";
import { FunctionError } from "../_shared/errors.ts";
import { readBody, userFunction } from "../_shared/handler.ts";
import { type Coded, codedColumns, type CodedRow, ensureQrCode } from "../_shared/qr-code.ts";
import { rowsOf, rpc } from "../_shared/rpc.ts";

const body = z.object({ orderId: z.uuid() });

export const handler = userFunction(async (request, deps, caller) => {
  const { orderId } = await readBody(request, body);
  const args = { p_user_id: caller.userId, p_order_id: orderId, p_aal: caller.aal ?? null };
  if (!(await rpc<boolean>(deps.supabase, "may_show_door_sale", args))) {
    throw new FunctionError("order_not_found", "We couldn't find this sale among yours.");
  }
  const [tickets, permits] = await Promise.all([
    codesOf(deps, "tickets", orderId),
    codesOf(deps, "parking_permits", orderId),
  ]);
  return { codes: [...tickets, ...permits] };
});

/** In the order of sale, without voided ones. */
async function codesOf(deps: FunctionDeps, table: Coded, orderId: string): Promise<DoorCode[]> {
  const rows = await rowsOf(
    table,
    deps.supabase
      .from(table)
      .select(`${codedColumns[table]}, position, order_items(name, position)`)
      .eq("order_id", orderId)
      .is("voided_at", null)
      .overrideTypes<
        (CodedRow & { position: number; order_items: { name: string; position: number } })[],
        { merge: false }
      >(),
  );
  rows.sort((a, b) => a.order_items.position - b.order_items.position || a.position - b.position);
  return concurrently(rows, 2, async (row) => ({
    id: row.id,
    kind: table === "tickets" ? "ticket" : "parking",
    name: row.order_items.name,
    token: (await ensureQrCode(deps, table, row)).token,
  }));
}
