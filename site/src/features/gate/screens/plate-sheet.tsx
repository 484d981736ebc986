import { useRef, useState, type FormEvent } from "react";
import { gateLimits } from "contract/gate";
import { capitalized } from "contract/shop/kinds";
import { tooLong } from "contract/text-limits";
import { isOurBeginning } from "../rules/entry-code.ts";
import { Notice } from "./page.tsx";
import { Sheet } from "./sheet.tsx";
import { useScannerInField } from "./use-keyboard-scanner.ts";
import type { Vehicle } from "./use-scans.ts";

interface PlateSheetProps {
  vehicle: Vehicle;
  onCancel: () => void;
  onAdmit: (plate: string) => void;
}

/** Asks for a plate before a vehicle's code is admitted. It may stay empty. */
export function PlateSheet({ vehicle, onCancel, onAdmit }: PlateSheetProps) {
  const [plate, setPlate] = useState(vehicle.plate ?? "");
  const [isCode, setIsCode] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const long = tooLong(plate, gateLimits.plate);
  function refuse() {
    setPlate("");
    setIsCode(true);
  }
  useScannerInField(field, refuse);
  function submit(event: FormEvent) {
    event.preventDefault();
    // A keyboard scanner typed the next vehicle's code into the field.
    if (isOurBeginning(plate.trim())) refuse();
    else if (!long) onAdmit(plate.trim().toUpperCase());
  }
  return (
    <Sheet title={capitalized(vehicle.kind)} onClose={onCancel}>
      {(vehicle.name || vehicle.type) && (
        <p className="gate-lead">{[vehicle.name, vehicle.type].filter(Boolean).join(", ")}</p>
      )}
      <form className="gate-stack" onSubmit={submit}>
        <label className="gate-field">
          License plate (optional)
          <input
            ref={field}
            data-first
            value={plate}
            onChange={(event) => setPlate(event.target.value)}
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
          />
        </label>
        {long && <Notice tone="stop">{long}.</Notice>}
        {isCode && (
          <Notice tone="wait">
            That was an entry code. Admit this vehicle first, then scan the next one.
          </Notice>
        )}
        <button type="submit" className="gate-button" data-main>
          Admit
        </button>
      </form>
    </Sheet>
  );
}
