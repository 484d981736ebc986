import { maxLengths } from "contract/limits";
import { useState, type ComponentProps } from "react";
import { useForm, type UseFormRegisterReturn } from "react-hook-form";
import { callFunction } from "#lib/api/functions.ts";
import { useKeptDraft } from "#lib/browser/form-draft.ts";
import { Button } from "#ui/basics/button.tsx";
import { Card, CardTitle } from "#ui/page/card.tsx";
import { ContactFields } from "#ui/forms/contact-fields.tsx";
import { Field } from "#ui/forms/field.tsx";
import { Honeypot } from "#ui/forms/honeypot.tsx";
import { Select, Textarea } from "#ui/forms/input.tsx";
import { lateResolver, useSchemasOnceTyped } from "#ui/forms/late-resolver.ts";
import { FailedAttempt } from "#ui/forms/failed-attempt.tsx";
import { useSection } from "#lib/festival/content.ts";
import { emptyInquiry, inquiryDraft } from "./draft.ts";
import { levelLooks } from "./levels.ts";

const failedInquiry = { refused: "Your inquiry was not sent.", open: "Your inquiry may have been received." };

const resolver = lateResolver(({ sponsorInquirySchema }) => sponsorInquirySchema);

/** Thanks the sender once the inquiry is stored. After a failure, everything typed stays. */
export function InquiryForm() {
  const form = useForm({
    resolver,
    defaultValues: emptyInquiry,
  });
  const { register, handleSubmit, reset, formState } = form;
  useKeptDraft(form, inquiryDraft);
  useSchemasOnceTyped(form);
  const { errors, isSubmitting } = formState;
  const [failure, setFailure] = useState<Error>();
  const [thankedName, setThankedName] = useState<string>();

  const submit = handleSubmit(async (inquiry) => {
    setFailure(undefined);
    try {
      await callFunction("submit-sponsor-inquiry", inquiry);
      setThankedName(inquiry.contactName);
      reset(emptyInquiry);
      inquiryDraft.forget();
    } catch (error) {
      setFailure(error as Error);
    }
  });

  if (thankedName !== undefined) {
    return <Thanks name={thankedName} onAgain={() => setThankedName(undefined)} />;
  }

  return (
    <Card>
      <form noValidate onSubmit={submit} className="grid gap-5 sm:grid-cols-2">
        <ContactFields
          business={{
            label: "Company Name",
            error: errors.companyName?.message,
            input: register("companyName"),
          }}
          register={register}
          errors={errors}
        />
        <Field label="Sponsorship Level" error={errors.sponsorshipLevel?.message} className="sm:col-span-2">
          <LevelSelect {...register("sponsorshipLevel")} />
        </Field>
        <MessageField error={errors.message?.message} input={register("message")} />
        <Honeypot {...register("website")} />
        {failure && (
          <FailedAttempt error={failure} said={failedInquiry} className="sm:col-span-2">
            Your entries are saved.
          </FailedAttempt>
        )}
        <Button
          type="submit"
          size="large"
          busy={isSubmitting}
          className="sm:col-span-2 sm:justify-self-start"
        >
          Send Inquiry
        </Button>
      </form>
    </Card>
  );
}

function MessageField({ error, input }: { error: string | undefined; input: UseFormRegisterReturn }) {
  return (
    <Field label="Message" limit={maxLengths.longText} error={error} className="sm:col-span-2">
      <Textarea {...input} />
    </Field>
  );
}

function LevelSelect(props: ComponentProps<"select">) {
  const { levels } = useSection("sponsors");
  return (
    <Select {...props}>
      <option value="">Not sure yet</option>
      {levels.map(({ level, price }) => (
        <option key={level} value={level}>
          {level === "custom" ? levelLooks[level].name : `${levelLooks[level].name}, ${price}`}
        </option>
      ))}
    </Select>
  );
}

function Thanks({ name, onAgain }: { name: string; onAgain: () => void }) {
  return (
    <Card role="status" tabIndex={-1} ref={(card) => card?.focus()} className="outline-none">
      <CardTitle as="h3">
        Thank you, <span className="wrap-anywhere">{name}</span>!
      </CardTitle>
      <p className="mt-3 text-lead">
        We have received your inquiry and will be in touch soon. A confirmation email is on its way to your
        inbox.
      </p>
      <Button variant="secondary" className="mt-6" onClick={onAgain}>
        Send Another Inquiry
      </Button>
    </Card>
  );
}
