// Documents of an order: what the site and the functions agree on.

/** Tickets and parking permits per file. A larger order is split into parts. */
export const passesInFile = 100;
