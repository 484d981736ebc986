// Faults for tests: failures that a remote provider has now and then. Only injected by a method, never over HTTP.
import { setTimeout as sleep } from "node:timers/promises";
import { newId } from "./wire/ids.ts";
import { errorAnswer } from "./wire/provider-error.ts";

export type Fault = {
  /** How many requests it affects; undefined means all until clearFaults. */
  readonly times?: number;
  /** Limits it to requests for which this returns true. */
  readonly matches?: (request: Request) => boolean;
} & (
  | { readonly kind: "slow"; readonly milliseconds: number }
  | { readonly kind: "refused"; readonly status: 429 | 500 | 503 }
  /**
   * A failure that Stripe has stored under the request's idempotency key, and repeats from then on. It usually asks the SDK not to
   * retry; `unadvised`, it does not say.
   */
  | { readonly kind: "kept"; readonly unadvised?: boolean }
  /** Refused permanently, with one of Stripe's codes. */
  | { readonly kind: "declined"; readonly code: string; readonly message: string }
  /**
   * The work is done, but a proxy answers with this status instead. Without a status, the connection breaks during the
   * response.
   */
  | { readonly kind: "answer_lost"; readonly status?: 502 | 504 }
);

export interface Faults {
  inject(fault: Fault): void;
  clear(): void;
  /** Answers the request through `next`, applying the first fault that matches it. */
  around(request: Request, next: () => Promise<Response>): Promise<Response>;
}

export function createFaults(): Faults {
  let waiting: { fault: Fault; left: number }[] = [];
  const kept = new Map<string, Record<string, string>>();

  return {
    inject(fault) {
      waiting.push({ fault, left: fault.times ?? Infinity });
    },
    clear() {
      waiting = [];
    },
    async around(request, next) {
      const key = request.headers.get("idempotency-key");
      const advice = kept.get(key ?? "");
      if (advice) return refusal(500, { ...advice, "idempotent-replayed": "true" });
      const hit = waiting.find(({ fault, left }) => left > 0 && (fault.matches?.(request) ?? true));
      if (!hit) return next();
      hit.left -= 1;
      const { fault } = hit;
      if (fault.kind === "slow") await sleep(fault.milliseconds);
      if (fault.kind === "refused") return refusal(fault.status);
      if (fault.kind === "kept") {
        const advice: Record<string, string> = fault.unadvised ? {} : { "stripe-should-retry": "false" };
        if (key !== null) kept.set(key, advice);
        return refusal(500, advice);
      }
      if (fault.kind === "declined") {
        const { code, message } = fault;
        const body = errorAnswer({ type: "invalid_request_error", code, message });
        return Response.json(body, { status: 400, headers: { "request-id": newId("req") } });
      }
      if (fault.kind === "slow") return next();
      await next();
      return fault.status === undefined
        ? brokenAnswer()
        : new Response("Bad gateway", { status: fault.status });
    },
  };
}

function refusal(status: 429 | 500 | 503, headers: Record<string, string> = {}): Response {
  const body =
    status === 429
      ? errorAnswer({
          type: "invalid_request_error",
          code: "rate_limit",
          message: "Too many requests hit the API too quickly.",
        })
      : errorAnswer({ type: "api_error", message: "An unknown error occurred" });
  return Response.json(body, { status, headers: { "request-id": newId("req"), ...headers } });
}

function brokenAnswer(): Response {
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"id":'));
    },
    pull(controller) {
      controller.error(new Error("The answer was lost (injected fault)"));
    },
  });
  return new Response(body, { headers: { "content-type": "application/json" } });
}
