// Corrects who an order is for. The history keeps both versions.
import { maxLengths } from "contract/limits";
import { attendeeSchema } from "contract/schemas";
import { useState } from "react";
import { toast } from "#ui/overlays/toast.ts";
import { Checkbox } from "#ui/forms/checkbox.tsx";
import { Field } from "#ui/forms/field.tsx";
import { Input } from "#ui/forms/input.tsx";
import { useTypedText } from "#ui/forms/use-typed-text.ts";
import { DialogForm } from "#ui/overlays/dialog-form.tsx";
import { Dialog } from "#ui/overlays/dialog.tsx";
import type { OrderCase } from "../model.ts";
import { changeBuyer, useOrderAct } from "../queries.ts";
import { isPaid } from "../refunds/refund-choice.ts";

export function BuyerDialog({ order, onClose }: { order: OrderCase; onClose: () => void }) {
  const act = useOrderAct(order.id);
  const [was] = useState({ name: order.buyer_full_name, email: order.buyer_email });
  const { typed, control } = useTypedText(was);
  const [send, setSend] = useState(false);
  const [tried, setTried] = useState(false);
  const checked = attendeeSchema.safeParse({ name: typed.name.trim(), email: typed.email.trim() });
  const wrong = (field: "name" | "email") =>
    tried ? checked.error?.issues.find(({ path }) => path[0] === field)?.message : undefined;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Change the buyer"
      description="Emails about this order will go to the new address. The history keeps the old details."
    >
      <DialogForm
        submit="Save"
        busy={act.isPending}
        onSubmit={() => {
          setTried(true);
          if (!checked.success) return;
          act.mutate(changeBuyer(typed, was, send), {
            onSuccess: () => {
              if (send) toast.success("The tickets are on their way", typed.email.trim());
              onClose();
            },
          });
        }}
        onCancel={onClose}
      >
        <Field label="Name" limit={maxLengths.name} required error={wrong("name")}>
          <Input dense {...control("name")} />
        </Field>
        <Field label="Email" limit={maxLengths.email} required error={wrong("email")}>
          <Input dense type="email" {...control("email")} />
        </Field>
        {isPaid(order) && (
          <Checkbox
            label="Send the tickets to this address"
            checked={send}
            onChange={({ target }) => setSend(target.checked)}
          />
        )}
        <p className="text-sm text-ink-soft">
          Codes already sent stay valid. To replace one, edit its attendee below: the ticket gets a new code.
        </p>
      </DialogForm>
    </Dialog>
  );
}
