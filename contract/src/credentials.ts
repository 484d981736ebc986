// Limits of what protects an account, for the auth service and the site. Not in schemas.ts, whose schemas would slow the server's start.

/** The longest name of a passkey or a second step, in characters. */
export const MAX_CREDENTIAL_NAME = 120;
