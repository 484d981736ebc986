// Auth's own numbers: how fast someone may guess, request and retry. A GOTRUE_RATE_LIMIT_ setting takes precedence over
// `requestsPerAddress`. What an operator sets is in settings/settings.ts.

export interface AuthPolicy {
  /** Answers that must not reveal whether an address is known take at least this long. */
  readonly evenAnswerMs: number;
  /** A session younger than this may set a password without the old one. */
  readonly freshSeconds: number;
  /** Wrong passwords in a row for one account before the caller's network has to wait. */
  readonly guessesPerAccount: number;
  /** The same from many networks together, before all except familiar ones (limits/back-off.ts) have to wait. */
  readonly guessesFromEverywhere: number;
  readonly longestBackOffSeconds: number;
  /** Wrong codes for an address before its codes are dead. */
  readonly guessesPerCode: number;
  /**
   * Requests of one address in five minutes: signing in and refreshing, opening links, requesting mails, one's own account,
   * second factors.
   */
  readonly requestsPerAddress: Readonly<Record<"token" | "verify" | "mail" | "user" | "factor", number>>;
  /** bcrypt's work factor: 2 to this power. */
  readonly passwordCost: number;
}

export const defaultPolicy: AuthPolicy = {
  evenAnswerMs: 100,
  freshSeconds: 900,
  guessesPerAccount: 5,
  guessesFromEverywhere: 100,
  longestBackOffSeconds: 300,
  guessesPerCode: 5,
  // GoTrue's are 150, 30 and 30, and 75 for factors; a crowd in one place shares an address.
  requestsPerAddress: { token: 3000, verify: 600, mail: 600, user: 3000, factor: 600 },
  passwordCost: 10,
};
