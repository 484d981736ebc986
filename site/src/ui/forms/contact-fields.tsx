// A business and its contact details: four fields of a two-column form.
import { maxLengths } from "contract/limits";
import type { UseFormRegisterReturn } from "react-hook-form";
import { Field } from "./field.tsx";
import { Input } from "./input.tsx";

type Contact = "contactName" | "email" | "phone";

interface ContactFieldsProps {
  /** The first field, whose name differs between the forms. */
  business: { label: string; error: string | undefined; input: UseFormRegisterReturn };
  register: (name: Contact) => UseFormRegisterReturn;
  errors: Partial<Record<Contact, { message?: string | undefined }>>;
}

export function ContactFields({ business, register, errors }: ContactFieldsProps) {
  return (
    <>
      <Field
        label={business.label}
        limit={maxLengths.name}
        required
        error={business.error}
        className="sm:col-span-2"
      >
        <Input autoComplete="organization" {...business.input} />
      </Field>
      <Field
        label="Contact Name"
        limit={maxLengths.name}
        required
        error={errors.contactName?.message}
        className="sm:col-span-2"
      >
        <Input autoComplete="name" {...register("contactName")} />
      </Field>
      <Field label="Email" limit={maxLengths.email} required error={errors.email?.message}>
        <Input type="email" autoComplete="email" {...register("email")} />
      </Field>
      <Field
        label="Phone"
        limit={maxLengths.businessPhone}
        required
        error={errors.phone?.message}
        hint="Include your area code, like 713-555-0142."
      >
        <Input type="tel" autoComplete="tel" {...register("phone")} />
      </Field>
    </>
  );
}
