import { useState, type FormEvent } from "react";
import { gateLimits } from "contract/gate";
import { Sheet } from "./sheet.tsx";

/** Asks for a plate before a parking code is admitted. It may stay empty. */
export function PlateSheet({
  onCancel,
  onAdmit,
}: {
  onCancel: () => void;
  onAdmit: (plate: string) => void;
}) {
  const [plate, setPlate] = useState("");
  function submit(event: FormEvent) {
    event.preventDefault();
    onAdmit(plate.trim().toUpperCase());
  }
  return (
    <Sheet title="Parking" onClose={onCancel}>
      <form className="gate-stack" onSubmit={submit}>
        <label className="gate-field">
          License plate (optional)
          <input
            value={plate}
            maxLength={gateLimits.plate}
            onChange={(event) => setPlate(event.target.value)}
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
          />
        </label>
        <button type="submit" className="gate-button" data-main>
          Admit
        </button>
      </form>
    </Sheet>
  );
}
