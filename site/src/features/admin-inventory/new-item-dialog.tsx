// A new product. Each error is at its field, whoever found it.
import { useState } from "react";
import { capitalized, productLabel, type ProductKind } from "contract/shop/kinds";
import { toDollars } from "contract/shop/money";
import { useUnsaved } from "#lib/browser/unsaved.ts";
import { typedCents, typedUnits } from "#lib/typed-numbers.ts";
import { Checkbox } from "#ui/forms/checkbox.tsx";
import { Dialog } from "#ui/overlays/dialog.tsx";
import { DialogForm } from "#ui/overlays/dialog-form.tsx";
import { Field } from "#ui/forms/field.tsx";
import { Input, Textarea } from "#ui/forms/input.tsx";
import { type Problems, useProblems } from "#ui/forms/use-problems.ts";
import { useTypedText } from "#ui/forms/use-typed-text.ts";
import { maxLengths } from "contract/limits";
import { MOST_UNITS, NAME_PROBLEM, priceProblem } from "./model.ts";
import { createItem } from "./queries.ts";
import { useAct } from "./use-act.ts";

/** What a name decides (PRODUCT 5.3). */
const hints: Readonly<Record<string, string>> = {
  ticket: 'A name with "VIP" in it includes a general parking pass.',
  parking:
    'Passes appear beside the tickets, unless hidden, once one has "general" in its name. VIP includes that one.',
};

const blank = { name: "", description: "", price: "", units: "" };
type Typed = typeof blank;

interface NewItemDialogProps {
  kind: ProductKind;
  onClose: () => void;
}

export function NewItemDialog({ kind, onClose }: NewItemDialogProps) {
  const label = productLabel(kind);
  const { act, busy, problem, column, setProblem } = useAct(`${capitalized(label)} created`, onClose);
  const { typed, control } = useTypedText(blank, () => setProblem(undefined));
  const { problems, check } = useProblems(problemsOf(typed), { problem, column }, fieldOfColumn);
  const [hidden, setHidden] = useState(false);
  useUnsaved(Object.values(typed).some((text) => text !== ""));
  const create = () => {
    if (!check()) return;
    void act(() => createItem(kind.kind, { ...fieldsOf(typed), is_hidden: hidden }));
  };
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={`New ${label}`}>
      <DialogForm submit="Create" busy={busy} problem={problems.form} onSubmit={create} onCancel={onClose}>
        <Field
          label="Name"
          limit={maxLengths.itemName}
          required
          hint={hints[kind.kind]}
          error={problems.name}
        >
          <Input dense {...control("name")} />
        </Field>
        <Field label="Description" limit={maxLengths.itemDescription}>
          <Textarea rows={2} {...control("description")} />
        </Field>
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="Price in dollars" required hint="0 makes it free." error={problems.price}>
            <Input dense inputMode="decimal" {...control("price")} />
          </Field>
          <Field label="Units" required hint="All of them start as available." error={problems.units}>
            <Input dense inputMode="numeric" {...control("units")} />
          </Field>
        </div>
        <Checkbox
          label="Hidden for now"
          checked={hidden}
          onChange={(event) => setHidden(event.target.checked)}
        />
      </DialogForm>
    </Dialog>
  );
}

const fieldOfColumn = {
  name: "name",
  price: "price",
  current_inventory: "units",
  total_inventory: "units",
} as const;

function problemsOf({ name, price, units }: Typed): Problems<keyof Typed> {
  const wrongPrice = priceProblem(price);
  return {
    ...(!name.trim() && { name: NAME_PROBLEM }),
    ...(wrongPrice && { price: wrongPrice }),
    ...(!(typedUnits(units) <= MOST_UNITS) && {
      units: `Units must be a whole number up to ${MOST_UNITS.toLocaleString("en-US")}.`,
    }),
  };
}

const fieldsOf = ({ name, description, price, units }: Typed) => ({
  name: name.trim(),
  description: description.trim(),
  price: toDollars(typedCents(price)!),
  units: typedUnits(units),
});
