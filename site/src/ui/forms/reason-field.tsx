import { Field } from "./field.tsx";
import { Input } from "./input.tsx";

interface ReasonFieldProps {
  value: string;
  onChange: (value: string) => void;
  /** Who will read it. */
  hint: string;
  maxLength: number;
  problem: string | undefined;
}

/** Why something is done, in a line of one's own. */
export function ReasonField({ value, onChange, hint, maxLength, problem }: ReasonFieldProps) {
  return (
    <Field label="Reason" required hint={hint} error={problem}>
      <Input dense maxLength={maxLength} value={value} onChange={({ target }) => onChange(target.value)} />
    </Field>
  );
}
