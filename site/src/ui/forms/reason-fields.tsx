// Why something is done: one of several reasons, and a note, which the reason `other` requires.
import { Field } from "./field.tsx";
import { Select, Textarea } from "./input.tsx";

export interface Reasoned<Reason extends string> {
  reason: Reason;
  note: string;
}

interface ReasonFieldsProps<Reason extends string> {
  /** The label of each reason. */
  reasons: Readonly<Record<Reason, string>>;
  value: Reasoned<Reason>;
  onChange: (value: Reasoned<Reason>) => void;
  hint: string;
  /** In characters. */
  limit: number;
  isNoteMissing: boolean;
}

export function ReasonFields<Reason extends string>({
  reasons,
  value,
  onChange,
  hint,
  limit,
  isNoteMissing,
}: ReasonFieldsProps<Reason>) {
  return (
    <>
      <Field label="Reason" required>
        <Select
          dense
          value={value.reason}
          onChange={({ target }) => onChange({ ...value, reason: target.value as Reason })}
        >
          {Object.entries<string>(reasons).map(([reason, words]) => (
            <option key={reason} value={reason}>
              {words}
            </option>
          ))}
        </Select>
      </Field>
      <Field
        label="Note"
        required={value.reason === "other"}
        hint={hint}
        limit={limit}
        error={isNoteMissing ? "Enter the reason." : undefined}
      >
        <Textarea
          rows={2}
          value={value.note}
          onChange={({ target }) => onChange({ ...value, note: target.value })}
        />
      </Field>
    </>
  );
}
