// Events: the provider's notifications to the shop, stored as objects and delivered as webhooks.
import { newId } from "../wire/ids.ts";
import type { Entry, ProviderEvent, Transition } from "../store/objects.ts";

/** The version of Stripe's API used by the SDK that package.json pins. */
export const API_VERSION = "2026-10-28.endive";

/** The request that caused an event; both absent when the provider acted on its own. */
export interface Cause {
  readonly requestId?: string;
  readonly idempotencyKey?: string | undefined;
}

export function eventsOf(transition: Transition, cause: Cause, at: number): Entry<ProviderEvent>[] {
  return transition.events.map(({ type, object, previous }) => {
    const id = newId("evt");
    const body: ProviderEvent = {
      id,
      object: "event",
      api_version: API_VERSION,
      created: at,
      data: previous ? { object, previous_attributes: previous } : { object },
      livemode: false,
      pending_webhooks: 1,
      request: { id: cause.requestId ?? null, idempotency_key: cause.idempotencyKey ?? null },
      type,
    };
    return { root: id, body, hidden: {} };
  });
}
