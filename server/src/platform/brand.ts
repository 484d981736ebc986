/** How a program calls itself to people: in the mails about their accounts, on the mailbox and where passkeys are kept. */
export interface Brand {
  readonly name: string;
  /** Stands under the name in mails. */
  readonly tagline: string;
  /** A password made of these words alone is too easy to guess. Small letters and digits. */
  readonly words: readonly string[];
  /** IANA's name of the time zone in which the mailbox shows times. */
  readonly timeZone: string;
}
