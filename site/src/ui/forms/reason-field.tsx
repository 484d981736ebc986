import { Field } from "./field.tsx";
import { Input } from "./input.tsx";

interface ReasonFieldProps {
  value: string;
  onChange: (value: string) => void;
  /** Who will read it. */
  hint: string;
  /** In characters. */
  limit: number;
  problem: string | undefined;
}

/** Why something is done, in a line of one's own. */
export function ReasonField({ value, onChange, hint, limit, problem }: ReasonFieldProps) {
  return (
    <Field label="Reason" required hint={hint} limit={limit} error={problem}>
      <Input dense value={value} onChange={({ target }) => onChange(target.value)} />
    </Field>
  );
}
