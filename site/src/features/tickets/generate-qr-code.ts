// Asks the server for a ticket's QR code, within the client's rate limit. A ticket gets one automatic attempt a visit;
// these wait for their turn, one after the other, so that a large order does not run into the limit.
import { callFunction } from "#lib/api/functions.ts";
import { rateLimiter, waitMessage } from "#lib/api/rate-limit.ts";

/** Its message is for the buyer. */
export class QrCodeError extends Error {}

const automatic = new Map<string, Promise<string>>();
let turn: Promise<unknown> = Promise.resolve();

/** What became, or becomes, of the ticket's one automatic attempt: the picture's address. */
export function automaticQrCode(ticketId: string, userId: string): Promise<string> {
  const known = automatic.get(ticketId);
  if (known) return known;
  const attempt = turn.then(async () => {
    await permission(userId);
    return generate(ticketId);
  });
  automatic.set(ticketId, attempt);
  turn = attempt.catch(() => undefined);
  return attempt;
}

/** For a press of the button: answered at once, also with "please wait". @throws QrCodeError */
export async function requestQrCode(ticketId: string, userId: string): Promise<string> {
  const taken = rateLimiter.take("qr_generation", userId);
  if (!taken.allowed) throw new QrCodeError(waitMessage(taken.retryAfterMs));
  return generate(ticketId);
}

async function permission(userId: string): Promise<void> {
  for (;;) {
    const taken = rateLimiter.take("qr_generation", userId);
    if (taken.allowed) return;
    await new Promise((done) => setTimeout(done, taken.retryAfterMs));
  }
}

async function generate(ticketId: string): Promise<string> {
  const answer = await callFunction<{ success: boolean; error: string; qrCodeUrl: string }>(
    "generate-qr-code",
    {
      ticketId,
    },
  );
  if (answer.success !== true || !answer.qrCodeUrl) throw new QrCodeError("Failed to generate QR code");
  return answer.qrCodeUrl;
}
