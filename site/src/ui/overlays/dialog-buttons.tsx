import { Button } from "../basics/button.tsx";

interface DialogButtonsProps {
  submit: string;
  busy: boolean;
  onCancel: () => void;
}

/** The two buttons of a dialog's form. */
export function DialogButtons({ submit, busy, onCancel }: DialogButtonsProps) {
  return (
    <div className="flex flex-wrap justify-end gap-3 max-xs:*:grow">
      <Button variant="secondary" size="small" onClick={onCancel}>
        Cancel
      </Button>
      <Button type="submit" size="small" busy={busy}>
        {submit}
      </Button>
    </div>
  );
}
