/** The label of a choice whose name has not loaded. */
export const AS_CHOSEN = "Your current choice";

interface ReadNoteProps {
  /** The read of the choices. */
  read: { data: unknown; isError: boolean; refetch: () => unknown };
  /** In the plural: "ticket types". */
  what: string;
}

/** Stands in for choices that are missing: they are loading, or failed to load and can be retried. */
export function ReadNote({ read: { data, isError, refetch }, what }: ReadNoteProps) {
  if (data !== undefined) return null;
  if (!isError) {
    return (
      <p role="status" className="text-sm text-ink-soft">
        Loading the {what}…
      </p>
    );
  }
  return (
    <p role="alert" className="text-sm font-semibold text-candy-deep">
      The {what} couldn't be loaded.{" "}
      <button type="button" className="min-h-6 underline underline-offset-4" onClick={() => void refetch()}>
        Try Again
      </button>
    </p>
  );
}
