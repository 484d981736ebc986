// One event sent to the shop's webhook, signed as Stripe signs it.
import { createHmac } from "node:crypto";
import type { Clock } from "../../../server/src/platform/clock.ts";

const ANSWER_WITHIN_MS = 10_000;

export interface Webhook {
  readonly url: string;
  readonly secret: string;
  /** Takes the requests for a shop in the same process; without it, they go over the network. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/** Rejects unless the webhook answers 2xx in time. */
export async function postEvent(
  webhook: Webhook,
  event: unknown,
  clock: Clock,
  stopping: AbortSignal,
): Promise<void> {
  const payload = JSON.stringify(event);
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(ANSWER_WITHIN_MS)]);
  const request = new Request(webhook.url, {
    method: "POST",
    headers: {
      "content-type": "application/json; charset=utf-8",
      "user-agent": "payments-sandbox/1.0",
      "stripe-signature": sign(payload, webhook.secret, Math.floor(clock.now() / 1000)),
    },
    body: payload,
    redirect: "manual",
    signal,
  });
  const answer = await (webhook.fetch ? inTime(webhook.fetch(request), signal) : fetch(request));
  await answer.body?.cancel();
  if (!answer.ok) throw new Error(`The webhook answered ${answer.status}`);
}

/** A shop in the same process does not notice that nobody waits any more. */
function inTime(answer: Promise<Response>, signal: AbortSignal): Promise<Response> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    answer.then(resolve, reject);
  });
}

/** Stripe's signature header, scheme v1: HMAC-SHA256 of "timestamp.payload". */
function sign(payload: string, secret: string, at: number): string {
  return `t=${at},v1=${createHmac("sha256", secret).update(`${at}.${payload}`).digest("hex")}`;
}
