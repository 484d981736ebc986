// The entry code of one of the caller's tickets, created if there is none yet.
import { z } from "zod";
import { FunctionError } from "../_shared/errors.ts";
import { liveCaller, publicFunction, readBody } from "../_shared/handler.ts";
import { ensureQrCode, findTicket } from "../_shared/qr-code.ts";
import { limitQrCodes } from "../_shared/user-limits.ts";

const body = z.object({ ticketId: z.uuid() });

export const handler = publicFunction(async (request, deps) => {
  const caller = await liveCaller(request, deps);
  if (!caller && !(await deps.isService(request)))
    throw new FunctionError("unauthorized", "Please sign in first.");
  const { ticketId } = await readBody(request, body);
  if (caller) await limitQrCodes(deps, caller.userId);
  const ticket = await findTicket(deps, ticketId, caller?.userId);
  if (!ticket) throw new FunctionError("ticket_not_found", "We couldn't find this ticket.");
  if (ticket.voided_at !== null) {
    throw new FunctionError("ticket_refunded", "This ticket was refunded and no longer admits anybody.");
  }
  try {
    const { url } = await ensureQrCode(deps, ticket);
    return { success: true, qrCodeUrl: url };
  } catch (error) {
    deps.log.error({ err: error, ticketId }, "QR code not generated");
    return { success: false, error: "Failed to generate QR code" };
  }
});
