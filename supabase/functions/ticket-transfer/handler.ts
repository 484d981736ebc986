// Shows what a transfer's link offers, and accepts it. The token is all its bearer needs; an account is optional. SQL decides
// (`accept_transfer`); this returns the new codes to a person who accepted without an account.
import { readTransferAnswer, ticketTransferSchema, type TransferAnswer } from "contract/tickets/transfers";
import { concurrently } from "../_shared/concurrently.ts";
import type { FunctionDeps } from "../_shared/deps.ts";
import { findCode } from "../_shared/entry-codes.ts";
import { FunctionError } from "../_shared/errors.ts";
import { liveCaller, publicFunction, readBody } from "../_shared/handler.ts";
import { limitByAddress } from "../_shared/public-form.ts";
import { ensureQrCode, logFailure } from "../_shared/qr-code.ts";

/** Per ten minutes: a family behind one network opens its links, and some of them again. */
const MOST_CALLS = 60;

export const handler = publicFunction(async (request, deps): Promise<TransferAnswer> => {
  const { token, action, withAccount } = await readBody(request, ticketTransferSchema);
  await limitByAddress("ticket-transfer", request, deps, { most: MOST_CALLS, what: "visits" });
  const caller = await liveCaller(request, deps);
  if (withAccount && !caller) throw new FunctionError("unauthorized", "Please sign in first.");
  const looker = caller?.userId ?? null;
  if (action === "look")
    return readTransferAnswer(await deps.sql("look_up_transfer", { p_token: token, p_user_id: looker }));
  if (action === "resend") {
    const answer = readTransferAnswer(await deps.sql("resend_transfer", { p_token: token }));
    deps.outboxFilled();
    return answer;
  }
  const answer = readTransferAnswer(
    await deps.sql("accept_transfer", { p_token: token, p_user_id: withAccount ? looker : null }),
  );
  if (answer.state !== "accepted") return answer;
  deps.outboxFilled();
  return withAccount ? answer : withCodes(deps, answer);
});

/** A code that cannot be made now arrives with the mail. */
async function withCodes(deps: FunctionDeps, answer: TransferAnswer): Promise<TransferAnswer> {
  const tickets = await concurrently(answer.tickets ?? [], 4, async (ticket) => {
    try {
      const found = await findCode(deps, ticket.id);
      return { ...ticket, qrCodeUrl: found ? (await ensureQrCode(deps, found)).url : null };
    } catch (error) {
      logFailure(deps.log, error, { ticketId: ticket.id }, "QR code not generated");
      return ticket;
    }
  });
  return { ...answer, tickets };
}
