import { useState } from "react";
import { collectCsv, type CsvPage } from "./csv.ts";
import { logError } from "../browser/error-log.ts";

interface CsvExport {
  /** Name of the file without its ending. */
  name: string;
  header: readonly string[];
  /** Started anew with each run. */
  pages: () => AsyncIterable<CsvPage>;
}

/** Saves a list as a file, page by page. `progress` is what to say meanwhile, and after a failure. */
export function useCsvExport({ name, header, pages }: CsvExport) {
  const [state, setState] = useState<{ busy: boolean; progress?: string }>({ busy: false });

  async function run() {
    setState({ busy: true, progress: "Exporting" });
    try {
      const file = await collectCsv(header, pages(), (rows, total) =>
        setState({ busy: true, progress: `Exporting ${amount(rows, total)}` }),
      );
      save(file, `${name}.csv`);
      setState({ busy: false });
    } catch (error) {
      logError(`export ${name}`, error);
      setState({ busy: false, progress: "Export failed, try again" });
    }
  }

  return { ...state, run };
}

function amount(rows: number, total: number | undefined): string {
  return total ? `${Math.min(100, Math.floor((100 * rows) / total))}%` : String(rows);
}

function save(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // some browsers read it only after the click returned
}
