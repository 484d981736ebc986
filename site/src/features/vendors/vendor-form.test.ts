import { describe, expect, it } from "vitest";
import { vendorApplicationSchema } from "contract/schemas";
import { emptyApplication, firstStepWithError, incompleteSteps } from "./vendor-form.ts";

const complete = {
  ...emptyApplication,
  businessName: "Third Ward Smoke",
  contactName: "Dana Cole",
  email: "dana@example.com",
  phone: "713-555-0100",
  vendorType: "food",
  description: "Brisket",
  products: "Plates",
  agreeTerms: true,
};

describe("the vendor form", () => {
  it("goes back to the first step with an error", () => {
    const error = { type: "custom" };
    expect(firstStepWithError({ products: error, email: error })).toBe(0);
    expect(firstStepWithError({ products: error, agreeTerms: error })).toBe(1);
    expect(firstStepWithError({ agreeTerms: error })).toBe(2);
  });

  it("knows which steps lack something", () => {
    expect([...incompleteSteps(vendorApplicationSchema, emptyApplication)].toSorted()).toEqual([0, 1, 2]);
    expect([...incompleteSteps(vendorApplicationSchema, { ...complete, email: "dana" })]).toEqual([0]);
    expect([...incompleteSteps(vendorApplicationSchema, { ...complete, vendorType: null })]).toEqual([1]);
    expect([...incompleteSteps(vendorApplicationSchema, complete)]).toEqual([]);
  });

  it("is refused when empty in every required field, and only there", () => {
    const refused = vendorApplicationSchema
      .safeParse(emptyApplication)
      .error?.issues.map((issue) => issue.path[0]);
    expect(new Set(refused)).toEqual(
      new Set([
        "businessName",
        "contactName",
        "email",
        "phone",
        "vendorType",
        "description",
        "products",
        "agreeTerms",
      ]),
    );
  });

  it("is accepted when complete", () => {
    expect(vendorApplicationSchema.safeParse(complete).success).toBe(true);
  });
});
