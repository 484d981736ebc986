// The entry code of one of the caller's tickets or parking permits, created if there is none yet.
import { z } from "zod";
import { FunctionError } from "../_shared/errors.ts";
import { liveCaller, publicFunction, readBody } from "../_shared/handler.ts";
import { ensureQrCode, findCoded } from "../_shared/qr-code.ts";
import { limitQrCodes } from "../_shared/user-limits.ts";

/** A ticket's id, or a permit's. */
const body = z.object({ ticketId: z.uuid() });

export const handler = publicFunction(async (request, deps) => {
  const caller = await liveCaller(request, deps);
  if (!caller && !(await deps.isService(request)))
    throw new FunctionError("unauthorized", "Please sign in first.");
  const { ticketId } = await readBody(request, body);
  if (caller) await limitQrCodes(deps, caller.userId);
  const found = await findCoded(deps, ticketId, caller?.userId);
  if (!found) throw new FunctionError("ticket_not_found", "We couldn't find this ticket.");
  if (found.row.voided_at !== null) {
    const what = found.table === "tickets" ? "ticket" : "parking pass";
    throw new FunctionError("ticket_refunded", `This ${what} was refunded and no longer admits anybody.`);
  }
  try {
    const { url } = await ensureQrCode(deps, found.table, found.row);
    return { success: true, qrCodeUrl: url };
  } catch (error) {
    deps.log.error({ err: error, ticketId }, "QR code not generated");
    return { success: false, error: "Failed to generate QR code" };
  }
});
