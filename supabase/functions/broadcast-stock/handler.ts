// Tells whoever looks at /tickets how much is left, if that has changed.
import { serviceFunction } from "../_shared/handler.ts";
import { rpc } from "../_shared/rpc.ts";

export const handler = serviceFunction(async (_request, deps) => ({
  sent: await rpc<boolean>(deps.supabase, "broadcast_stock", {}),
}));
