import { useEffect, useRef } from "react";
import { Button } from "../basics/button.tsx";
import { focusFirstInvalid } from "../forms/focus-invalid.ts";

interface DialogButtonsProps {
  submit: string;
  busy: boolean;
  onCancel: () => void;
}

/** The two buttons of a dialog's form. Once the server has refused a field, it takes the focus. */
export function DialogButtons({ submit, busy, onCancel }: DialogButtonsProps) {
  const row = useRef<HTMLDivElement>(null);
  const wasBusy = useRef(busy);
  useEffect(() => {
    if (wasBusy.current && !busy) focusFirstInvalid(row.current?.closest("form") ?? null);
    wasBusy.current = busy;
  }, [busy]);
  return (
    <div ref={row} className="flex flex-wrap justify-end gap-3 max-xs:*:grow">
      <Button variant="secondary" size="small" onClick={onCancel}>
        Cancel
      </Button>
      <Button type="submit" size="small" busy={busy}>
        {submit}
      </Button>
    </div>
  );
}
