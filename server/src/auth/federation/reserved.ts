// The parameters of an authorization request that only the server may set.

/** Set by the server alone, whatever a client or an administrator sends. */
export const RESERVED: ReadonlySet<string> = new Set([
  ...["client_id", "client_secret", "redirect_uri", "response_type", "response_mode", "state", "nonce"],
  ...["code_challenge", "code_challenge_method", "code_verifier", "request", "request_uri", "scope"],
]);
