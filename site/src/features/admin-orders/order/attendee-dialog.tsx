// Corrects a ticket's attendee. The previous code is dead at once, and a new one is mailed.
import { maxLengths } from "contract/limits";
import { attendeeSchema } from "contract/schemas";
import { correctionReason } from "contract/tickets/transfers";
import { useState } from "react";
import { Button } from "#ui/basics/button.tsx";
import { Field } from "#ui/forms/field.tsx";
import { Input } from "#ui/forms/input.tsx";
import { ReasonField } from "#ui/forms/reason-field.tsx";
import { useTypedText } from "#ui/forms/use-typed-text.ts";
import { DialogForm } from "#ui/overlays/dialog-form.tsx";
import { Dialog } from "#ui/overlays/dialog.tsx";
import { correctAttendee, useOrderAct } from "../queries.ts";

interface CorrectAttendeeProps {
  orderId: string;
  ticketId: string;
  attendee: { readonly name: string; readonly email: string };
}

export function CorrectAttendee(props: CorrectAttendeeProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button
        size="small"
        variant="ghost"
        className="-ml-3 min-h-8! text-sm!"
        aria-label={`Edit Name or Email for ${props.attendee.name}`}
        onClick={() => setOpen(true)}
      >
        Edit Name or Email
      </Button>
      {open && <AttendeeDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

interface AttendeeDialogProps extends CorrectAttendeeProps {
  onClose: () => void;
}

function AttendeeDialog({ orderId, ticketId, attendee, onClose }: AttendeeDialogProps) {
  const { mutate, isPending } = useOrderAct(orderId);
  const [was] = useState(attendee);
  const { typed, change, control } = useTypedText({ ...was, reason: "" });
  const checked = attendeeSchema.safeParse({ name: typed.name, email: typed.email.trim() });
  const wrong = (field: "name" | "email") =>
    checked.error?.issues.find(({ path }) => path[0] === field)?.message;
  const [tried, setTried] = useState(false);
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Edit Name or Email"
      description="The current code stops working right away, and we'll email a new one to the address below."
    >
      <DialogForm
        submit="Save"
        busy={isPending}
        onSubmit={() => {
          setTried(true);
          if (!checked.success || !typed.reason.trim()) return;
          mutate(correctAttendee(ticketId, typed, was), { onSuccess: onClose });
        }}
        onCancel={onClose}
      >
        <Field label="Name" limit={maxLengths.name} required error={tried ? wrong("name") : undefined}>
          <Input dense {...control("name")} />
        </Field>
        <Field label="Email" limit={maxLengths.email} required error={tried ? wrong("email") : undefined}>
          <Input dense type="email" {...control("email")} />
        </Field>
        <ReasonField
          value={typed.reason}
          onChange={(reason) => change("reason", reason)}
          hint="Saved in the order history."
          limit={correctionReason}
          problem={tried && !typed.reason.trim() ? "Enter a reason." : undefined}
        />
      </DialogForm>
    </Dialog>
  );
}
