/** An error whose message may be shown as it is. */
export class AccountError extends Error {}
