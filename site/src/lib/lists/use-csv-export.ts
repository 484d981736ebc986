import { useState } from "react";
import { collectCsv, type CsvColumn } from "./csv.ts";
import { logError } from "../browser/error-log.ts";
import { saveFile } from "../browser/save-file.ts";

interface CsvExport<Row> {
  /** The file's name without its extension. */
  name: string;
  columns: readonly CsvColumn<Row>[];
  /** Called for each run. */
  rows: () => AsyncIterable<readonly Row[]>;
}

/**
 * Saves a list as a file, page by page. `progress` replaces the button's label while it runs and after a failure.
 */
export function useCsvExport<Row>({ name, columns, rows }: CsvExport<Row>) {
  const [state, setState] = useState<{ busy: boolean; progress?: string }>({ busy: false });

  async function run() {
    setState({ busy: true, progress: "Exporting" });
    try {
      const file = await collectCsv(columns, rows(), (saved) =>
        setState({ busy: true, progress: `Exporting ${saved}` }),
      );
      saveFile(file, `${name}.csv`);
      setState({ busy: false });
    } catch (error) {
      logError(`export ${name}`, error);
      const isOffline = !navigator.onLine;
      setState({
        busy: false,
        progress: isOffline ? "No connection, try again" : "Export failed, try again",
      });
    }
  }

  return { ...state, run };
}
