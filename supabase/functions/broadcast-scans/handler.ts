// Notifies the holders of tickets and permits scanned in since the last call.
import { serviceFunction } from "../_shared/handler.ts";
import { rpc } from "../_shared/rpc.ts";

export const handler = serviceFunction(async (_request, deps) => ({
  notified: await rpc<number>(deps.supabase, "broadcast_scans", {}),
}));
