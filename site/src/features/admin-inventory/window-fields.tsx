// When a sale opens and closes: two fields in the festival's time zone, wherever the organizer is.
import { centralField, centralMoment } from "#lib/time/central-time.ts";
import { Field } from "#ui/forms/field.tsx";
import { MomentInput } from "#ui/forms/moment-input.tsx";

interface Window {
  sale_opens_at: string | null;
  sale_closes_at: string | null;
}

export interface WindowDraft {
  opens: string;
  closes: string;
}

export const windowDraft = (sale: Window): WindowDraft => ({
  opens: centralField(sale.sale_opens_at),
  closes: centralField(sale.sale_closes_at),
});

/** An untouched field keeps its time to the second. */
export function windowOf(draft: WindowDraft, from: Window): Window {
  const before = windowDraft(from);
  return {
    sale_opens_at: draft.opens === before.opens ? from.sale_opens_at : centralMoment(draft.opens),
    sale_closes_at: draft.closes === before.closes ? from.sale_closes_at : centralMoment(draft.closes),
  };
}

/** The column that the database names when the window is refused. */
export const CLOSES = "sale_closes_at";

interface WindowFieldsProps {
  draft: WindowDraft;
  onChange: (change: Partial<WindowDraft>) => void;
  error?: string | undefined;
}

export function WindowFields({ draft, onChange, error }: WindowFieldsProps) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field label="Opens" hint="Central Time. Leave blank to start right away.">
        <MomentInput value={draft.opens} onValue={(opens) => onChange({ opens })} />
      </Field>
      <Field label="Closes" hint="Central Time. Leave blank for no end." error={error}>
        <MomentInput value={draft.closes} onValue={(closes) => onChange({ closes })} />
      </Field>
    </div>
  );
}
