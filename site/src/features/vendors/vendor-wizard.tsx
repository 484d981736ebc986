// The three-step application. The step buttons never refuse; Submit does, and leads back to what it refused.
import { zodResolver } from "@hookform/resolvers/zod";
import { vendorApplicationSchema } from "contract/schemas";
import { useEffect, useRef, useState } from "react";
import { FormProvider, useForm, useWatch, type Resolver } from "react-hook-form";
import { callFunction } from "#lib/functions.ts";
import { AlertDialog } from "#ui/alert-dialog.tsx";
import { Button } from "#ui/button.tsx";
import { Card } from "#ui/card.tsx";
import { ErrorState } from "#ui/screen-states.tsx";
import { Stepper } from "#ui/stepper.tsx";
import {
  emptyApplication,
  firstStepWithError,
  steps,
  type VendorFormInput,
  type VendorFormOutput,
} from "./vendor-form.ts";
import { BusinessStep, ContactStep, ReviewStep } from "./vendor-steps.tsx";

export function VendorWizard() {
  const form = useForm<VendorFormInput, unknown, VendorFormOutput>({
    // The schema says what is sent; while it is filled in, the form may hold less.
    resolver: zodResolver(vendorApplicationSchema) as unknown as Resolver<
      VendorFormInput,
      unknown,
      VendorFormOutput
    >,
    defaultValues: emptyApplication,
  });
  const [step, setStep] = useState(0);
  const [moves, setMoves] = useState(0);
  const [refusal, setRefusal] = useState<string>();
  const [stored, setStored] = useState(false);
  const top = useRef<HTMLDivElement>(null);
  const agreed = useWatch({ control: form.control, name: "agreeTerms" });

  const goTo = (next: number) => {
    setStep(next);
    setMoves((count) => count + 1);
  };
  // The button pressed is gone with its step: the next step takes the focus.
  useEffect(() => {
    if (moves === 0) return;
    top.current?.focus({ preventScroll: true });
    top.current?.scrollIntoView({ block: "nearest" });
  }, [moves]);

  const submit = form.handleSubmit(
    async (application) => {
      setRefusal(undefined);
      try {
        await callFunction("submit-vendor-application", application);
        form.reset(emptyApplication);
        goTo(0);
        setStored(true);
      } catch (error) {
        setRefusal(error instanceof Error ? error.message : "The application could not be sent.");
      }
    },
    (errors) => goTo(firstStepWithError(errors)),
  );

  return (
    <FormProvider {...form}>
      <Card padding="none">
        <Stepper label="Steps of the application" steps={steps} current={step} className="-mx-0.5 -mt-0.5" />
        <form noValidate onSubmit={submit} className="p-5 sm:p-8">
          <div
            ref={top}
            tabIndex={-1}
            role="group"
            aria-label={`Step ${step + 1} of ${steps.length}: ${steps[step]}`}
            className="outline-none"
          >
            {step === 0 && <ContactStep />}
            {step === 1 && <BusinessStep />}
            {step === 2 && <ReviewStep />}
          </div>
          {refusal && (
            <ErrorState className="mt-6" title="Your application was not sent.">
              {refusal} Nothing you wrote is lost.
            </ErrorState>
          )}
          <div className="mt-8 flex flex-wrap justify-between gap-3">
            {step > 0 ? (
              <Button variant="secondary" onClick={() => goTo(step - 1)}>
                Back
              </Button>
            ) : (
              <span />
            )}
            {step === 0 && (
              <Button key="next" onClick={() => goTo(1)}>
                Next Step
              </Button>
            )}
            {step === 1 && (
              <Button key="review" onClick={() => goTo(2)}>
                Review Application
              </Button>
            )}
            {step === 2 && (
              <Button key="submit" type="submit" disabled={!agreed} busy={form.formState.isSubmitting}>
                Submit Application
              </Button>
            )}
          </div>
        </form>
      </Card>
      <AlertDialog
        open={stored}
        onOpenChange={setStored}
        title="Application submitted successfully!"
        confirmLabel="OK"
      />
    </FormProvider>
  );
}
