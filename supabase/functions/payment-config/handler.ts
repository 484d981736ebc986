// Which provider account takes the payment, and whether the money is real.
import { publicFunction } from "../_shared/handler.ts";

export const handler = publicFunction(
  async (_request, { payments }) => ({ publishableKey: payments.publishableKey, sandbox: payments.sandbox }),
  ["POST", "GET"],
);
