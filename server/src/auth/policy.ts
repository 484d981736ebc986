// The numbers auth is run with. Every default is GoTrue's or, where the platform chose another one, the platform's.

export interface AuthPolicy {
  readonly accessTokenSeconds: number;
  /** A rotated refresh token may be sent again this long: browser tabs race and answers get lost. */
  readonly refreshReuseSeconds: number;
  /** How long a mailed link works. */
  readonly linkSeconds: number;
  /** Least time between two mails of one kind to one user. */
  readonly mailIntervalSeconds: number;
  /** A mail server slower than this counts as failed, so that the request gets its answer. */
  readonly mailTimeoutSeconds: number;
  readonly passwordMinLength: number;
  /** Requests of one address in five minutes: signing in and refreshing, opening links, asking for mails. */
  readonly requestsPerAddress: { readonly token: number; readonly verify: number; readonly mail: number };
  /** bcrypt's work factor: 2 to this power. */
  readonly passwordCost: number;
}

export const defaultPolicy: AuthPolicy = {
  accessTokenSeconds: 3600,
  refreshReuseSeconds: 10,
  linkSeconds: 3600,
  mailIntervalSeconds: 60,
  mailTimeoutSeconds: 10,
  passwordMinLength: 6,
  // GoTrue's are 150, 30 and 30; a crowd at the gate shares an address.
  requestsPerAddress: { token: 3000, verify: 600, mail: 600 },
  passwordCost: 10,
};
