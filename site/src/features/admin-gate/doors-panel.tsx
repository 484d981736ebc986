// When the doors open and close, in Central time wherever the organizer is, and whether re-entry is allowed.
import { useState } from "react";
import type { GateSettings } from "contract/gate";
import { useUnsaved } from "#lib/browser/unsaved.ts";
import { centralField, centralMoment } from "#lib/time/central-time.ts";
import { Badge } from "#ui/basics/badge.tsx";
import { Button } from "#ui/basics/button.tsx";
import { Checkbox } from "#ui/forms/checkbox.tsx";
import { Field } from "#ui/forms/field.tsx";
import { useTypedOver } from "#ui/forms/use-typed-over.ts";
import { MomentInput } from "#ui/forms/moment-input.tsx";
import { Panel } from "#ui/page/panel.tsx";
import { changeSettings, useGateAct, type SettingsFields } from "./queries.ts";

interface DoorsPanelProps {
  settings: GateSettings;
  now: number;
}

export function DoorsPanel({ settings, now }: DoorsPanelProps) {
  return (
    <Panel title="Doors" aside={<DoorsBadge settings={settings} now={now} />}>
      <DoorsForm settings={settings} />
    </Panel>
  );
}

function DoorsForm({ settings }: Pick<DoorsPanelProps, "settings">) {
  const { mutateAsync, isPending } = useGateAct();
  const before = fieldsOf(settings);
  const { fields: draft, type: typeOver, settle } = useTypedOver(draftOf(before));
  const [problem, setProblem] = useState<string>();
  const type: typeof typeOver = (change) => {
    typeOver(change);
    setProblem(undefined);
  };
  const after = fieldsAfter(before, draft);
  const same = JSON.stringify(after) === JSON.stringify(before);
  useUnsaved(!same);

  function save() {
    const { doors_open_at: open, doors_close_at: close } = after;
    if (open !== null && close !== null && Date.parse(close) <= Date.parse(open)) {
      return setProblem("The doors must close after they open.");
    }
    setProblem(undefined);
    mutateAsync(changeSettings(before, after)).then(
      () => settle(draft),
      (error: Error) => setProblem(error.message),
    );
  }

  return (
    <form
      aria-label="Doors and re-entry"
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <div className="grid gap-4 sm:grid-cols-2 xl:grid-cols-1">
        <Field label="Doors open" hint="Central Time. Leave blank if already open.">
          <MomentInput value={draft.opens} onValue={(opens) => type({ opens })} />
        </Field>
        <Field label="Doors close" hint="Central Time. Leave blank to close manually." error={problem}>
          <MomentInput value={draft.closes} onValue={(closes) => type({ closes })} />
        </Field>
      </div>
      <Checkbox
        label={
          <>
            Re-entry
            <span className="block text-sm text-ink-soft">
              Guests scanned out can come back in. When off, each code works once.
            </span>
          </>
        }
        checked={draft.reentry}
        onChange={({ target }) => type({ reentry: target.checked })}
      />
      <div className="flex justify-end">
        <Button type="submit" size="small" variant="secondary" busy={isPending} disabled={same}>
          Apply
        </Button>
      </div>
    </form>
  );
}

const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

const fieldsOf = ({ doors_open_at, doors_close_at, reentry }: GateSettings): SettingsFields => ({
  doors_open_at: iso(doors_open_at),
  doors_close_at: iso(doors_close_at),
  reentry,
});

interface Draft {
  opens: string;
  closes: string;
  reentry: boolean;
}

const draftOf = ({ doors_open_at, doors_close_at, reentry }: SettingsFields): Draft => ({
  opens: centralField(doors_open_at),
  closes: centralField(doors_close_at),
  reentry,
});

/** An untouched field keeps its time to the second. */
function fieldsAfter(before: SettingsFields, { opens, closes, reentry }: Draft): SettingsFields {
  const momentOf = (field: string, was: string | null) =>
    field === centralField(was) ? was : centralMoment(field);
  return {
    doors_open_at: momentOf(opens, before.doors_open_at),
    doors_close_at: momentOf(closes, before.doors_close_at),
    reentry,
  };
}

function DoorsBadge({ settings: { doors_open_at, doors_close_at }, now }: DoorsPanelProps) {
  if (doors_open_at !== null && now < doors_open_at) return <Badge tone="warning">Not open yet</Badge>;
  if (doors_close_at !== null && now >= doors_close_at) return <Badge tone="danger">Closed</Badge>;
  return <Badge tone="success">Open</Badge>;
}
