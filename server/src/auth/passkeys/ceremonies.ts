// What both passkey ceremonies share: a challenge that the server remembers for five minutes and accepts one answer to.
import { refuse } from "../errors.ts";
import { isUuid } from "../http/requests.ts";
import type { AuthParts } from "../parts.ts";
import { insertPasskeyChallenge, takePasskeyChallenge } from "./queries.ts";

export interface PasskeyAnswer {
  readonly challenge_id: string;
  /** The browser's credential as JSON; the library checks it. */
  readonly credential?: Readonly<Record<string, unknown>> | undefined;
}

type Ceremony = { type: "registration"; userId: string } | { type: "authentication"; userId: null };

export async function beginCeremony<Options extends { challenge: string }>(
  { database, clock, settings }: AuthParts,
  ceremony: Ceremony,
  options: Options,
) {
  const now = clock.now();
  const expiresAt = new Date(now + settings.WEBAUTHN_CHALLENGE_EXPIRY_DURATION * 1000);
  const challenge_id = await insertPasskeyChallenge(
    database,
    { ...ceremony, challenge: options.challenge, expiresAt },
    new Date(now),
  );
  return { challenge_id, options, expires_at: Math.floor(expiresAt.getTime() / 1000) };
}

/** The answered challenge, which is used up whatever the outcome, and the answer. */
export async function answeredChallenge(
  { database, clock }: AuthParts,
  ceremony: Ceremony,
  given: PasskeyAnswer,
): Promise<{ challenge: string; credential: NonNullable<PasskeyAnswer["credential"]> }> {
  if (given.challenge_id === "") throw refuse("validation_failed", "challenge_id is required");
  if (!given.credential) throw refuse("validation_failed", "credential is required");
  if (!isUuid(given.challenge_id)) throw refuse("validation_failed", "challenge_id must be a valid UUID");
  const taken = await takePasskeyChallenge(database, given.challenge_id, ceremony);
  if (!taken) throw refuse("webauthn_challenge_not_found", "Challenge not found or already used");
  if (taken.expires_at.getTime() < clock.now()) throw refuse("webauthn_challenge_expired");
  return { challenge: taken.challenge, credential: given.credential };
}
