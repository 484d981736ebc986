// This device's entrance, and its name on the board.
import { useState } from "react";
import { gateLimits, type GateEntrance } from "contract/gate";
import { tooLong } from "contract/text-limits";
import { useIsShown } from "#ui/forms/use-is-shown.ts";
import { Refused } from "../device/calls.ts";
import type { GateEngine } from "../device/engine.ts";
import type { GateSnapshot } from "../device/snapshot.ts";
import { Notice, Page } from "./page.tsx";
import { suggestedName } from "./suggested-name.ts";

interface ChooseFormProps {
  engine: GateEngine;
  gate: GateSnapshot;
  onDone: () => void;
  /** Undefined while the device has no entrance to go back to. */
  onBack?: () => void;
}

export function ChooseForm({ engine, gate, onDone, onBack }: ChooseFormProps) {
  const device = gate.opened?.device;
  const open = (gate.opened?.entrances ?? []).filter(({ id, is_open }) =>
    device?.is_bound ? id === device.entrance_id : is_open,
  );
  const [entranceId, setEntranceId] = useState(
    () => (open.find(({ id }) => id === device?.entrance_id) ?? open[0])?.id,
  );
  // The server's name for a device that has not sent one.
  const isNew = !device || /^Device( \(\d+\))?$/.test(device.name);
  // A user with an invitation has entered the name on the previous page.
  const asksName = isNew || onBack !== undefined;
  const [name, setName] = useState(() => (isNew ? suggestedName() : device.name));
  const { busy, problem, submit } = useChoice(engine, onDone);

  const isBound = device?.is_bound ?? false;
  const long = tooLong(name, gateLimits.deviceName);

  return (
    <Page
      title="Your entrance"
      lead={
        isBound
          ? "This phone’s invitation is for this entrance only."
          : "Choose where you stand. You can change it at any time."
      }
    >
      <form
        className="gate-stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (entranceId && !long) void submit(name, entranceId);
        }}
      >
        <EntranceChoices gate={gate} open={open} chosen={entranceId} onChoose={setEntranceId} />
        {asksName && (
          <label className="gate-field">
            Phone name
            <input value={name} onChange={(event) => setName(event.target.value)} autoComplete="off" />
          </label>
        )}
        {long && <Notice tone="stop">{long}.</Notice>}
        {problem && <Notice tone="stop">{problem}</Notice>}
        <button type="submit" className="gate-button" data-main disabled={busy || !entranceId}>
          {busy ? "One moment…" : "Start scanning"}
        </button>
        {onBack && (
          <button type="button" className="gate-button" onClick={onBack}>
            Keep as is
          </button>
        )}
      </form>
    </Page>
  );
}

function useChoice(engine: GateEngine, onDone: () => void) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const isShown = useIsShown();
  async function submit(name: string, entranceId: string) {
    setBusy(true);
    setProblem(undefined);
    try {
      await engine.choose(name.trim() || suggestedName(), entranceId);
      if (isShown.current) onDone();
    } catch (error) {
      setProblem(
        error instanceof Refused
          ? error.message
          : "You need a connection to change the entrance. Please try again in a moment.",
      );
    }
    setBusy(false);
  }
  return { busy, problem, submit };
}

interface EntranceChoicesProps {
  gate: GateSnapshot;
  open: readonly GateEntrance[];
  chosen: string | undefined;
  onChoose: (id: string) => void;
}

function EntranceChoices({ gate, open, chosen, onChoose }: EntranceChoicesProps) {
  return (
    <fieldset className="gate-choices">
      <legend>Entrance</legend>
      {open.map((entrance) => (
        <label key={entrance.id} className="gate-choice">
          <input
            type="radio"
            name="entrance"
            value={entrance.id}
            checked={entrance.id === chosen}
            onChange={() => onChoose(entrance.id)}
          />
          <strong>{entrance.name}</strong>
          <small>{admitsWords(entrance, gate)}</small>
        </label>
      ))}
      {open.length === 0 && (
        <Notice tone="wait">No entrance is open. Ask an administrator to open one.</Notice>
      )}
    </fieldset>
  );
}

function admitsWords(entrance: GateEntrance, gate: GateSnapshot): string {
  const names = entrance.ticket_type_ids?.flatMap(
    (id) => gate.opened?.types.find((type) => type.id === id)?.name ?? [],
  );
  const tickets = names ? names.join(", ") : entrance.is_express ? "VIP tickets only" : "All tickets";
  if (entrance.admits === "parking") return "Parking";
  return entrance.admits === "both" ? `${tickets}, and parking` : tickets;
}
