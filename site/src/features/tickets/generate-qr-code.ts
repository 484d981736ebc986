// Requests QR codes from the server within the client's rate limit. A ticket gets one automatic attempt per visit. These run one
// after the other, so that a large order does not exceed the limit.
import { rateLimiter, waitMessage } from "#lib/api/rate-limit.ts";
import type { Pass } from "./model.ts";
import { generateQrCode } from "./queries.ts";

/** The message is shown to the buyer. */
export class QrCodeError extends Error {}

const automatic = new Map<string, Promise<string>>();
let turn: Promise<unknown> = Promise.resolve();

/**
 * The one automatic attempt for a code that has no picture, or whose picture does not load, running or finished: the picture's URL. A
 * reissued ticket has another code.
 */
export function automaticQrCode(
  { id: ticketId, issueNumber, codeUrl }: Pick<Pass, "id" | "issueNumber" | "codeUrl">,
  userId: string,
): Promise<string> {
  const code = `${ticketId} ${issueNumber}`;
  const known = automatic.get(code);
  if (known) return known;
  const attempt = turn.then(async () => {
    await permission(userId);
    return generateQrCode(ticketId, codeUrl !== null);
  });
  automatic.set(code, attempt);
  turn = attempt.catch(() => undefined);
  return attempt;
}

/** For a press of the button: fails at once when the limit is reached. @throws QrCodeError */
export async function requestQrCode(
  { id: ticketId, codeUrl }: Pick<Pass, "id" | "codeUrl">,
  userId: string,
): Promise<string> {
  const taken = rateLimiter.take("qr_generation", userId);
  if (!taken.allowed) throw new QrCodeError(waitMessage(taken.retryAfterMs));
  return generateQrCode(ticketId, codeUrl !== null);
}

async function permission(userId: string): Promise<void> {
  for (;;) {
    const taken = rateLimiter.take("qr_generation", userId);
    if (taken.allowed) return;
    await new Promise((done) => setTimeout(done, taken.retryAfterMs));
  }
}
