// The three-step application. The step buttons never refuse; Submit does, and leads back to what it refused. The step
// lies in the history entry, so that the browser's Back goes a step back; the entries are kept over a reload.
import { zodResolver } from "@hookform/resolvers/zod";
import { vendorApplicationSchema } from "contract/schemas";
import { useEffect, useRef, useState } from "react";
import { FormProvider, useForm, useWatch, type Resolver } from "react-hook-form";
import { useLocation, useNavigate } from "react-router";
import { callFunction } from "#lib/api/functions.ts";
import { AlertDialog } from "#ui/overlays/alert-dialog.tsx";
import { Button } from "#ui/basics/button.tsx";
import { Card } from "#ui/page/card.tsx";
import { ErrorState } from "#ui/page/screen-states.tsx";
import { Stepper } from "#ui/forms/stepper.tsx";
import { forgetDraft, keepDraft, readDraft } from "./draft.ts";
import {
  emptyApplication,
  firstStepWithError,
  stepIn,
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
  const location = useLocation();
  const navigate = useNavigate();
  const [step, setStep] = useState(0);
  const [refusal, setRefusal] = useState<string>();
  const [stored, setStored] = useState(false);
  // A reload shows a later step without anybody having gone there.
  const [moved, setMoved] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  const agreed = useWatch({ control: form.control, name: "agreeTerms" });

  const goTo = (next: number, replace = false) => {
    setMoved(true);
    if (next === step) return;
    // The step before is the history entry before, unless one came another way.
    if (next === step - 1 && location.state?.cameForward) return void navigate(-1);
    void navigate(location.pathname + location.search, {
      state: { vendorStep: next, cameForward: next === step + 1 },
      replace,
      preventScrollReset: true,
    });
  };
  // Not while the prerendered page takes over, which knows of no history: right after.
  const named = stepIn(location.state);
  useEffect(() => setStep(named), [named]);
  useEffect(() => {
    const draft = readDraft();
    if (draft) form.reset(draft);
    return form.subscribe({
      formState: { values: true },
      callback: ({ values }) => keepDraft(values),
    });
  }, [form]);

  // The button pressed is gone with its step: the next step's heading takes the focus.
  const shown = useRef(step);
  useEffect(() => {
    if (shown.current === step) return;
    shown.current = step;
    if (!moved) return;
    heading.current?.focus({ preventScroll: true });
    heading.current?.scrollIntoView({ block: "nearest" });
  }, [step, moved]);

  const submit = form.handleSubmit(
    async (application) => {
      setRefusal(undefined);
      try {
        await callFunction("submit-vendor-application", application);
        form.reset(emptyApplication);
        forgetDraft();
        goTo(0, true);
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
          <h3 ref={heading} tabIndex={-1} className="display mb-5 scroll-mt-28 text-heading outline-none">
            <span className="sr-only">
              Step {step + 1} of {steps.length}:{" "}
            </span>
            {steps[step]}
          </h3>
          <div>
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
