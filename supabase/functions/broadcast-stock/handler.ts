// Broadcasts the remaining stock to everybody on /tickets when it has changed.
import { serviceFunction } from "../_shared/handler.ts";

export const handler = serviceFunction(async (_request, deps) => ({
  sent: await deps.sql("broadcast_stock", {}),
}));
