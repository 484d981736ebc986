/** Names the provider in the address that it leads back to, when an account joins one. Apart, since every page loads the rest. */
export const LINKED = "linked";
