// What an authorization request says that nobody else may say.

/** Parameters of a request that are the server's own, whatever a client or an administrator asks for. */
export const RESERVED: ReadonlySet<string> = new Set([
  ...["client_id", "client_secret", "redirect_uri", "response_type", "response_mode", "state", "nonce"],
  ...["code_challenge", "code_challenge_method", "code_verifier", "request", "request_uri", "scope"],
]);
