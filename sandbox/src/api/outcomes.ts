// What a call that writes comes to: a rule's decision, as it is stored under the call's key and answered.
import type { Clock } from "../../../server/src/platform/clock.ts";
import type { Entry, Family, ProviderObject, Transition } from "../store/objects.ts";
import type { KeptAnswer, Outcome } from "../store/queries.ts";
import { eventsOf } from "../webhooks/events.ts";
import { errorAnswer, keyReused } from "../wire/provider-error.ts";

export interface Call {
  readonly requestId: string;
  readonly idempotencyKey: string | undefined;
  /** Equal for the same method, path and parameters. Empty without a key. */
  readonly fingerprint: string;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly replayed: boolean;
}

/** What a rule decided and how its result is rendered. `family` is everything known once it is stored. */
export interface Decision {
  readonly transition: Transition;
  /** The object the call is about. */
  readonly about: string;
  readonly render: (object: ProviderObject, family: Family) => unknown;
}

export function outcomeOf(call: Call, decision: Decision, family: Family, clock: Clock): Outcome {
  const { status, body } = answerOf(decision, family);
  const at = Math.floor(clock.now() / 1000);
  const { idempotencyKey: key, fingerprint, requestId } = call;
  const cause = { requestId, idempotencyKey: key };
  const entries = [...decision.transition.entries, ...eventsOf(decision.transition, cause, at)];
  return { key, fingerprint, status, body, entries };
}

export function replay(call: Call, kept: KeptAnswer): Answer {
  if (kept.fingerprint !== call.fingerprint) throw keyReused(call.idempotencyKey!);
  return { status: kept.status, body: kept.body, replayed: true };
}

/** A declined card is an answer like any other: both the attempt and the refusal are stored. */
function answerOf(
  { transition, about, render }: Decision,
  family: Family,
): { status: number; body: unknown } {
  const after = new Map<string, Entry>(family);
  for (const entry of transition.entries) after.set(entry.body.id, entry);
  const shown = render(after.get(about)!.body, after);
  if (!transition.declined) return { status: 200, body: shown };
  return { status: 402, body: errorAnswer({ ...transition.declined, payment_intent: shown }) };
}
