// The form's values, and the fields of each step.
import type { vendorApplicationSchema } from "contract/schemas";
import type { FieldErrors } from "react-hook-form";
import type { z } from "zod";

export type VendorFormOutput = z.output<typeof vendorApplicationSchema>;
/** While the form is being filled in, the vendor type and the agreement may be missing. */
export type VendorFormInput = Omit<z.input<typeof vendorApplicationSchema>, "vendorType" | "agreeTerms"> & {
  vendorType: VendorFormOutput["vendorType"] | null;
  agreeTerms: boolean;
};

export const steps = ["Contact Info", "Business Details", "Review"] as const;

const stepOfField: Record<keyof VendorFormInput, number> = {
  businessName: 0,
  contactName: 0,
  email: 0,
  phone: 0,
  vendorType: 1,
  description: 1,
  products: 1,
  pictures: 1,
  agreeTerms: 2,
  website: 2,
};

export const vendorTypeLabels: Record<VendorFormOutput["vendorType"], string> = {
  food: "Food",
  retail: "Retail",
  art: "Art",
  other: "Other",
};

export const emptyApplication: VendorFormInput = {
  businessName: "",
  contactName: "",
  email: "",
  phone: "",
  vendorType: null,
  description: "",
  products: "",
  pictures: [],
  agreeTerms: false,
  website: "",
};

/** The step stored in a history entry. */
export function stepIn(state: unknown): number {
  const step = typeof state === "object" && state !== null && "vendorStep" in state ? state.vendorStep : 0;
  return typeof step === "number" && step in steps ? step : 0;
}

/** The steps with a field that Submit would refuse. */
export function incompleteSteps(
  schema: typeof vendorApplicationSchema,
  values: unknown,
): ReadonlySet<number> {
  const { error } = schema.safeParse(values);
  return new Set(error?.issues.map(({ path }) => stepOfField[path[0] as keyof VendorFormInput] ?? 2));
}

/** The first step with an error. */
export function firstStepWithError(errors: FieldErrors<VendorFormInput>): number {
  return Math.min(
    ...(Object.keys(errors) as (keyof VendorFormInput)[]).map((field) => stepOfField[field] ?? 2),
    2,
  );
}
