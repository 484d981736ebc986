// Choosing pictures, and the progress of an upload.
import { useFieldControl } from "./field.tsx";
import { ProgressBar } from "../figures/progress-bar.tsx";

interface PictureInputProps {
  disabled?: boolean;
  multiple?: boolean;
  onFiles: (files: readonly File[]) => void;
}

export function PictureInput({ disabled, multiple, onFiles }: PictureInputProps) {
  return (
    <input
      {...useFieldControl()}
      type="file"
      accept="image/*"
      multiple={multiple}
      disabled={disabled}
      className="min-h-12 w-full border-2 border-ink bg-sheet p-2 file:mr-3 file:min-h-8 file:border-0 file:bg-ink file:px-3 file:font-semibold file:text-paper disabled:opacity-55"
      onChange={({ currentTarget }) => {
        onFiles([...(currentTarget.files ?? [])]);
        currentTarget.value = ""; // so that the same file can be chosen again
      }}
    />
  );
}

/** `share` is from 0 to 1. */
export function Sending({ name, share }: { name: string; share: number }) {
  return <ProgressBar aria-label={`Sending ${name}`} value={share} max={1} className="h-3 w-28" />;
}
