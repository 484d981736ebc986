// A security key as a second factor: its first answer registers the key, later ones are signed with it.
import type { Executor } from "../../postgres/executor.ts";
import { refuse } from "../errors.ts";
import type { AuthParts } from "../parts.ts";
import { nextCredential } from "../webauthn/credentials.ts";
import { isCredentialKnown } from "../webauthn/queries.ts";
import { checkCreation, checkRequest, relyingParty } from "../webauthn/relying-party.ts";
import type { ChallengeRow, StoredFactor } from "./queries.ts";
import type { Verdict } from "./verdict.ts";

export interface WebAuthnAnswer {
  readonly type: string;
  readonly credential_response?: unknown;
}

export async function checkWebAuthn(
  parts: AuthParts,
  tx: Executor,
  factor: StoredFactor,
  { web_authn_session_data: session }: ChallengeRow,
  answer: WebAuthnAnswer | undefined,
): Promise<Verdict> {
  if (!answer) throw refuse("validation_failed", "WebAuthn config required");
  if (answer.type !== "create" && answer.type !== "request") {
    throw refuse("validation_failed", "WebAuthn type must be create or request");
  }
  if (!answer.credential_response) throw refuse("validation_failed", "credential_response required");
  const wanted = factor.status === "unverified" ? "create" : "request";
  if (answer.type !== wanted || !session) return failed();
  const party = relyingParty(parts);
  const ceremony = {
    challenge: session.challenge,
    response: answer.credential_response,
    verifiesUser: false,
  };
  if (answer.type === "create") {
    const credential = await checkCreation(party, ceremony);
    if (!credential) return failed();
    if (await isCredentialKnown(tx, credential))
      return { refusal: refuse("webauthn_credential_exists", "This credential is already registered") };
    return { changes: { web_authn_credential: credential, web_authn_aaguid: credential.aaguid } };
  }
  const stored = factor.web_authn_credential;
  const used = stored && (await checkRequest(party, stored, ceremony));
  return used ? { changes: { web_authn_credential: nextCredential(stored, used) } } : failed();
}

const failed = (): Verdict => ({ refusal: refuse("webauthn_verification_failed") });
