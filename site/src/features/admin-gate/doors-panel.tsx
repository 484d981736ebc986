// When the doors open and close, in Central time wherever the organiser is, and whether people may go out and come back.
import { useState } from "react";
import type { GateSettings } from "contract/gate";
import { centralField, centralMoment } from "#lib/time/central-time.ts";
import { Badge } from "#ui/basics/badge.tsx";
import { Button } from "#ui/basics/button.tsx";
import { Checkbox } from "#ui/forms/checkbox.tsx";
import { Field } from "#ui/forms/field.tsx";
import { Input } from "#ui/forms/input.tsx";
import { Panel } from "#ui/page/panel.tsx";
import { changeSettings, useGateAct, type SettingsFields } from "./queries.ts";

interface DoorsPanelProps {
  settings: GateSettings;
  now: number;
}

const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

export function DoorsPanel({ settings, now }: DoorsPanelProps) {
  const { run, isPending } = useGateAct();
  const before: SettingsFields = {
    doors_open_at: iso(settings.doors_open_at),
    doors_close_at: iso(settings.doors_close_at),
    reentry: settings.reentry,
  };
  const [opens, setOpens] = useState(() => centralField(before.doors_open_at));
  const [closes, setCloses] = useState(() => centralField(before.doors_close_at));
  const [reentry, setReentry] = useState(before.reentry);
  const [problem, setProblem] = useState<string>();
  // An untouched field keeps its time to the second.
  const momentOf = (field: string, was: string | null) =>
    field === centralField(was) ? was : centralMoment(field);
  const after: SettingsFields = {
    doors_open_at: momentOf(opens, before.doors_open_at),
    doors_close_at: momentOf(closes, before.doors_close_at),
    reentry,
  };
  const same = JSON.stringify(after) === JSON.stringify(before);

  function save() {
    const { doors_open_at: open, doors_close_at: close } = after;
    if (open !== null && close !== null && Date.parse(close) <= Date.parse(open)) {
      return setProblem("The doors must close after they open.");
    }
    setProblem(undefined);
    run(changeSettings(before, after)).catch((error: Error) => setProblem(error.message));
  }

  return (
    <Panel title="Doors" aside={<DoorsBadge settings={settings} now={now} />}>
      <form
        aria-label="Doors and re-entry"
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <div className="grid gap-4 sm:grid-cols-2 xl:grid-cols-1">
          <Field label="Doors open" hint="Central time. Empty: open already.">
            <Input
              dense
              type="datetime-local"
              max="9999-12-31T23:59"
              value={opens}
              onChange={({ target }) => setOpens(target.value)}
            />
          </Field>
          <Field label="Doors close" hint="Central time. Empty: never by themselves." error={problem}>
            <Input
              dense
              type="datetime-local"
              max="9999-12-31T23:59"
              value={closes}
              onChange={({ target }) => setCloses(target.value)}
            />
          </Field>
        </div>
        <Checkbox
          label={
            <>
              Re-entry
              <span className="block text-sm text-ink-soft">
                Whoever is scanned out may come in again. Off: a code lets in once.
              </span>
            </>
          }
          checked={reentry}
          onChange={({ target }) => setReentry(target.checked)}
        />
        <div className="flex justify-end">
          <Button type="submit" size="small" variant="secondary" busy={isPending} disabled={same}>
            Apply
          </Button>
        </div>
      </form>
    </Panel>
  );
}

function DoorsBadge({ settings: { doors_open_at, doors_close_at }, now }: DoorsPanelProps) {
  if (doors_open_at !== null && now < doors_open_at) return <Badge tone="warning">Not open yet</Badge>;
  if (doors_close_at !== null && now >= doors_close_at) return <Badge tone="danger">Closed</Badge>;
  return <Badge tone="success">Open</Badge>;
}
