/** A reason not to start that the person at the terminal can act on. */
export class StartError extends Error {}
