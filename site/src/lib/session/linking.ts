/**
 * Names the provider in the address it redirects back to when an account is linked. In a separate file, because every page loads
 * the rest.
 */
export const LINKED = "linked";
