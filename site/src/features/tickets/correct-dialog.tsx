// Corrects the name or the address on a ticket. After a refusal, everything typed stays.
import { zodResolver } from "@hookform/resolvers/zod";
import { maxLengths } from "contract/limits";
import { attendeeSchema } from "contract/schemas";
import { correctionLimit } from "contract/tickets/transfers";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { Field } from "#ui/forms/field.tsx";
import { Input } from "#ui/forms/input.tsx";
import { DialogForm } from "#ui/overlays/dialog-form.tsx";
import { Dialog } from "#ui/overlays/dialog.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { FailedAttempt } from "#ui/forms/failed-attempt.tsx";
import type { Pass } from "./model.ts";
import { useTicketChange } from "./queries.ts";

const correctionSchema = attendeeSchema.pick({ name: true, email: true });

const failedCorrection = { refused: "Nothing was changed.", open: "The ticket may have been changed." };

interface CorrectDialogProps {
  ticket: Pass;
  userId: string;
  onClose: () => void;
}

export function CorrectDialog({ ticket, userId, onClose }: CorrectDialogProps) {
  const [was] = useState({ name: ticket.holder, email: ticket.note ?? "" });
  const { register, handleSubmit, formState } = useForm({
    resolver: zodResolver(correctionSchema),
    defaultValues: was,
  });
  const correction = useTicketChange(userId);
  const [isUnchanged, setUnchanged] = useState(false);
  const { errors } = formState;

  const submit = handleSubmit(({ name, email }) => {
    const same = name === was.name && email === was.email;
    setUnchanged(same);
    if (same) return;
    correction.mutate(
      (supabase) =>
        supabase.rpc("correct_attendee", {
          p_ticket_id: ticket.id,
          p_name: name,
          p_email: email,
          p_was: was,
        }),
      {
        onSuccess: () => {
          toast.success("Ticket Updated", `Its new code is on its way to ${email}.`);
          onClose();
        },
      },
    );
  });

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Edit Name or Email"
      description={`Fix a name or email address. We'll email a new code and the old one will stop working. Limit: ${correctionLimit} changes per ticket.`}
    >
      <DialogForm
        submit="Save"
        busy={correction.isPending}
        problem={isUnchanged ? "Nothing has changed. Edit the name or the email address first." : undefined}
        onSubmit={() => void submit()}
        onCancel={onClose}
      >
        <Field label="Full Name" limit={maxLengths.name} required error={errors.name?.message}>
          <Input autoComplete="off" {...register("name")} />
        </Field>
        <Field label="Email" limit={maxLengths.email} required error={errors.email?.message}>
          <Input type="email" autoComplete="off" {...register("email")} />
        </Field>
        {correction.isError && !isUnchanged && (
          <FailedAttempt error={correction.error} said={failedCorrection} className="p-4! sm:p-5!" />
        )}
      </DialogForm>
    </Dialog>
  );
}
