/** What a choice is called whose name is not read. */
export const AS_CHOSEN = "The one you chose";

interface ReadNoteProps {
  /** Of what is chosen from. */
  read: { data: unknown; isError: boolean; refetch: () => unknown };
  /** In the plural: "ticket types". */
  what: string;
}

/** Stands in for choices that are not there yet: they are being read, or could not be, and are read again by a press. */
export function ReadNote({ read: { data, isError, refetch }, what }: ReadNoteProps) {
  if (data !== undefined) return null;
  if (!isError) {
    return (
      <p role="status" className="text-sm text-ink-soft">
        Reading the {what}…
      </p>
    );
  }
  return (
    <p role="alert" className="text-sm font-semibold text-candy-deep">
      The {what} could not be read.{" "}
      <button type="button" className="min-h-6 underline underline-offset-4" onClick={() => void refetch()}>
        Try Again
      </button>
    </p>
  );
}
