// A row's settings and its result, and the one table in which all rows are printed: both sides, their ratio, and the goal.
import type { Paired, Spread } from "./pairs.ts";

export type Goal = { readonly atLeast: number } | { readonly atMost: number };

export interface Settings {
  /** The first is dropped. */
  readonly pairs: number;
  /** Length of a slice. */
  readonly seconds: number;
  /** Where large data is kept between runs. */
  readonly folder: string;
}

export interface Figure {
  readonly what: string;
  readonly ours: string;
  readonly against: string;
  /** Its median is judged; absent when there is nothing to compare with. */
  readonly ratio?: Spread;
  /** Judged instead of the ratio. */
  readonly amount?: number;
  readonly goal?: Goal;
}

/** A figure of two things measured in turn, in the same unit. */
export function compared(what: string, unit: string, against: string, paired: Paired, goal?: Goal): Figure {
  return {
    what,
    ours: `${number(paired.ours.median)} ${unit}`,
    against: `${number(paired.against.median)} ${unit} ${against}`,
    ratio: paired.ratio,
    ...(goal && { goal }),
  };
}

/** True when the goal is reached, undefined when there is none. */
function reached({ goal, ratio, amount }: Figure): boolean | undefined {
  const judged = amount ?? ratio?.median;
  if (!goal || judged === undefined) return undefined;
  return "atLeast" in goal ? judged >= goal.atLeast : judged <= goal.atMost;
}

export function table(rows: readonly { readonly id: string; readonly figures: readonly Figure[] }[]): string {
  const lines = rows.flatMap(({ id, figures }) =>
    figures.map((figure, index) => {
      const met = reached(figure);
      return [
        index === 0 ? id : "",
        figure.what,
        figure.ours,
        figure.against,
        figure.ratio ? ratioText(figure.ratio) : "",
        figure.goal ? goalText(figure.goal) : "",
        met === undefined ? "" : met ? "yes" : "NO",
      ];
    }),
  );
  const all = [["", "what", "ours", "against", "ratio (lowest to highest)", "goal", "met"], ...lines];
  const widths = all[0]!.map((_, column) => Math.max(...all.map((line) => line[column]!.length)));
  return all
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Three significant digits. */
export function number(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString("en-US") : String(Number(value.toPrecision(3)));
}

const ratioText = ({ median, lowest, highest }: Spread) =>
  `${median.toFixed(2)} (${lowest.toFixed(2)} to ${highest.toFixed(2)})`;

const goalText = (goal: Goal) => ("atLeast" in goal ? `at least ${goal.atLeast}` : `at most ${goal.atMost}`);
