// Broadcasts the remaining stock to everybody on /tickets when it has changed.
import { serviceFunction } from "../_shared/handler.ts";
import { rpc } from "../_shared/rpc.ts";

export const handler = serviceFunction(async (_request, deps) => ({
  sent: await rpc<boolean>(deps.supabase, "broadcast_stock", {}),
}));
