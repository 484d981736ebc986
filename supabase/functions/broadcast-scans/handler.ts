// Notifies the holders of tickets and permits scanned in since the last call.
import { serviceFunction } from "../_shared/handler.ts";

export const handler = serviceFunction(async (_request, deps) => ({
  notified: await deps.sql("broadcast_scans", {}),
}));
