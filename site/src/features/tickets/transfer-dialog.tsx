// Offers tickets of one order to a person by name and address. After a refusal, everything typed stays.
import { zodResolver } from "@hookform/resolvers/zod";
import { maxLengths } from "contract/limits";
import { attendeeSchema } from "contract/schemas";
import { useState } from "react";
import { useForm } from "react-hook-form";
import type { z } from "zod";
import type { Supabase } from "#lib/api/supabase.ts";
import { count, formatZonedMoment, shortId } from "#lib/format.ts";
import { Checkbox } from "#ui/forms/checkbox.tsx";
import { Field, FieldError } from "#ui/forms/field.tsx";
import { Input } from "#ui/forms/input.tsx";
import { DialogForm } from "#ui/overlays/dialog-form.tsx";
import { Dialog } from "#ui/overlays/dialog.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { FailedAttempt } from "#ui/forms/failed-attempt.tsx";
import type { Pass } from "./model.ts";
import { useTicketChange } from "./queries.ts";

const recipientSchema = attendeeSchema.pick({ name: true, email: true });
type Recipient = z.infer<typeof recipientSchema>;

const failedOffer = { refused: "Your offer wasn't sent.", open: "Your offer may have been sent." };

interface TransferDialogProps {
  /** All tickets of the order that may be offered now. */
  tickets: readonly Pass[];
  /** Preselected. */
  startId: string;
  userId: string;
  closesAt: string | undefined;
  onClose: () => void;
}

export function TransferDialog({ tickets, startId, userId, closesAt, onClose }: TransferDialogProps) {
  const [picked, setPicked] = useState<readonly string[]>([startId]);
  const [missing, setMissing] = useState(false);
  const { register, handleSubmit, formState } = useForm({
    resolver: zodResolver(recipientSchema),
    defaultValues: { name: "", email: "" },
  });
  const offer = useTicketChange(userId);
  const { errors } = formState;
  // Some may have been refunded or scanned in the meantime.
  const chosen = tickets.filter(({ id }) => picked.includes(id));

  const submit = handleSubmit((recipient) => {
    if (chosen.length === 0) return setMissing(true);
    offer.mutate(offerOf(chosen, recipient), {
      onSuccess: () => {
        toast.success("Offer Sent", sentText(recipient));
        onClose();
      },
    });
  });

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={tickets.length > 1 ? "Transfer Tickets" : "Transfer Ticket"}
      description="We'll email the other person a link to accept, with or without an account. Until they accept, your code stays valid and you can cancel the offer. After that, they get a new code and yours no longer works."
    >
      <DialogForm
        submit={chosen.length > 1 ? `Offer ${count(chosen.length, "Ticket")}` : "Offer Ticket"}
        busy={offer.isPending}
        onSubmit={() => void submit()}
        onCancel={onClose}
      >
        {tickets.length > 1 && (
          <Choice
            {...{ tickets, picked, missing }}
            onPick={(ids) => {
              setMissing(false);
              setPicked(ids);
            }}
          />
        )}
        <Field label="Their Full Name" limit={maxLengths.name} required error={errors.name?.message}>
          <Input autoComplete="off" {...register("name")} />
        </Field>
        <Field label="Their Email" required error={errors.email?.message} hint="We'll email the link there.">
          <Input type="email" autoComplete="off" {...register("email")} />
        </Field>
        {offer.isError && <FailedAttempt error={offer.error} said={failedOffer} className="p-4! sm:p-5!" />}
        <p className="text-sm text-ink-soft">
          {closesAt && <>They can accept until {formatZonedMoment(closesAt)}. </>}
          Parking stays with you. Refunds go to the buyer who paid.
        </p>
      </DialogForm>
    </Dialog>
  );
}

const sentText = ({ name }: Recipient) =>
  `We emailed ${name} a link to accept. Until they do, you can cancel the offer.`;

const offerOf =
  (tickets: readonly Pass[], { name, email }: Recipient) =>
  (supabase: Supabase) =>
    supabase.rpc("offer_transfer", {
      p_ticket_ids: tickets.map(({ id }) => id),
      p_name: name,
      p_email: email,
    });

interface ChoiceProps {
  tickets: readonly Pass[];
  picked: readonly string[];
  /** The form was submitted without a choice. */
  missing: boolean;
  onPick: (ids: readonly string[]) => void;
}

function Choice({ tickets, picked, missing, onPick }: ChoiceProps) {
  return (
    <fieldset className="grid gap-2.5">
      <legend className="mb-2 font-semibold">Tickets</legend>
      {tickets.map(({ id, name, holder }) => (
        <Checkbox
          key={id}
          label={
            <span className="wrap-anywhere">
              {name}, {holder} <span className="font-mono text-sm text-ink-soft">#{shortId(id)}</span>
            </span>
          }
          checked={picked.includes(id)}
          onChange={({ target }) =>
            onPick(target.checked ? [...picked, id] : picked.filter((other) => other !== id))
          }
        />
      ))}
      {missing && <FieldError>Choose at least one ticket.</FieldError>}
    </fieldset>
  );
}
