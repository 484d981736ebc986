import { maxLengths } from "contract/limits";
import type { UseFormRegisterReturn } from "react-hook-form";
import { Field } from "#ui/forms/field.tsx";
import { Input } from "#ui/forms/input.tsx";

interface EmailFieldProps {
  label?: string;
  field: UseFormRegisterReturn;
  error: string | undefined;
  hint?: string;
}

/** The field for the account's address. */
export function EmailField({ label = "Email", field, error, hint }: EmailFieldProps) {
  return (
    <Field
      label={label}
      limit={maxLengths.email}
      required
      error={error}
      {...(hint !== undefined && { hint })}
    >
      <Input type="email" autoComplete="email" {...field} />
    </Field>
  );
}
