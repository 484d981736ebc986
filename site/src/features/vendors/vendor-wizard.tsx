// The three-step application. Only Submit validates, and goes back to the first step with an error.
import { useState, type RefObject } from "react";
import { FormProvider, useForm, useFormContext, useWatch, type Resolver } from "react-hook-form";
import { callFunction } from "#lib/api/functions.ts";
import { isOpenOutcome } from "#lib/api/open-outcome.ts";
import { useKeptDraft } from "#lib/browser/form-draft.ts";
import { LateAlertDialog } from "#ui/overlays/late-alert-dialog.tsx";
import { Button } from "#ui/basics/button.tsx";
import { Card } from "#ui/page/card.tsx";
import { FailedAttempt } from "#ui/forms/failed-attempt.tsx";
import { useIsHere } from "#ui/forms/use-is-here.ts";
import { lateResolver, useSchemas, useSchemasOnceTyped } from "#ui/forms/late-resolver.ts";
import { toast } from "#ui/overlays/toast.ts";
import { Stepper } from "#ui/forms/stepper.tsx";
import { applicationDraft } from "./draft.ts";
import {
  emptyApplication,
  firstStepWithError,
  incompleteSteps,
  steps,
  type VendorFormInput,
  type VendorFormOutput,
} from "./vendor-form.ts";
import { type Pictures, usePictures } from "./use-pictures.ts";
import { useWizardStep } from "./use-wizard-step.ts";
import { BusinessStep, ContactStep, ReviewStep } from "./vendor-steps.tsx";

const failedApplication = {
  refused: "Your application was not sent.",
  open: "Your application may have been received.",
};

const failedWords = (error: unknown): string =>
  isOpenOutcome(error) ? `No response. ${failedApplication.open}` : failedApplication.refused;

const STORED = "Application submitted successfully!";

// The schema describes the submitted form. An unfinished one may lack fields.
const resolver = lateResolver(
  ({ vendorApplicationSchema }) => vendorApplicationSchema,
) as unknown as Resolver<VendorFormInput, unknown, VendorFormOutput>;

export function VendorWizard() {
  const form = useForm<VendorFormInput, unknown, VendorFormOutput>({
    resolver,
    defaultValues: emptyApplication,
  });
  const { step, goTo, heading } = useWizardStep();
  const [failure, setFailure] = useState<Error>();
  const [stored, setStored] = useState(false);
  const isHere = useIsHere();
  const pictures = usePictures(form);
  useKeptDraft(form, applicationDraft);
  useSchemasOnceTyped(form);

  const submit = form.handleSubmit(
    async (application) => {
      setFailure(undefined);
      try {
        await callFunction("submit-vendor-application", application);
        form.reset(emptyApplication);
        pictures.clear();
        applicationDraft.forget();
        // Whoever has moved on meanwhile stays where they are.
        if (!isHere()) return void toast.success(STORED);
        goTo(0, true);
        setStored(true);
      } catch (error) {
        setFailure(error as Error);
        if (!isHere()) toast.error(failedWords(error), "Your entries are saved under Vendors.");
      }
    },
    (errors) => goTo(firstStepWithError(errors)),
  );

  return (
    <FormProvider {...form}>
      <Card padding="none">
        <WizardStepper step={step} />
        <form noValidate onSubmit={submit} className="p-5 sm:p-8">
          <StepHeading step={step} heading={heading} />
          <StepFields step={step} pictures={pictures} />
          {failure && (
            <FailedAttempt error={failure} said={failedApplication} className="mt-6">
              Your entries are saved.
            </FailedAttempt>
          )}
          <WizardButtons step={step} goTo={goTo} awaited={pictures.underWay.length} />
        </form>
      </Card>
      <LateAlertDialog open={stored} onOpenChange={setStored} title={STORED} confirmLabel="OK" />
    </FormProvider>
  );
}

/** Follows what is typed, so it renders on its own. */
function WizardStepper({ step }: { step: number }) {
  const values = useWatch<VendorFormInput>();
  const schemas = useSchemas(step > 0);
  return (
    <Stepper
      label="Steps of the application"
      steps={steps}
      current={step}
      incomplete={schemas && incompleteSteps(schemas.vendorApplicationSchema, values)}
      className="-mx-0.5 -mt-0.5"
    />
  );
}

function StepFields({ step, pictures }: { step: number; pictures: Pictures }) {
  return (
    <>
      <div>
        {step === 0 && <ContactStep />}
        {step === 1 && <BusinessStep pictures={pictures} />}
        {step === 2 && <ReviewStep />}
      </div>
      {step === 2 && pictures.coming.length > 0 && <MissingPictures {...pictures} />}
    </>
  );
}

function MissingPictures({ coming, underWay }: Pictures) {
  const failed = coming.filter(({ problem }) => problem !== undefined);
  return (
    <div role="status" className="mt-6 grid gap-2">
      {underWay.length > 0 && <p>Your pictures are still on their way. Go back to see how far they are.</p>}
      {failed.map(({ key, name, problem }) => (
        <p key={key} className="wrap-anywhere">
          <strong>{name}</strong> is left out: {problem} Go back to try again or remove it.
        </p>
      ))}
    </div>
  );
}

interface WizardButtonsProps {
  step: number;
  goTo: (step: number) => void;
  /** Pictures being uploaded: Submit waits until they are done, failed or removed. */
  awaited: number;
}

function WizardButtons({ step, goTo, awaited }: WizardButtonsProps) {
  const { control, formState } = useFormContext<VendorFormInput>();
  const agreed = useWatch({ control, name: "agreeTerms" });
  return (
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
        <Button key="submit" type="submit" disabled={!agreed || awaited > 0} busy={formState.isSubmitting}>
          Submit Application
        </Button>
      )}
    </div>
  );
}

function StepHeading({ step, heading }: { step: number; heading: RefObject<HTMLHeadingElement | null> }) {
  return (
    <h3 ref={heading} tabIndex={-1} className="display mb-5 scroll-mt-28 text-heading outline-none">
      <span className="sr-only">
        Step {step + 1} of {steps.length}:{" "}
      </span>
      {steps[step]}
    </h3>
  );
}
