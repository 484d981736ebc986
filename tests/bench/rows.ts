// The rows of `npm run bench`, under the names the promises have.
import type { Figure } from "./figures.ts";
import { measurePurchases } from "./purchase.ts";
import { measureScriptBytes } from "./script-bytes.ts";
import { measureStartUp } from "./start-up.ts";

export interface Settings {
  /** The first is dropped. */
  readonly pairs: number;
  /** Length of a slice. */
  readonly seconds: number;
}

interface Row {
  readonly id: string;
  readonly title: string;
  /** Takes too long to be part of every run. */
  readonly onlyWhenAsked?: true;
  /** Throws when an answer was wrong. */
  readonly measure: (settings: Settings) => Promise<readonly Figure[]>;
}

export const ROWS: readonly Row[] = [
  { id: "P1", title: "signed-in reservations against the naive purchase", measure: measurePurchases },
  { id: "P9", title: "script of a page before it can be used", measure: measureScriptBytes },
  { id: "P12", title: "a warm start until /health answers 200", measure: measureStartUp },
];
