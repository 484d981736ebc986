import { Field } from "#ui/forms/field.tsx";
import { Input } from "#ui/forms/input.tsx";
import type { Days } from "./queries.ts";

/** The festival's calendar days on which the tills were opened. */
export function DayFields({ days, onChange }: { days: Days; onChange: (change: Partial<Days>) => void }) {
  return (
    <div className="mb-4 grid gap-3 sm:flex">
      <Field label="From">
        <Input
          dense
          type="date"
          value={days.from}
          onChange={({ target }) => onChange({ from: target.value })}
        />
      </Field>
      <Field label="To">
        <Input dense type="date" value={days.to} onChange={({ target }) => onChange({ to: target.value })} />
      </Field>
    </div>
  );
}
