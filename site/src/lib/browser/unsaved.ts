// Whether any form on the screen has edits that leaving would lose.
import { useLayoutEffect, useSyncExternalStore } from "react";

const forms = new Set<symbol>();
const listeners = new Set<() => void>();

function notify(): void {
  for (const listener of listeners) listener();
}

export const hasUnsaved = (): boolean => forms.size > 0;

export function useHasUnsaved(): boolean {
  return useSyncExternalStore(subscribe, hasUnsaved, hasUnsaved);
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

/** For a form: while it has edits, the back office asks before leaving its screen. */
export function useUnsaved(isUnsaved: boolean): void {
  useLayoutEffect(() => {
    if (!isUnsaved) return;
    const form = Symbol("form");
    forms.add(form);
    notify();
    return () => {
      forms.delete(form);
      notify();
    };
  }, [isUnsaved]);
}
