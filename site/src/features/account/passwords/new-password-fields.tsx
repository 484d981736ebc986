import type { UseFormRegisterReturn } from "react-hook-form";
import { Field } from "#ui/forms/field.tsx";
import { Input } from "#ui/forms/input.tsx";

interface NewPasswordFieldsProps {
  label: string;
  password: UseFormRegisterReturn;
  confirmation: UseFormRegisterReturn;
  errors: Partial<Record<"password" | "confirmPassword", { message?: string }>>;
}

/** A new password, typed twice. */
export function NewPasswordFields({ label, password, confirmation, errors }: NewPasswordFieldsProps) {
  return (
    <>
      <Field
        label={label}
        required
        hint="At least 8 characters, and not a common password."
        error={errors.password?.message}
      >
        <Input type="password" autoComplete="new-password" {...password} />
      </Field>
      <Field label="Confirm Password" required error={errors.confirmPassword?.message}>
        <Input type="password" autoComplete="new-password" {...confirmation} />
      </Field>
    </>
  );
}
