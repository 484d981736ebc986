// What is wrong with a form, by field: what was typed, from the first attempt until it is right, and what the server refused.
import { useState } from "react";
import type { Refused } from "./use-attempt.ts";

/** `form`: of no single field. */
export type Problems<Field extends string> = Partial<Record<Field | "form", string>>;

/** `columns`: the field of each of the database's columns. */
export function problemsOf<Field extends string>(
  { problem, column }: Refused,
  columns: Readonly<Partial<Record<string, Field>>>,
): Problems<Field> {
  if (problem === undefined) return {};
  const field: Field | "form" = columns[column ?? ""] ?? "form";
  return { [field]: problem } as Problems<Field>;
}

export function useProblems<Field extends string>(
  wrong: Problems<Field>,
  refused: Refused,
  columns: Readonly<Partial<Record<string, Field>>> = {},
) {
  const [tried, setTried] = useState(false);
  return {
    problems: { ...problemsOf(refused, columns), ...(tried && wrong) },
    /** Shows what is wrong from now on. Returns whether nothing is. */
    check: () => {
      setTried(true);
      return Object.keys(wrong).length === 0;
    },
  };
}
