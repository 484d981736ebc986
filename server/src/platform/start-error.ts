/** A reason not to start that the person at the terminal can act on. */
export class StartError extends Error {
  readonly exitCode: number = 1;
}

/** The exit code when data was written by another text of the migrations; `npm run dev` then offers new data. */
export const CHANGED_MIGRATIONS = 3;
