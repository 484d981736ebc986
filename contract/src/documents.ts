// Papers of an order: what site and functions agree on.

/** Tickets and parking permits in one file; a larger order comes in parts. */
export const passesInFile = 100;
