// One of the caller's entry codes, created if there is none yet, and at a new URL if the caller
// says that its picture does not load.
import { z } from "zod";
import { findCode } from "../_shared/entry-codes.ts";
import { FunctionError } from "../_shared/errors.ts";
import { liveCaller, publicFunction, readBody } from "../_shared/handler.ts";
import { ensureQrCode, logFailure, renewQrCode } from "../_shared/qr-code.ts";
import { limitQrCodes } from "../_shared/user-limits.ts";

const body = z.object({ ticketId: z.uuid(), renew: z.boolean().default(false) });

export const handler = publicFunction(async (request, deps) => {
  const caller = await liveCaller(request, deps);
  if (!caller && !(await deps.isService(request)))
    throw new FunctionError("unauthorized", "Please sign in first.");
  const { ticketId, renew } = await readBody(request, body);
  if (caller) await limitQrCodes(deps, caller.userId);
  const found = await findCode(deps, ticketId, caller?.userId);
  if (!found) throw new FunctionError("ticket_not_found", "We couldn't find this ticket.");
  if (found.voided_at !== null) {
    throw new FunctionError(
      "ticket_refunded",
      `This ${found.product_kinds.label} was refunded and is no longer valid.`,
    );
  }
  try {
    const url = renew ? await renewQrCode(deps, found) : (await ensureQrCode(deps, found)).url;
    return { success: true, qrCodeUrl: url };
  } catch (error) {
    logFailure(deps.log, error, { ticketId }, "QR code not generated");
    return { success: false, error: "Failed to generate QR code" };
  }
});
