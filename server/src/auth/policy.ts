// The numbers auth is run with. Every default is GoTrue's or, where the platform chose another one, the platform's.

export interface AuthPolicy {
  readonly accessTokenSeconds: number;
  /** A rotated refresh token may be sent again this long: browser tabs race and answers get lost. */
  readonly refreshReuseSeconds: number;
  /** How long a mailed link works. */
  readonly linkSeconds: number;
  /** Least time between two mails of one kind to one user. */
  readonly mailIntervalSeconds: number;
  /** How long the code of an opened link works in the browser that asked for the mail. */
  readonly authCodeSeconds: number;
  /** Answers that must not tell whether an address is known take at least this long. */
  readonly evenAnswerMs: number;
  readonly passwordMinLength: number;
  /** A session younger than this may set a password without the old one. */
  readonly freshSeconds: number;
  /** A session that was not refreshed for so long has ended. */
  readonly sessionIdleSeconds: number;
  /** A session that began so long ago has ended, in use or not: GoTrue's time box. Undefined: never. */
  readonly sessionMaxSeconds: number | undefined;
  /** Wrong passwords in a row for one account before who sends them has to wait, and the longest wait. */
  readonly guessesPerAccount: number;
  /** The same from many networks together, before every network that the account was not used from has to wait. */
  readonly guessesFromEverywhere: number;
  readonly longestBackOffSeconds: number;
  /** Requests of one address in five minutes: signing in and refreshing, opening links, asking for mails, one's own account. */
  readonly requestsPerAddress: Readonly<Record<"token" | "verify" | "mail" | "user", number>>;
  /** bcrypt's work factor: 2 to this power. */
  readonly passwordCost: number;
}

export const defaultPolicy: AuthPolicy = {
  accessTokenSeconds: 3600,
  refreshReuseSeconds: 10,
  linkSeconds: 3600,
  mailIntervalSeconds: 60,
  authCodeSeconds: 300,
  evenAnswerMs: 100,
  passwordMinLength: 8,
  freshSeconds: 900,
  sessionIdleSeconds: 14 * 24 * 3600,
  sessionMaxSeconds: undefined,
  guessesPerAccount: 5,
  guessesFromEverywhere: 100,
  longestBackOffSeconds: 300,
  // GoTrue's are 150, 30 and 30; a crowd at the gate shares an address.
  requestsPerAddress: { token: 3000, verify: 600, mail: 600, user: 3000 },
  passwordCost: 10,
};
