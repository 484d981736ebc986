import { Download } from "lucide-react";
import { Button } from "../basics/button.tsx";

interface ExportButtonProps {
  label?: string;
  busy: boolean;
  /** Replaces the label. */
  progress?: string;
  run: () => Promise<void>;
}

export function ExportButton({ label = "Export CSV", busy, progress, run }: ExportButtonProps) {
  return (
    <Button variant="secondary" size="small" disabled={busy} onClick={run}>
      <Download aria-hidden="true" className="size-4" strokeWidth={2.5} />
      <span aria-live="polite">{progress ?? label}</span>
    </Button>
  );
}
