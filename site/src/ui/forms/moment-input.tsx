import { Input } from "./input.tsx";

interface MomentInputProps {
  /** "2026-06-27T18:00", or empty. */
  value: string;
  onValue: (value: string) => void;
}

/** A date and a time of day, for a Field. */
export function MomentInput({ value, onValue }: MomentInputProps) {
  return (
    <Input
      dense
      type="datetime-local"
      max="9999-12-31T23:59" // otherwise browsers accept six-digit years
      value={value}
      onChange={({ target }) => onValue(target.value)}
    />
  );
}
