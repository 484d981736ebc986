// What was typed into a form, kept in this tab across reloads until it is sent. Logout removes all drafts by the beginning of their
// keys, also of forms whose script was not loaded since.
import { useEffect } from "react";
import type { FieldValues, UseFormReturn } from "react-hook-form";
import { readJson, removeAll, writeJson } from "./stored-json.ts";

const PREFIX = "houston-culture-festival:draft:";

/** Where a form's draft is kept: what people type goes nowhere else in the browser's storage. */
export const draftKey = (form: string): string => PREFIX + form;

export const forgetDrafts = (): void => removeAll("session", PREFIX);

export interface FormDraft<Values> {
  /** The kept fields of the right type, over the empty form; undefined when nothing is kept. */
  read(): Values | undefined;
  keep(values: Values): void;
  forget(): void;
}

/** `isKept`: whether a stored value fits the field of that name. */
export function formDraft<Values extends object>(
  form: string,
  empty: Values,
  isKept: (name: string, value: unknown) => boolean,
): FormDraft<Values> {
  const key = draftKey(form);
  return {
    read() {
      try {
        const draft = readJson("session", key);
        if (typeof draft !== "object" || draft === null) return undefined;
        const known = Object.entries(draft).filter(([name, value]) => name in empty && isKept(name, value));
        return { ...empty, ...Object.fromEntries(known) };
      } catch {
        return undefined;
      }
    },
    keep: (values) => writeJson("session", key, values),
    forget: () => writeJson("session", key, undefined),
  };
}

/** Fills the form with this tab's draft, and keeps what is typed. */
export function useKeptDraft<Values extends FieldValues, Output extends FieldValues | undefined>(
  form: UseFormReturn<Values, unknown, Output>,
  draft: FormDraft<Values>,
): void {
  useEffect(() => {
    const kept = draft.read();
    if (kept) form.reset(kept);
    return form.subscribe({
      formState: { values: true },
      callback: ({ values }) => draft.keep(values),
    });
  }, [form, draft]);
}
