import { Download } from "lucide-react";
import { Button } from "./button.tsx";

interface ExportButtonProps {
  busy: boolean;
  /** What to say in place of the label. */
  progress?: string;
  run: () => Promise<void>;
}

export function ExportButton({ busy, progress, run }: ExportButtonProps) {
  return (
    <Button variant="secondary" size="small" disabled={busy} onClick={run}>
      <Download aria-hidden="true" className="size-4" strokeWidth={2.5} />
      <span aria-live="polite">{progress ?? "Export CSV"}</span>
    </Button>
  );
}
