// The fields of each step of the vendor application.
import { maxLengths, vendorTypes } from "contract/limits";
import { useFormContext } from "react-hook-form";
import { Checkbox } from "#ui/forms/checkbox.tsx";
import { ContactFields } from "#ui/forms/contact-fields.tsx";
import { Field } from "#ui/forms/field.tsx";
import { Honeypot } from "#ui/forms/honeypot.tsx";
import { Textarea } from "#ui/forms/input.tsx";
import { RadioCards } from "#ui/forms/radio-cards.tsx";
import { PictureField } from "./picture-field.tsx";
import type { Pictures } from "./use-pictures.ts";
import { vendorTypeLabels, type VendorFormInput } from "./vendor-form.ts";

export function ContactStep() {
  const { register, formState } = useFormContext<VendorFormInput>();
  const { errors } = formState;
  return (
    <div className="grid gap-5 sm:grid-cols-2">
      <ContactFields
        business={{
          label: "Business Name",
          error: errors.businessName?.message,
          input: register("businessName"),
        }}
        register={register}
        errors={errors}
      />
    </div>
  );
}

export function BusinessStep({ pictures }: { pictures: Pictures }) {
  const { register, formState } = useFormContext<VendorFormInput>();
  const { errors } = formState;
  return (
    <div className="grid gap-5">
      <RadioCards
        legend="Vendor Type"
        required
        options={vendorTypes.map((value) => ({ value, label: vendorTypeLabels[value] }))}
        error={errors.vendorType?.message}
        {...register("vendorType")}
      />
      <Field
        label="Business Description"
        limit={maxLengths.longText}
        required
        error={errors.description?.message}
      >
        <Textarea {...register("description")} />
      </Field>
      <Field
        label="Products"
        limit={maxLengths.longText}
        hint="What will you sell, and at about what prices?"
        required
        error={errors.products?.message}
      >
        <Textarea {...register("products")} />
      </Field>
      <PictureField pictures={pictures} />
    </div>
  );
}

export function ReviewStep() {
  const { register, getValues, formState } = useFormContext<VendorFormInput>();
  const values = getValues();
  const rows = [
    ["Business Name", values.businessName],
    ["Contact Name", values.contactName],
    ["Email", values.email],
    ["Phone", values.phone],
    ["Vendor Type", values.vendorType && vendorTypeLabels[values.vendorType]],
    ["Business Description", values.description],
    ["Products", values.products],
    ["Pictures", values.pictures?.map(({ name }) => name).join("\n") || "None"],
  ] as const;
  return (
    <div>
      <dl className="grid border-t-2 border-ink sm:grid-cols-[12rem_1fr]">
        {rows.map(([label, value]) => (
          <div key={label} className="contents">
            <dt className="pt-2.5 font-semibold sm:border-b-2 sm:border-ink/15 sm:pb-2.5">{label}</dt>
            <dd className="min-w-0 border-b-2 border-ink/15 pb-2.5 wrap-anywhere whitespace-pre-line sm:pt-2.5">
              {value || <em className="text-candy-deep">Not filled in yet</em>}
            </dd>
          </div>
        ))}
      </dl>
      <Honeypot {...register("website")} />
      <Checkbox
        className="mt-6"
        label="I agree to the vendor terms: I have the permits my booth needs, I'll set up before the gates open, and I'll leave my space clean."
        error={formState.errors.agreeTerms?.message}
        required
        {...register("agreeTerms")}
      />
    </div>
  );
}
